// Looking inside: `inspect` and `ablate` as the commands do it, and attention kept to be looked at.
#include "app/page/pass_views.h"
#include "app/show/ablate.h"
#include "app/show/inspect.h"
#include "base/hash/hash.h"
#include "base/suggest.h"
#include "server/read.h"

namespace jogak::server {
namespace {

// JSON as the commands print it, or their picture.
Reply shown_as(const Json& body, const Inspection& shown) {
  const std::string form = text_of_key(body, "form");
  ensure<UsageError>(form.empty() || form == "json" || form == "svg", "form: wanted json or svg");
  if (form == "svg") return {.type = "image/svg+xml", .body = to_svg(shown)};
  return json_reply(to_json(shown));
}

Reply do_inspect(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"what", "input", "layer", "head", "kind", "row", "transpose",
                                      "name", "off", "lang", "form"});
  const ShelfModel model = service.model(request);
  InspectCommand command{.what = text_of_key(body, "what"), .directory = model.directory};
  const auto& known = inspect_topics();
  ensure<UsageError>(std::find(known.begin(), known.end(), command.what) != known.end(),
                     "what: found \"", command.what, "\"", did_you_mean(command.what, known));
  command.input = input_of(body, "input", service, model);
  const Json* const layer = body.find("layer");
  const bool all = layer && layer->is_string() && layer->text() == "all";
  command.attention.layer = all ? AttentionChoice::kAll : integer_of_key(body, "layer", -1);
  command.weights.layer = all ? -1 : command.attention.layer;
  command.attention.head = integer_of_key(body, "head", -1);
  command.attention.row = integer_of_key(body, "row", 0);
  command.attention.kind = text_of_key(body, "kind");
  command.attention.transpose = flag_of_key(body, "transpose");
  command.weights.name = text_of_key(body, "name");
  command.off = text_of_key(body, "off");
  command.lang = lang_of(body, service);
  command.stop = command.input.stop = &work.stop();
  ensure<UsageError>(command.attention.layer >= AttentionChoice::kAll &&
                         command.attention.head >= -1 && command.attention.row >= 0,
                     "layers, heads and rows count from 0");
  return shown_as(body, inspect(service.open(request)->subject(), command));
}

Reply do_ablate(Service& service, const Request& request, const Work& work) {
  const Json body =
      body_of(request, {"input", "off", "each", "patch", "from", "at", "top", "lang", "form"});
  const ShelfModel model = service.model(request);
  AblateCommand command{.directory = model.directory,
                        .input = input_of(body, "input", service, model),
                        .off = text_of_key(body, "off"),
                        .each = text_of_key(body, "each"),
                        .patch = text_of_key(body, "patch"),
                        .from = input_of(body, "from", service, model)};
  command.at = integer_of_key(body, "at", -1);
  command.top = integer_of_key(body, "top", 5);
  ensure<UsageError>(command.top >= 1 && command.top <= 100, "top: wanted 1 to 100");
  command.lang = lang_of(body, service);
  command.stop = command.input.stop = command.from.stop = &work.stop();
  return shown_as(body, ablate(service.open(request)->subject(), command));
}

PassQuestion question_of(Service& service, const Request& request, const Json& body,
                         const Work& work) {
  PassQuestion out{.input = input_of(body, "input", service, service.model(request)),
                   .token = integer_of_key(body, "token", 0),
                   .row = integer_of_key(body, "row", 0),
                   .off = text_of_key(body, "off"),
                   .stop = &work.stop()};
  out.input.stop = out.stop;
  return out;
}

Reply do_steps(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"input", "token", "off"});
  const PassQuestion question = question_of(service, request, body, work);
  return json_reply(pass_steps(service.open(request)->subject(), question));
}

Reply do_products(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"input"});
  const PassQuestion question = question_of(service, request, body, work);
  return json_reply(position_products(service.open(request)->subject(), question));
}

Reply do_norms(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"input", "place"});
  const PassQuestion question = question_of(service, request, body, work);
  return json_reply(
      norms_compared(service.open(request)->subject(), question, integer_of_key(body, "place", 0)));
}

Reply do_stream(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"input", "off"});
  const PassQuestion question = question_of(service, request, body, work);
  return json_reply(stream_sizes(service.open(request)->subject(), question));
}

// Positions that need no model.
Reply formulas(Service& service, const Request& request) {
  const PositionFormula formula{
      .kind = query_text(request, "kind"),
      .length = query_number(request, "length", 64),
      .width = query_number(request, "width", 64),
      .heads = query_number(request, "heads", 8),
      .theta = static_cast<double>(query_number(request, "theta", 10000))};
  const Inspection shown = formula_positions(formula, query_lang(request, service));
  if (query_text(request, "form") == "svg") return {.type = "image/svg+xml", .body = to_svg(shown)};
  return json_reply(to_json(shown));
}

// One pass whose attention is kept: its id is the hash of what was asked, so that the same question
// finds it again.
Reply keep_attention(Service& service, const Request& request, const Work& work) {
  const Json body = body_of(request, {"input", "off", "row"});
  const ShelfModel model = service.model(request);
  const auto open = service.open(request);
  const std::string id =
      sha256_hex(text_of(model.directory, "\n", open.get(), "\n", body.dump())).substr(0, 24);
  auto pass = service.passes.find(id);
  if (!pass) {
    pass = std::make_shared<const AttentionPass>(open->subject(),
                                                 question_of(service, request, body, work));
    service.passes.add(id, pass, pass->bytes());
  }
  Json out = pass->json();
  return json_reply(out.set("id", id));
}

std::shared_ptr<const AttentionPass> pass_of(Service& service, const Request& request) {
  auto pass = service.passes.find(request.names.at("pass"));
  if (!pass) throw Refused(404, "pass_not_found", "that pass is not kept any more; ask again");
  return pass;
}

AttentionPass::Head head_of(const Request& request) {
  return {query_text(request, "kind"), query_number(request, "layer", 0),
          query_number(request, "head", 0)};
}

Reply tile_reply(const Tile& tile) {
  Reply out{.type = "application/octet-stream"};
  out.body.assign(tile.bytes.begin(), tile.bytes.end());
  out.headers = {{"X-Width", std::to_string(tile.width)},
                 {"X-Height", std::to_string(tile.height)},
                 {"Cache-Control", "private, max-age=3600"}};
  return out;
}

Reply attention_tile(Service& service, const Request& request) {
  return tile_reply(pass_of(service, request)
                        ->tile(head_of(request), {.x = query_number(request, "x", 0),
                                                  .y = query_number(request, "y", 0),
                                                  .zoom = query_number(request, "zoom", 0)}));
}

Reply attention_links(Service& service, const Request& request) {
  const int64_t count = query_number(request, "count", 100);
  ensure<UsageError>(count >= 0 && count <= 5000, "count: wanted 0 to 5000");
  return json_reply(pass_of(service, request)
                        ->links(head_of(request), count, query_number(request, "query", -1)));
}

Reply attention_cell(Service& service, const Request& request) {
  return json_reply(pass_of(service, request)
                        ->cell(head_of(request), query_number(request, "query", 0),
                               query_number(request, "key", 0)));
}

Reply attention_line(Service& service, const Request& request) {
  return json_reply(pass_of(service, request)
                        ->line(head_of(request), query_number(request, "query", -1),
                               query_number(request, "key", -1)));
}

}  // namespace

void add_look_routes(Routes& routes, Service& service) {
  const auto of_model = [&](const char* path, auto* handle) {
    routes.add(
        {.method = "POST",
         .path = std::string("/api/models/{model}/") + path,
         .handle = [&service, handle](const Request& r, Work& w) { return handle(service, r, w); },
         .lane = model_lane});
  };
  of_model("inspect", do_inspect);
  of_model("ablate", do_ablate);
  of_model("attention", keep_attention);
  of_model("steps", do_steps);
  of_model("positions", do_products);
  of_model("norms", do_norms);
  of_model("stream", do_stream);
  routes.add({.path = "/api/positions",
              .handle = [&service](const Request& r, Work&) { return formulas(service, r); }});
  const auto of_pass = [&](const char* path, auto* handle) {
    routes.add(
        {.path = std::string("/api/attention/{pass}/") + path,
         .handle = [&service, handle](const Request& r, Work&) { return handle(service, r); }});
  };
  routes.add(
      {.path = "/api/attention/{pass}/thumbnails", .handle = [&service](const Request& r, Work&) {
         return tile_reply(pass_of(service, r)->thumbnails(query_text(r, "kind")));
       }});
  of_pass("tile", attention_tile);
  of_pass("links", attention_links);
  of_pass("cell", attention_cell);
  of_pass("line", attention_line);
}

}  // namespace jogak::server
