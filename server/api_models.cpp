// Which models there are, what each is for, and inputs that were dropped on the page.
#include "base/hash/base64.h"
#include "base/hash/hash.h"
#include "base/version.h"
#include "server/read.h"

namespace jogak::server {
namespace {

using Input = ModelOutline::Input;
using Wiring = ModelOutline::Wiring;

constexpr size_t kMostInput = 12 << 20;  // of a request that brings a file

const char* wiring_name(Wiring wiring) {
  if (wiring == Wiring::encoder_decoder) return "encoder-decoder";
  return wiring == Wiring::decoder ? "decoder" : "encoder";
}

const char* input_name(Input input) {
  if (input == Input::image) return "image";
  return input == Input::series ? "series" : "text";
}

Json card(const ShelfModel& m) {
  const ModelOutline& o = m.outline;
  Json out = Json::object();
  out.set("id", m.id).set("directory", m.directory).set("given", m.given);
  if (!m.trouble.empty()) return std::move(out.set("trouble", m.trouble));
  out.set("model_type", o.name).set("task", m.task).set("reads", input_name(o.input));
  out.set("wiring", wiring_name(o.wiring)).set("width", o.width).set("context", o.context);
  out.set("layers", o.main().layers).set("heads", o.main().heads);
  if (o.wiring == Wiring::encoder_decoder) out.set("encoder_layers", o.encoder.layers);
  return std::move(out.set("positions", o.positions).set("norm", o.norm));
}

Json example_json(const ModelExample& example) {
  Json out = Json::object();
  if (!example.text.empty()) out.set("text", example.text);
  if (!example.target.empty()) out.set("target", example.target);
  if (!example.image.empty()) out.set("image", encode_base64(example.image));
  if (!example.labels.empty()) out.set("labels", Json::list(example.labels));
  if (!example.csv.empty()) out.set("csv", example.csv);
  return out;
}

Reply state(Service& service) {
  Json out = Json::object();
  out.set("schema", 1).set("version", kVersion).set("lang", lang_code(service.lang));
  out.set("ready", service.ready.load()).set("runs", service.runs.directory());
  return json_reply(out);
}

Reply models(Service& service) {
  Json list = Json::array();
  for (const ShelfModel& model : service.shelf.list()) list.push(card(model));
  return json_reply(Json::object({{"schema", Json(1)}, {"models", std::move(list)}}));
}

Reply one_model(Service& service, const Request& request) {
  const ShelfModel model = service.model(request);
  Json out = card(model);
  if (model.trouble.empty())
    out.set("example", example_json(model_example(model.directory, model.outline)));
  return json_reply(out);
}

// {"image": base64} or {"csv": text} -> {"id"}: the name by which other requests mean it.
Reply keep_input(Service& service, const Request& request) {
  const Json body = body_of(request, {"image", "csv"});
  const std::string image = text_of_key(body, "image"), csv = text_of_key(body, "csv");
  ensure<UsageError>(image.empty() != csv.empty(), "wanted an image or a csv");
  auto bytes = std::make_shared<const std::string>(
      csv.empty() ? decode_base64(image, "the request: image") : csv);
  const std::string id = sha256_hex(*bytes).substr(0, 24);
  service.inputs.add(id, bytes, bytes->size());
  return json_reply(Json::object({{"id", Json(id)}}));
}

Reply kept_input(Service& service, const Request& request) {
  const auto found = service.inputs.find(request.names.at("input"));
  if (!found) throw Refused(404, "input_not_found", "that file is not kept any more");
  const bool png = found->starts_with("\x89PNG"), jpeg = found->starts_with("\xFF\xD8");
  return {.type = png    ? "image/png"
                  : jpeg ? "image/jpeg"
                         : "text/plain; charset=utf-8",
          .body = *found};
}

}  // namespace

ShelfModel Service::model(const Request& request) {
  try {
    return shelf.find(request.names.at("model"));
  } catch (const MissingError& error) {
    throw Refused(404, "model_not_found", error.what());
  }
}

std::shared_ptr<const OpenModel> Service::open(const Request& request) {
  return open(model(request));
}

std::shared_ptr<const OpenModel> Service::open(const ShelfModel& found) {
  try {
    return shelf.open(found);
  } catch (const FileError& error) {
    throw Refused(503, "model_unavailable", error.what());
  }
}

std::shared_ptr<OpenDesk> Service::desk(const ShelfModel& found) {
  return desks.at(found.id, open(found));
}

std::string model_lane(const Request& request) { return request.names.at("model"); }

void add_model_routes(Routes& routes, Service& service) {
  routes.add({.path = "/health",
              .handle =
                  [&](const Request&, Work&) {
                    if (!service.ready.load())
                      return error_reply(503, "loading", "the models are being opened");
                    return json_reply(Json::object({{"status", Json("ok")}}));
                  },
              .open = true,
              .quick = true});
  routes.add(
      {.path = "/api/state", .handle = [&](const Request&, Work&) { return state(service); }});
  routes.add(
      {.path = "/api/models", .handle = [&](const Request&, Work&) { return models(service); }});
  routes.add({.path = "/api/models/{model}",
              .handle = [&](const Request& r, Work&) { return one_model(service, r); }});
  routes.add({.method = "POST",
              .path = "/api/inputs",
              .handle = [&](const Request& r, Work&) { return keep_input(service, r); },
              .most_body = kMostInput});
  routes.add({.path = "/api/inputs/{input}",
              .handle = [&](const Request& r, Work&) { return kept_input(service, r); }});
}

}  // namespace jogak::server
