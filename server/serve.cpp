#include "server/serve.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "server/http.h"
#include "server/service.h"

namespace jogak::server {
namespace {

constexpr int kThreads = 2;  // models at work at once, and as many small things beside them

// A key a line.
std::vector<std::string> read_keys(const std::string& file) {
  std::vector<std::string> out;
  if (file.empty()) return out;
  const std::string all = read_file(file);
  for (size_t from = 0, end; from < all.size(); from = end + 1) {
    end = std::min(all.find('\n', from), all.size());
    std::string_view key = std::string_view(all).substr(from, end - from);
    if (key.ends_with('\r')) key.remove_suffix(1);
    if (key.empty()) continue;
    const bool plain =
        std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
    ensure<FormatError>(
        key.size() >= 16 && key.size() <= 1024 && plain, file,
        ": wanted keys of 16 to 1024 letters and digits, without blanks, a line each");
    out.emplace_back(key);
  }
  ensure<FormatError>(!out.empty() && out.size() <= 1024, file, ": found ", out.size(),
                      " keys, wanted 1 to 1024");
  return out;
}

// glibc gives every thread a heap of its own. Models are opened by one and closed by another, so
// each heap would grow to the most that any thread ever needed and keep it in pieces. Large blocks
// come from the system and go back to it: left alone, glibc raises that limit with each of them.
void share_one_heap() {
#ifdef M_ARENA_MAX
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void give_back_heap() {
#ifdef M_ARENA_MAX
  ::malloc_trim(0);
#endif
}

// A connection is a file; many systems allow a thousand of them until they are asked for more.
void allow_many_connections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

std::vector<std::string> own_names(const std::string& host) {
  std::vector<std::string> out = {host};
  char name[256] = {};
  if (!is_loopback(host) && ::gethostname(name, sizeof name - 1) == 0) out.emplace_back(name);
  return out;
}

// Opens what was given, so that the first to ask does not wait for it.
void open_models(Service& service, bool preload, const std::atomic<bool>* stop) {
  for (const ShelfModel& model : service.shelf.list()) {
    if (stop && stop->load()) return;
    if (!model.given || !model.trouble.empty()) continue;
    try {
      const auto open = service.shelf.open(model);
      if (preload && model.task == "generate") service.desk(model)->desk.make_ready();
    } catch (const std::exception& error) {
      log_warning(error.what());
    }
  }
  service.ready = true;
}

}  // namespace

void serve(const ServeCommand& c) {
  const EndsItself drains;  // what runs has its seconds, however many --drain gives
  share_one_heap();
  allow_many_connections();
  const std::vector<std::string> keys = read_keys(c.key_file);
  ensure<UsageError>(is_loopback(c.host) || !keys.empty(), "--host ", c.host,
                     ": others can reach it, so a key is needed: --api-key-file FILE");
  Service service(c.directories, c.runs, c.lang);
  service.shelf.keep_within(c.memory);
  service.shelf.write_in(c.dtype);
  if (c.threads > 0) set_thread_count(c.threads);
  service.desks.limits.queue = c.max_queue;
  Routes routes;
  add_page_routes(routes);
  add_model_routes(routes, service);
  add_look_routes(routes, service);
  add_use_routes(routes, service);
  add_run_routes(routes, service);
  add_lesson_routes(routes, service);
  add_openai_routes(routes, service);
  HttpOptions options{.host = c.host, .port = c.port, .threads = kThreads};
  options.limits.queue = c.max_queue;
  options.limits.drain = std::chrono::seconds(c.drain);
  options.listening = c.listening;
  options.stop = c.stop;
  options.at_rest = give_back_heap;
  std::thread opening([&] { open_models(service, c.preload, c.stop); });
  try {
    serve_http(options, routes, Access(own_names(c.host), keys));
  } catch (...) {
    opening.join();
    throw;
  }
  opening.join();
}

}  // namespace jogak::server
