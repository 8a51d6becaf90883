#include "group/mpi_group.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <exception>
#include <filesystem>

#include "base/file.h"
#include "group/mpi_plugin.h"
#include "group/socket_group.h"
#include "group/watch.h"

namespace jogak {
namespace {

constexpr char kPlugin[] = "libjogak_mpi.so";

struct Opened {
  const JogakMpi* table = nullptr;
  std::string why;  // it is not
};

// Beside the program, where it is installed, or wherever libraries are.
const Opened& plugin() {
  static const Opened opened = [] {
    Opened out;
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const auto& path : {program / kPlugin, program.parent_path() / "lib/jogak" / kPlugin,
                             std::filesystem::path(kPlugin)}) {
      void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (!library) {
        out.why = ::dlerror();
        continue;
      }
      const auto function = reinterpret_cast<JogakMpiFunction>(::dlsym(library, "jogak_mpi"));
      if (function && function()->version == JOGAK_MPI_VERSION) {
        out.table = function();
        return out;
      }
      out.why = path.string() + ": of another version";
    }
    return out;
  }();
  return opened;
}

class MpiLibrary {  // begun, and ended in order unless something went wrong
 public:
  explicit MpiLibrary(int64_t started) {
    ensure<MissingError>(
        plugin().table != nullptr,
        "mpirun started this process, but its plugin cannot be opened: ", plugin().why);
    int index = 0, count = 1;
    ensure<Error>(plugin().table->start(&index, &count) == 0, "MPI could not be started");
    ensure<UsageError>(count == started, "mpirun started ", started,
                       " processes, but the plugin's MPI knows of ", count,
                       ": build jogak with the MPI that mpirun belongs to");
    self = {index, count};
  }
  ~MpiLibrary() {  // with a process gone MPI's end would wait for it for ever
    if (std::uncaught_exceptions() == 0) plugin().table->finish();
  }
  MpiLibrary(const MpiLibrary&) = delete;
  MpiLibrary& operator=(const MpiLibrary&) = delete;
  Processes self;
};

// Where the first is and what it calls itself reaches the others through MPI.
Meeting mpi_meeting(Processes self, Facts facts, const std::atomic<bool>* stop) {
  struct Card {
    char host[256], key[64];
    int port;
  } card{};
  Meeting m{.self = self, .key = {}, .facts = std::move(facts), .listener = {}, .hosts = {}};
  m.with_data = false;
  m.stop = stop;
  if (self.is_first()) {
    m.listener = listen_on("0.0.0.0", 0);
    machine_name().copy(card.host, sizeof card.host - 1);
    random_key().copy(card.key, sizeof card.key - 1);
    card.port = m.listener.port();
  }
  ensure<Error>(plugin().table->from_first(&card, sizeof card) == 0, "MPI: sharing failed");
  m.key = card.key;
  m.hosts = {card.host == machine_name() ? "127.0.0.1" : card.host};
  m.port = static_cast<uint16_t>(card.port);
  return m;
}

class MpiGroup final : public ProcessGroup {
 public:
  MpiGroup(int64_t started, Facts facts, const std::atomic<bool>* stop)
      : mpi_(started),
        members_(meet(mpi_meeting(mpi_.self, std::move(facts), stop))),
        watch_(mpi_.self, members_) {}

  Processes processes() const override { return mpi_.self; }
  int64_t on_this_machine() const override { return on_machine_of(members_, mpi_.self.index); }
  void check() override { watch_.check(); }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    const JogakMpi& mpi = *plugin().table;
    int failed = 0;
    for (const Incoming& one : in)
      failed |= mpi.receive(static_cast<int>(one.from), one.bytes.data(),
                            static_cast<long>(one.bytes.size()));
    for (const Outgoing& one : out)
      failed |=
          mpi.send(static_cast<int>(one.to), one.bytes.data(), static_cast<long>(one.bytes.size()));
    int done = 0;
    for (int64_t polls = 0; failed == 0 && done == 0; ++polls) {
      failed |= mpi.poll(&done);
      if (done != 0) break;
      watch_.check();
      if (polls < 100)
        ::sched_yield();
      else
        ::usleep(100);  // others may need this processor
    }
    if (failed == 0) return;
    watch_.check();
    fail<Error>("MPI: an exchange failed");
  }

 private:
  MpiLibrary mpi_;
  std::vector<Member> members_;
  Watch watch_;
};

}  // namespace

bool has_mpi() { return plugin().table != nullptr; }

std::unique_ptr<ProcessGroup> join_mpi(int64_t count, Facts facts, const std::atomic<bool>* stop) {
  return std::make_unique<MpiGroup>(count, std::move(facts), stop);
}

}  // namespace jogak
