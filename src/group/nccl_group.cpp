#include "group/nccl_group.h"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include "group/meet.h"

namespace jogak {
namespace {

using Clock = std::chrono::steady_clock;
// A broken connection is known here before the watch knows who is gone.
constexpr auto kUntilNamed = std::chrono::seconds(8);
constexpr auto kUntilFlushed = std::chrono::seconds(10);

void pause(int64_t& looks) {  // between two looks: short at first, since most waits are
  if (++looks < 1000)
    ::sched_yield();
  else
    ::usleep(50);
}

// Of the lowest process that has something to say.
std::string said_first(ProcessGroup& group, const std::string& own) {
  std::string out;
  for (int64_t i = 0; i < group.processes().count; ++i) {
    const std::string said = group.text_from(i, own);
    if (out.empty()) out = said;
  }
  return out;
}

// Why the GPUs of these processes cannot be told apart; empty: each has its own.
std::string shared_gpu(ProcessGroup& group, const std::string& place) {
  std::vector<std::string> places;
  for (int64_t i = 0; i < group.processes().count; ++i)
    places.push_back(group.text_from(i, place.empty() ? "" : machine_name() + " " + place));
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) return text_of("process ", i + 1, " computes on no GPU");
    for (size_t j = 0; j < i; ++j)
      if (places[i] == places[j])
        return text_of("processes ", j + 1, " and ", i + 1, " share a GPU (", places[i], ")");
  }
  return "";
}

// What went wrong in `work`, in any process; empty: nothing.
std::string failure(ProcessGroup& group, const std::function<void()>& work) {
  std::string own;
  try {
    work();
  } catch (const DeviceError& error) {
    own = error.what();
  }
  return said_first(group, own);
}

}  // namespace

NcclGroup::NcclGroup(std::shared_ptr<ProcessGroup> host, const Nccl& nccl, const Nccl::Id& id,
                     SideStream stream)
    : host_(std::move(host)), nccl_(nccl), stream_(std::move(stream)) {
  const auto [index, count] = host_->processes();
  Nccl::Config config;
  const Nccl::Result begun =
      nccl_.init(&comm_, static_cast<int>(count), id, static_cast<int>(index), &config);
  try {
    meet(begun);
  } catch (...) {
    abort();
    throw;
  }
  connected_ = true;
}

// NCCL would wait for ever for one that failed: all tell each other how far they are.
void NcclGroup::meet(Nccl::Result begun) {
  constexpr int64_t kWaits = 1, kFailed = int64_t{1} << 32;  // sums tell how many of each
  std::string own;
  while (true) {
    int64_t state = kFailed;
    try {
      if (begun != Nccl::success && begun != Nccl::in_progress) give_up(begun);
      state = settled() ? 0 : kWaits;
    } catch (const DeviceError& error) {
      own = error.what();
    }
    const int64_t all = host_->sum(state);
    ensure<DeviceError>(all < kFailed, own);  // empty: another has the words
    if (all == 0) return;
    ::usleep(2000);
  }
}

NcclGroup::~NcclGroup() {
  connected_ = false;
  try {
    if (comm_ && std::uncaught_exceptions() == 0 && flushed()) {
      nccl_.destroy(comm_);
      return;
    }
  } catch (const Error&) {  // the work is done: what is lost now is nobody's
  }
  abort();
}

bool NcclGroup::flushed() {
  const auto until = Clock::now() + kUntilFlushed;
  const Nccl::Result begun = nccl_.finalize(comm_);
  if (begun != Nccl::success && begun != Nccl::in_progress) return false;
  for (int64_t looks = 0; !settled(); pause(looks))
    if (Clock::now() > until) return false;
  return true;
}

void NcclGroup::exchange_on_gpus(std::span<const Outgoing> out, std::span<const Incoming> in) {
  ensure<Error>(comm_ != nullptr, "NCCL: the processes are no longer connected");
  if (out.empty() && in.empty()) return;
  try {
    begin(out, in);
    wait(stream_.done);
  } catch (...) {
    abort();
    throw;
  }
}

void NcclGroup::begin(std::span<const Outgoing> out, std::span<const Incoming> in) {
  Nccl::Result bad = nccl_.begin();
  const auto note = [&](Nccl::Result result) {
    if (bad == Nccl::success && result != Nccl::in_progress) bad = result;
  };
  for (const Incoming& one : in)
    if (!one.bytes.empty())
      note(nccl_.receive(one.bytes.data(), one.bytes.size(), Nccl::int8, static_cast<int>(one.from),
                         comm_, stream_.handle));
  for (const Outgoing& one : out)
    if (!one.bytes.empty())
      note(nccl_.send(one.bytes.data(), one.bytes.size(), Nccl::int8, static_cast<int>(one.to),
                      comm_, stream_.handle));
  note(nccl_.end());
  if (bad != Nccl::success) give_up(bad);
}

bool NcclGroup::settled() {
  Nccl::Result state = Nccl::success;
  const Nccl::Result asked = nccl_.state(comm_, &state);
  if (asked != Nccl::success) give_up(asked);
  if (state != Nccl::success && state != Nccl::in_progress) give_up(state);
  return state == Nccl::success;
}

// The stream is asked only when NCCL has given it everything.
void NcclGroup::wait(const std::function<bool()>& done) {
  for (int64_t looks = 0; !(settled() && done()); pause(looks))
    if (looks % 64 == 0) host_->check();
}

void NcclGroup::abort() {
  if (comm_) nccl_.abort(comm_);
  comm_ = nullptr;
}

void NcclGroup::give_up(Nccl::Result result) {
  const char* const more = nccl_.last_words(comm_);
  const std::string why = text_of(nccl_.about, ": ", nccl_.words(result),
                                  more && *more ? text_of(" (", more, ")") : std::string());
  const auto until = Clock::now() + kUntilNamed;
  while (connected_ && Clock::now() < until) {
    host_->check();
    ::usleep(10000);
  }
  fail<DeviceError>(why);
}

std::shared_ptr<ProcessGroup> connect_gpus(std::shared_ptr<ProcessGroup> group, const OwnGpu& gpu,
                                           std::string& why) {
  why = shared_gpu(*group, gpu.place);
  if (!why.empty()) return group;
  std::optional<Nccl> nccl;
  Nccl::Id id{};
  why = failure(*group, [&] {
    nccl.emplace();
    if (!group->processes().is_first()) return;
    const Nccl::Result got = nccl->new_id(&id);
    ensure<DeviceError>(got == Nccl::success, nccl->about, ": ", nccl->words(got));
  });
  if (!why.empty()) return group;
  const std::string shared = group->text_from(0, {id.bytes, sizeof id.bytes});
  std::memcpy(id.bytes, shared.data(), sizeof id.bytes);
  std::shared_ptr<ProcessGroup> out;
  why = failure(*group, [&] { out = std::make_shared<NcclGroup>(group, *nccl, id, gpu.stream()); });
  return why.empty() ? out : group;
}

}  // namespace jogak
