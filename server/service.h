// What the routes of the API share: models, runs, and what is kept between requests.
#pragma once

#include <atomic>
#include <string>

#include "app/page/attention_pass.h"
#include "app/page/kept.h"
#include "app/page/runs.h"
#include "app/page/shelf.h"
#include "server/desks.h"
#include "server/routes.h"

namespace jogak::server {

struct Counters {  // for /metrics
  std::atomic<int64_t> requests{0}, refused{0}, prompt_tokens{0}, new_tokens{0};
};

struct Service {
  Service(const std::vector<std::string>& directories, const std::string& run_folder, Lang lang_)
      : shelf(directories, run_folder), runs(run_folder), lang(lang_) {
    shelf.when_closed([this](const OpenModel* closed) { desks.drop(closed); });
  }

  Shelf shelf;
  RunFolder runs;
  Lang lang;
  Kept<std::string> inputs{size_t{64} << 20, 256};  // images and series, by their hash
  Kept<AttentionPass> passes{size_t{1} << 30, 32};  // by the hash of what was asked
  std::atomic<bool> ready{false};                   // the models that were given are open
  Counters counters;
  Desks desks;

  // The model a path names; Refused with 404 when there is none.
  ShelfModel model(const Request& request);
  std::shared_ptr<const OpenModel> open(const Request& request);
  std::shared_ptr<const OpenModel> open(const ShelfModel& model);  // 503 where it cannot be read
  std::shared_ptr<OpenDesk> desk(const ShelfModel& model);
};

// The lane of the model that the path names.
std::string model_lane(const Request& request);

void add_model_routes(Routes& routes, Service& service);   // /api/state, /api/models, /api/inputs
void add_look_routes(Routes& routes, Service& service);    // inspect, ablate, attention
void add_use_routes(Routes& routes, Service& service);     // generate, translate, ..
void add_run_routes(Routes& routes, Service& service);     // /api/runs
void add_lesson_routes(Routes& routes, Service& service);  // /api/lessons, /api/exercises
void add_openai_routes(Routes& routes, Service& service);  // /v1, /tokenize, /metrics
void add_page_routes(Routes& routes);                      // the page itself

}  // namespace jogak::server
