// The smaller parts of the OpenAI interface: models, vectors, tokens, figures for Prometheus.
#include <bit>

#include "app/data/text_line.h"
#include "app/use/chat.h"
#include "base/hash/base64.h"
#include "base/shortest.h"
#include "server/openai.h"

namespace jogak::server {
namespace {

std::vector<std::string> inputs_of(Ask& ask) {
  const Json* input = ask.find("input");
  if (!input) throw BadField("input", "missing, wanted a string or a list of strings");
  const std::vector<Json> list = input->is_array() ? input->items() : std::vector<Json>{*input};
  if (list.empty() || list.size() > 2048)
    throw BadField("input", text_of("found ", list.size(), " texts, wanted 1 to 2048"));
  std::vector<std::string> out;
  for (const Json& one : list) {
    if (!one.is_string())
      throw BadField("input", text_of("found ", one.kind_name(), ", wanted strings"),
                     "invalid_type");
    if (one.text().empty()) throw BadField("input", "found an empty text");
    out.push_back(one.text());
  }
  return out;
}

Json vector_json(const std::vector<float>& vector, bool base64) {
  if (base64) {  // little-endian floats, as NumPy reads them
    std::string bytes;
    for (const float x : vector) {
      const auto bits = std::bit_cast<uint32_t>(x);
      for (int i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255);
    }
    return Json(encode_base64(bytes));
  }
  Json out = Json::array();
  for (const float x : vector) out.push(shortest_double(x));
  return out;
}

std::vector<int> token_list(Ask& ask, int64_t vocab) {
  const Json* tokens = ask.find("tokens");
  if (!tokens || !tokens->is_array()) throw BadField("tokens", "wanted a list of tokens");
  std::vector<int> out;
  for (const Json& id : tokens->items()) {
    if (!id.is_integer() || id.integer() < 0 || id.integer() >= vocab)
      throw BadField("tokens", text_of("wanted tokens from 0 to ", vocab - 1));
    out.push_back(static_cast<int>(id.integer()));
  }
  return out;
}

// A name inside the quotes of a label.
std::string label(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

Reply openai_models(Service& service) {
  Json list = Json::array();
  for (const ShelfModel& model : service.shelf.list()) {
    if (!model.trouble.empty()) continue;
    list.push(Json::object({{"id", Json(model.id)},
                            {"object", Json("model")},
                            {"created", Json(0)},
                            {"owned_by", Json("jogak")},
                            {"task", Json(model.task)}}));
  }
  return json_reply(Json::object({{"object", Json("list")}, {"data", std::move(list)}}));
}

Reply openai_embeddings(Service& service, const Request& request, Work& work) {
  Ask ask(request);
  std::string name;
  const auto open = open_of(service, ask, name);
  const std::vector<std::string> texts = inputs_of(ask);
  const std::string format = ask.text("encoding_format", "float");
  if (format != "float" && format != "base64")
    throw BadField("encoding_format", "wanted \"float\" or \"base64\"");
  if (ask.find("dimensions"))
    throw BadField("dimensions", "this model's vectors have one length", "unsupported");
  ask.ignore({"user"});
  const Encoder& encoder = open->encoder();
  const std::vector<InputVector> vectors = encoder.embed(text_lines(texts), {.stop = &work.stop()});
  Json data = Json::array();
  for (size_t i = 0; i < vectors.size(); ++i)
    data.push(Json::object({{"object", Json("embedding")},
                            {"index", Json(i)},
                            {"embedding", vector_json(vectors[i].vector, format == "base64")}}));
  const int64_t tokens = encoder.count_tokens(texts);
  service.counters.prompt_tokens += tokens;
  Json out = Json::object({{"object", Json("list")}, {"data", std::move(data)}});
  out.set("model", name);
  out.set("usage", Json::object({{"prompt_tokens", Json(tokens)}, {"total_tokens", Json(tokens)}}));
  if (const Json warnings = ask.warnings(); !warnings.items().empty())
    out.set("warnings", warnings);
  return json_reply(out);
}

Reply openai_tokenize(Service& service, const Request& request, Work&) {
  Ask ask(request);
  std::string name;
  const auto open = open_of(service, ask, name);
  const Generator& generator = open->generator();
  std::vector<int> ids;
  if (const Json* messages = ask.find("messages")) {
    ids = chat_prompt(
        open->chat_templates(), generator.tokenizer(),
        {.messages = *messages, .add_generation_prompt = ask.flag("add_generation_prompt", true)});
  } else {
    ids = encoded_ids(generator.tokenizer(), ask.text("prompt", ""),
                      ask.flag("add_special_tokens", true));
  }
  Json out = Json::object({{"count", Json(ids.size())}});
  return json_reply(out.set("max_model_len", context_of(generator)).set("tokens", Json::list(ids)));
}

Reply openai_detokenize(Service& service, const Request& request, Work&) {
  Ask ask(request);
  std::string name;
  const auto open = open_of(service, ask, name);
  const Generator& generator = open->generator();
  const std::vector<int> ids = token_list(ask, vocab_of(generator));
  return json_reply(Json::object({{"prompt", Json(text_of_ids(generator, ids))}}));
}

Reply openai_tokenizer_info(Service& service, const Request& request, Work&) {
  Request asked = request;
  const auto found = request.query.find("model");
  const std::string name = found == request.query.end() ? "" : found->second;
  asked.body = name.empty() ? "{}" : Json::object({{"model", Json(name)}}).dump();
  Ask ask(asked);
  std::string model;
  const auto open = open_of(service, ask, model);
  Json out = tokenizer_roles(open->generator());
  out.set("model", model).set("tokenizer_class", "jogak");
  out.set("model_max_length", context_of(open->generator()));
  out.set("vocab_size", vocab_of(open->generator()));
  return json_reply(out.set("chat_template", chat_source(open->chat_templates())));
}

Reply openai_metrics(Service& service) {
  const Counters& counters = service.counters;
  std::string out;
  const auto counter = [&](const char* name, const char* help, int64_t value) {
    out += std::string("# HELP jogak_") + name + " " + help + "\n# TYPE jogak_" + name +
           " counter\njogak_" + name + " " + std::to_string(value) + "\n";
  };
  counter("requests_total", "Completions that were asked for.", counters.requests.load());
  counter("prompt_tokens_total", "Tokens of prompts.", counters.prompt_tokens.load());
  counter("generation_tokens_total", "Tokens that were written.", counters.new_tokens.load());
  counter("refused_total", "Completions refused because the queue was full.",
          counters.refused.load());
  out +=
      "# HELP jogak_requests_open Completions that are written or wait.\n"
      "# TYPE jogak_requests_open gauge\n";
  const auto load = service.desks.load();
  for (const auto& [name, one] : load)
    out += text_of("jogak_requests_open{model=\"", label(name), "\"} ", one.requests, "\n");
  out += "# HELP jogak_steps_total Passes of the model.\n# TYPE jogak_steps_total counter\n";
  for (const auto& [name, one] : load)
    out += text_of("jogak_steps_total{model=\"", label(name), "\"} ", one.steps, "\n");
  out +=
      "# HELP jogak_model_seconds_total Seconds that passes of the model took.\n"
      "# TYPE jogak_model_seconds_total counter\n";
  for (const auto& [name, one] : load)
    out +=
        text_of("jogak_model_seconds_total{model=\"", label(name), "\"} ", one.model_seconds, "\n");
  out += "# HELP jogak_model_info Models that are served.\n# TYPE jogak_model_info gauge\n";
  for (const ShelfModel& model : service.shelf.list())
    if (model.trouble.empty()) out += "jogak_model_info{model=\"" + label(model.id) + "\"} 1\n";
  return {.type = "text/plain; version=0.0.4", .body = out};
}

}  // namespace jogak::server
