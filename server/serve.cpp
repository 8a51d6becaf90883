#include "server/serve.h"

#include <malloc.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "base/parallel.h"
#include "server/http.h"
#include "server/service.h"

namespace jogak::server {
namespace {

constexpr int kThreads = 2;  // models at work at once, and as many small things beside them

std::string read_key(const std::string& file) {
  if (file.empty()) return {};
  std::string key = read_file(file);
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  const bool plain =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
  ensure<FormatError>(key.size() >= 16 && key.size() <= 1024 && plain, file,
                      ": wanted a key of 16 to 1024 letters and digits, without blanks");
  return key;
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

std::vector<std::string> own_names(const std::string& host) {
  std::vector<std::string> out = {host};
  char name[256] = {};
  if (!is_loopback(host) && ::gethostname(name, sizeof name - 1) == 0) out.emplace_back(name);
  return out;
}

// Opens what was given, so that the first to ask does not wait for it.
void open_models(Service& service, const std::atomic<bool>* stop) {
  for (const ShelfModel& model : service.shelf.list()) {
    if (stop && stop->load()) return;
    if (!model.given || !model.trouble.empty()) continue;
    try {
      service.shelf.open(model);
    } catch (const std::exception& error) {
      log_warning(error.what());
    }
  }
  service.ready = true;
}

}  // namespace

void serve(const ServeCommand& c) {
  share_one_heap();
  const std::string key = read_key(c.key_file);
  ensure<UsageError>(is_loopback(c.host) || !key.empty(), "--host ", c.host,
                     ": others can reach it, so a key is needed: --api-key-file FILE");
  Service service(c.directories, c.runs, c.lang);
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
  options.listening = c.listening;
  options.stop = c.stop;
  const int threads = c.threads > 0 ? c.threads : thread_count();
  options.begin_thread = [threads] { set_thread_count(threads); };
  std::thread opening([&] {
    set_thread_count(threads);
    open_models(service, c.stop);
  });
  try {
    serve_http(options, routes, Access(own_names(c.host), key));
  } catch (...) {
    opening.join();
    throw;
  }
  opening.join();
}

}  // namespace jogak::server
