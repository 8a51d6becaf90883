#include "group/place.h"

#include <charconv>
#include <cstdlib>

#include "group/launch.h"
#include "group/mpi_group.h"
#include "group/socket_group.h"

namespace jogak {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

int64_t number_of(const std::string& text, int64_t otherwise = -1) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? out
                                                                                   : otherwise;
}

int64_t slurm_count() { return number_of(variable("SLURM_STEP_NUM_TASKS")); }

// mpirun tells its processes how many they are. srun does where it speaks PMI, and an MPI finds its
// processes by the newest kind alone, PMIx: an older one wants an MPI that was made for it.
int64_t mpi_count() {
  const int64_t ours = number_of(variable("OMPI_COMM_WORLD_SIZE"));
  if (ours > 0) return ours;
  if (slurm_count() > 0) return variable("PMIX_RANK").empty() ? -1 : slurm_count();
  return number_of(variable("PMI_SIZE"));
}

void ensure_same(const PlaceRequest& request, int64_t found, const char* by) {
  ensure<UsageError>(request.processes == 0 || request.processes == found, "--processes ",
                     request.processes, ", but ", by, " started ", found);
}

std::pair<std::string, uint16_t> address_of(const std::string& first) {
  const size_t colon = first.rfind(':');
  const int64_t port = colon == std::string::npos ? -1 : number_of(first.substr(colon + 1));
  ensure<UsageError>(port > 0 && port < 65536 && colon > 0, "--first: found ", first,
                     ", wanted HOST:PORT");
  return {first.substr(0, colon), static_cast<uint16_t>(port)};
}

Meeting started_meeting() {
  const Launched told = take_launched();
  Meeting m{.self = told.self, .key = told.key, .facts = {}, .listener = {}, .hosts = {}};
  if (told.listener >= 0) m.listener = Socket(told.listener);
  if (m.listener.open()) m.listener.inherit(false);
  m.hosts = {"127.0.0.1"}, m.port = static_cast<uint16_t>(told.port);
  return m;
}

Meeting meeting_at(Processes self, const std::string& host, uint16_t port, std::string key) {
  Meeting m{.self = self, .key = std::move(key), .facts = {}, .listener = {}, .hosts = {host}};
  m.port = port;
  if (self.is_first()) m.listener = listen_on("0.0.0.0", port);
  return m;
}

Meeting slurm_meeting() {
  const std::string job = variable("SLURM_JOB_ID"), step = variable("SLURM_STEP_ID");
  const Processes self{number_of(variable("SLURM_PROCID")), slurm_count()};
  ensure<UsageError>(self.index >= 0 && self.index < self.count, "SLURM_PROCID: found ",
                     variable("SLURM_PROCID"), ", wanted a number below ", self.count);
  const std::string host = first_of_machines(variable("SLURM_STEP_NODELIST"));
  const auto port = static_cast<uint16_t>(20000 + number_of(job, 0) % 10000);
  return meeting_at(self, host, port, text_of("slurm ", job, ".", step));
}

}  // namespace

std::string first_of_machines(const std::string& list) {
  const size_t open = list.find('['), comma = list.find(',');
  if (open == std::string::npos || comma < open) return list.substr(0, comma);
  return list.substr(0, open) + list.substr(open + 1, list.find_first_of("-,]", open) - open - 1);
}

Place find_place(const PlaceRequest& r) {
  if (was_launched()) return Place::started;
  if (!r.first.empty() || r.process > 0) {
    ensure<UsageError>(!r.first.empty() && r.process >= 1 && r.process <= r.processes,
                       "found --processes ", r.processes, ", --process ", r.process,
                       " and --first ", r.first.empty() ? "none" : r.first,
                       ", wanted all three: how many, which one, and HOST:PORT of the first");
    return r.processes == 1 ? Place::alone : Place::by_hand;
  }
  if (const int64_t count = mpi_count(); count > 0) {
    ensure_same(r, count, "mpirun");
    if (count == 1) return Place::alone;
    if (has_mpi() || slurm_count() != count) return Place::mpi;
  }
  if (const int64_t count = slurm_count(); count > 1) {
    ensure_same(r, count, "srun");
    return Place::slurm;
  }
  return r.processes > 1 ? Place::starts : Place::alone;
}

int64_t number_on_this_machine() {
  if (was_launched()) return launched_index();
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const int64_t number = number_of(variable(name)); number >= 0) return number;
  return 0;
}

std::unique_ptr<ProcessGroup> join_group(Place place, const PlaceRequest& r, Facts facts,
                                         const std::atomic<bool>* stop) {
  if (place == Place::mpi) return join_mpi(mpi_count(), std::move(facts), stop);
  Meeting m;
  if (place == Place::started) {
    m = started_meeting();
  } else if (place == Place::slurm) {
    m = slurm_meeting();
  } else {
    const auto [host, port] = address_of(r.first);
    m = meeting_at({r.process - 1, r.processes}, host, port, variable("JOGAK_GROUP_KEY"));
  }
  m.facts = std::move(facts);
  m.stop = stop;
  return std::make_unique<SocketGroup>(std::move(m));
}

}  // namespace jogak
