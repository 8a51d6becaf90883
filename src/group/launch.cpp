#include "group/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/shortage.h"
#include "base/stop.h"
#include "group/cores.h"
#include "group/meet.h"

namespace jogak {
namespace {

constexpr char kVariable[] = "JOGAK_GROUP", kThreads[] = "OMP_NUM_THREADS";
constexpr int kLeftAlone = 75;
constexpr auto kGrace = std::chrono::seconds(30);  // to end after another failed
constexpr int kLook = 20000;                       // microseconds between two looks
constexpr int kStill = 300;  // looks at one that is stopped when the others have ended

std::vector<std::string> own_words() {  // of the command line
  std::vector<std::string> out;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);  // which says it has no bytes
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  ensure<IoError>(!out.empty(), "/proc/self/cmdline: found no command, wanted this one");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

class Children {
 public:
  Children(const LaunchRequest& request, const Socket& listener) {
    const std::string key = random_key();
    words_ = own_words();
    places_ = processors_of(own_processors(), request.processes);
    for (int64_t i = 0; i < request.processes; ++i) start(i, request, listener, key);
  }
  ~Children() {
    for (const Child& child : all_)
      if (child.running) ::kill(child.pid, SIGKILL), ::waitpid(child.pid, nullptr, 0);
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  bool running() const {
    return std::any_of(all_.begin(), all_.end(), [](const Child& c) { return c.running; });
  }
  bool failed() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Child& c) { return !c.running && c.code != 0; });
  }
  void pass_on(int signal) const {
    for (const Child& child : all_)
      if (child.running) ::kill(child.pid, signal);
  }
  void end(bool all) const {  // all, or those that are stopped
    for (const Child& child : all_)
      if (child.running && (all || child.stopped)) ::kill(child.pid, SIGKILL);
  }

  // Nobody else hears of one that is stopped when the others are done.
  void check_last() {
    const Child* last = nullptr;
    bool ended = false, moving = false;
    for (const Child& child : all_) {
      ended |= !child.running;
      moving |= child.running && !child.stopped;
      if (child.running && child.stopped && !last) last = &child;
    }
    still_ = ended && !moving && last ? still_ + 1 : 0;
    if (still_ > kStill)
      fail<ProcessLost>("process ", last - all_.data() + 1, " of ", all_.size(), " (pid ",
                        last->pid, " on ", machine_name(),
                        ") stands still after others have ended; the run stands at its last "
                        "checkpoint, --resume goes on from there");
  }

  void look() {
    for (Child& child : all_) {
      int status = 0;
      if (!child.running) continue;
      const pid_t found = ::waitpid(child.pid, &status, WNOHANG | WUNTRACED | WCONTINUED);
      if (found != child.pid) continue;
      child.stopped = WIFSTOPPED(status);
      if (WIFEXITED(status)) child.code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) child.code = kLeftAlone;
      child.running = !WIFEXITED(status) && !WIFSIGNALED(status);
    }
  }

  int code() const {
    const auto weight = [](int code) {
      return code == 0 ? 0 : code == 1 ? 1 : code == kLeftAlone ? 2 : 3;
    };
    int out = 0;
    for (const Child& child : all_)
      if (weight(child.code) > weight(out)) out = child.code;
    return out;
  }

 private:
  struct Child {
    pid_t pid = -1;
    int code = 0;
    bool running = true, stopped = false;
  };

  void start(int64_t index, const LaunchRequest& request, const Socket& listener,
             const std::string& key) {
    std::vector<std::string> environment;
    for (char** one = environ; *one; ++one) environment.emplace_back(*one);
    const int fd = listener.fd();
    environment.push_back(text_of(kVariable, "=", index, " ", request.processes, " ",
                                  listener.port(), " ", index == 0 ? fd : -1, " ", key));
    if (request.threads > 0 && !std::getenv(kThreads))
      environment.push_back(text_of(kThreads, "=", request.threads));
    const std::vector<char*> words = pointers(words_), variables = pointers(environment);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    ensure<IoError>(pid >= 0, "a process of its own: ", std::strerror(errno));
    if (pid == 0) {  // until exec nothing that takes a lock
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setpgid(0, 0);  // a signal from the keyboard comes once, through the parent
      if (::getppid() != parent) ::_exit(1);
      if (index == 0) ::fcntl(fd, F_SETFD, 0);
      if (!places_.empty()) stay_on(places_[static_cast<size_t>(index)]);
      ::execve("/proc/self/exe", words.data(), variables.data());
      ::_exit(71);
    }
    all_.push_back({.pid = pid});
  }

  std::vector<std::string> words_;
  std::vector<std::vector<int>> places_;  // of each child
  std::vector<Child> all_;
  int still_ = 0;  // looks
};

Launched read_launched() {
  const char* const text = std::getenv(kVariable);
  std::istringstream in(text ? text : "");
  Launched out;
  in >> out.self.index >> out.self.count >> out.port >> out.listener >> out.key;
  ensure<UsageError>(
      !in.fail() && out.self.count >= 1 && out.self.index >= 0 && out.self.index < out.self.count,
      kVariable, ": found ", text ? text : "nothing", ", wanted what --processes puts there");
  return out;
}

}  // namespace

int launch_processes(const LaunchRequest& request) {
  using Clock = std::chrono::steady_clock;
  const EndsItself in_order;
  const Socket listener = listen_on("127.0.0.1", 0);
  Children children(request, listener);
  bool told = false;
  auto until = Clock::time_point::max();
  while (children.running()) {
    ::usleep(kLook);
    children.look();
    children.check_last();
    if (!told && request.stop && request.stop->load()) {
      children.pass_on(request.signal());
      told = true;
    }
    if (!children.failed()) continue;
    if (until == Clock::time_point::max()) until = Clock::now() + kGrace;
    children.end(Clock::now() > until);
  }
  return children.code();
}

bool was_launched() { return std::getenv(kVariable) != nullptr; }

int64_t launched_index() { return read_launched().self.index; }

Launched take_launched() {
  Launched out = read_launched();
  ::unsetenv(kVariable);
  return out;
}

}  // namespace jogak
