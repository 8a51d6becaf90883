// Runs of training: all at a glance, the curves of one as it goes on, and its film.
#include "base/hash/hash.h"
#include "server/read.h"

namespace jogak::server {
namespace {

Reply film(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"step", "what", "input", "kind", "layer", "head", "lang"});
  const std::string run = service.runs.path(request.names.at("model"));
  ShelfModel model{.id = "", .directory = run};
  model.outline = service.model(request).outline;
  FilmQuestion question{.run = run, .step = integer_of_key(body, "step", 0)};
  question.positions = text_of_key(body, "what") == "positions";
  question.input = input_of(body, "input", service, model);
  question.kind = text_of_key(body, "kind");
  question.layer = integer_of_key(body, "layer", 0);
  question.head = integer_of_key(body, "head", 0);
  question.stop = question.input.stop = &work.stop();
  question.lang = lang_of(body, service);
  ensure<UsageError>(question.layer >= 0 && question.head >= 0, "layers and heads count from 0");
  return json_reply(film_frame(question));
}

}  // namespace

void add_run_routes(Routes& routes, Service& service) {
  routes.add({.path = "/api/runs",
              .handle = [&](const Request&, Work&) { return json_reply(service.runs.list()); }});
  routes.add({.path = "/api/runs/{run}", .handle = [&](const Request& r, Work&) {
                return json_reply(
                    service.runs.curves(r.names.at("run"), query_number(r, "offset", 0)));
              }});
  // Frames wait for each other in the lane of the run's own model.
  routes.add({.method = "POST",
              .path = "/api/runs/{model}/film",
              .handle = [&](const Request& r, Work& w) { return film(service, r, w); },
              .lane = model_lane});
}

}  // namespace jogak::server
