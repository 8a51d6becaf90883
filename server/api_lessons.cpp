// Lessons with the reader's own numbers, and exercises marked in place.
#include "app/page/lessons.h"
#include "app/show/explain.h"
#include "server/read.h"

namespace jogak::server {
namespace {

ExplainCommand command_of(Service& service, const Request& request, const Json& body) {
  ExplainCommand c;
  c.topic = request.names.at("topic");
  if (!is_lesson(c.topic))
    throw Refused(404, "lesson_not_found", text_of("no lesson is called \"", c.topic, "\""));
  if (const std::string level = text_of_key(body, "level"); !level.empty()) c.level = level;
  c.lang = lang_of(body, service);
  if (const Json* inputs = body.find("inputs"); inputs && inputs->is_object())
    for (const auto& [name, value] : inputs->members()) {
      ensure<UsageError>(value.is_string(), name, ": wanted text such as \"1,2;3,4\"");
      // A command may name a file with @; a page may not.
      ensure<UsageError>(!value.text().starts_with('@'), name, ": wanted numbers");
      if (!value.text().empty()) c.inputs[name] = value.text();
    }
  c.text = text_of_key(body, "text");
  c.causal = flag_of_key(body, "causal");
  c.transpose = flag_of_key(body, "transpose");
  c.layer = integer_of_key(body, "layer", 0);
  c.head = integer_of_key(body, "head", 0);
  if (const std::string id = text_of_key(body, "model"); !id.empty())
    c.model = service.shelf.find(id).directory;
  return c;
}

Reply do_lesson(Service& service, const Request& request) {
  const Json body = body_of(request, {"level", "lang", "inputs", "text", "causal", "transpose",
                                      "model", "layer", "head", "form"});
  ExplainCommand command = command_of(service, request, body);
  command.form = text_of_key(body, "form") == "svg" ? "svg" : "json";
  return {.type = command.form == "svg" ? "image/svg+xml" : "application/json",
          .body = run_explain(command)};
}

Reply exercises(Service& service, const Request& request) {
  const int64_t chapter = query_number(request, "chapter", 1);
  const int64_t seed = query_number(request, "seed", 1);
  ensure<UsageError>(chapter >= 1 && chapter <= 100 && seed >= 0, "wanted a chapter and a seed");
  return json_reply(exercise_list(static_cast<int>(chapter), static_cast<uint64_t>(seed),
                                  query_lang(request, service)));
}

Reply mark(Service& service, const Request& request) {
  const Json body = body_of(request, {"id", "seed", "answer", "lang"});
  const int64_t seed = integer_of_key(body, "seed", 1);
  ensure<UsageError>(seed >= 0, "seed: wanted a whole number from 0");
  return json_reply(marked_answer(text_of_key(body, "id"), static_cast<uint64_t>(seed),
                                  text_of_key(body, "answer"), lang_of(body, service)));
}

}  // namespace

void add_lesson_routes(Routes& routes, Service& service) {
  routes.add({.path = "/api/lessons", .handle = [&](const Request& r, Work&) {
                return json_reply(lesson_list(query_lang(r, service)));
              }});
  routes.add({.method = "POST",
              .path = "/api/lessons/{topic}",
              .handle = [&](const Request& r, Work&) { return do_lesson(service, r); }});
  routes.add({.path = "/api/exercises",
              .handle = [&](const Request& r, Work&) { return exercises(service, r); }});
  routes.add({.method = "POST",
              .path = "/api/exercises/mark",
              .handle = [&](const Request& r, Work&) { return mark(service, r); }});
}

}  // namespace jogak::server
