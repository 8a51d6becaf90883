#include "server/openai.h"

namespace jogak::server {
namespace {

constexpr size_t kMostBody = 8 << 20;  // long conversations, many texts

using Lane = std::function<std::string(const Request&)>;
using Call = Reply (*)(Service&, const Request&, Work&);

// Our own tasks are those of the page's API, with the model in the body: "/v1/translate".
Handler task(Routes& routes, Service& service, const std::string& name) {
  return [&routes, &service, name](const Request& request, Work& work) {
    Ask ask(request);
    const ShelfModel model = model_of(service, ask);
    Json body = Json::object();
    const Json given = request.json();
    for (const auto& [key, value] : given.members())
      if (key != "model") body.set(key, value);
    Request inner{
        .method = "POST", .path = "/api/models/" + model.id + "/" + name, .body = body.dump()};
    std::string allowed;
    const Route* route = routes.find(inner, allowed);
    return route->handle(inner, work);
  };
}

}  // namespace

void add_openai_routes(Routes& routes, Service& service) {
  const auto post = [&](const char* path, Call call, bool waits) {
    routes.add({.method = "POST",
                .path = path,
                .handle = guarded([&service, call](const Request& request, Work& work) {
                  return call(service, request, work);
                }),
                .lane = waits ? body_lane : Lane{},
                .most_body = kMostBody});
  };
  post("/v1/completions", openai_completions, false);  // at desks of their own
  post("/v1/chat/completions", openai_chat, false);
  post("/v1/embeddings", openai_embeddings, true);
  post("/tokenize", openai_tokenize, false);
  post("/detokenize", openai_detokenize, false);
  routes.add({.path = "/tokenizer_info", .handle = guarded([&](const Request& r, Work& work) {
                                           return openai_tokenizer_info(service, r, work);
                                         })});
  routes.add({.path = "/v1/models",
              .handle = guarded([&](const Request&, Work&) { return openai_models(service); })});
  routes.add({.path = "/metrics",
              .handle = [&](const Request&, Work&) { return openai_metrics(service); }});
  for (const char* name : {"translate", "fill", "classify", "forecast"})
    routes.add({.method = "POST",
                .path = std::string("/v1/") + name,
                .handle = guarded(task(routes, service, name)),
                .lane = body_lane,
                .most_body = kMostBody});
}

}  // namespace jogak::server
