// The fields that both kinds of completion take.
#include <algorithm>
#include <cmath>
#include <random>

#include "server/openai_ask.h"

namespace jogak::server {
namespace {

constexpr int64_t kMostTexts = 64;
constexpr size_t kMostStops = 16, kLongestStop = 1024;

std::vector<std::string> stops_of(Ask& ask) {
  const Json* stop = ask.find("stop");
  if (!stop) return {};
  std::vector<Json> list = stop->is_array() ? stop->items() : std::vector<Json>{*stop};
  if (list.size() > kMostStops)
    throw BadField("stop", text_of("found ", list.size(), " strings, wanted at most ", kMostStops));
  std::vector<std::string> out;
  for (const Json& one : list) {
    if (!one.is_string())
      throw BadField("stop", text_of("found ", one.kind_name(), ", wanted a string or a list"),
                     "invalid_type");
    if (one.text().empty() || one.text().size() > kLongestStop)
      throw BadField("stop", text_of("found a string of ", one.text().size(),
                                     " bytes, wanted 1 to ", kLongestStop));
    out.push_back(one.text());
  }
  return out;
}

std::vector<BiasedSequence> biases_of(Ask& ask, int64_t vocab) {
  std::vector<BiasedSequence> out;
  const Json* given = ask.find("logit_bias");
  if (!given) return out;
  if (!given->is_object())
    throw BadField("logit_bias", text_of("found ", given->kind_name(), ", wanted an object"),
                   "invalid_type");
  if (given->members().size() > 1024) throw BadField("logit_bias", "more than 1024 tokens");
  for (const auto& [key, value] : given->members()) {
    const bool digits =
        !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    int64_t id = 0;
    for (const char c : digits ? key : "") id = id * 10 + (c - '0');
    if (!digits || id >= vocab)
      throw BadField("logit_bias", text_of("found the token ", json_quote_start(key, 20),
                                           ", wanted 0 to ", vocab - 1));
    if (!value.is_number() || !(std::fabs(value.number()) <= 100))
      throw BadField("logit_bias", "wanted numbers from -100 to 100");
    out.push_back({{static_cast<int>(id)}, value.number()});
  }
  return out;
}

uint64_t seed_of(Ask& ask) {
  if (!ask.find("seed")) return std::random_device{}();
  return static_cast<uint64_t>(ask.integer("seed", 0, INT64_MIN, INT64_MAX));
}

}  // namespace

CompletionRequest sampling_of(Ask& ask, const Generator& generator, const Request& request,
                              const Work& work) {
  CompletionRequest out;
  out.count = static_cast<int>(ask.integer("n", 1, 1, kMostTexts));
  out.options.stop_flag = &work.stop();
  out.options.seed = seed_of(ask);
  GenerationSettings& s = out.options.settings;
  const double temperature = ask.number("temperature", 1, 0, 100);
  s.num_beams = 1, s.num_return_sequences = 1, s.do_sample = temperature > 0;
  if (temperature > 0) s.temperature = temperature;
  const double top_p = ask.number("top_p", 1, 0, 1);
  if (top_p == 0) throw BadField("top_p", "found 0, wanted above 0 to 1");
  s.top_p = top_p;
  s.top_k = std::max<int64_t>(0, ask.integer("top_k", 0, -1, 1'000'000));
  s.min_p = ask.number("min_p", 0, 0, 1);
  const double repeats = ask.number("repetition_penalty", 1, 0.01, 100);
  s.repetition_penalty = repeats;
  out.presence_penalty = ask.number("presence_penalty", 0, -2, 2);
  out.frequency_penalty = ask.number("frequency_penalty", 0, -2, 2);
  if (std::vector<std::string> stops = stops_of(ask); !stops.empty()) s.stop_strings = stops;
  if (auto biases = biases_of(ask, generator.model().vocab); !biases.empty())
    s.sequence_bias = std::move(biases);
  out.client = std::hash<std::string>{}(request.client + " " + ask.text("user", ""));
  ask.ignore({"metadata", "store", "service_tier"});
  return out;
}

std::string format_of(Ask& ask) {
  const Json* format = ask.find("response_format");
  if (!format) return {};
  const Json* type = format->is_object() ? format->find("type") : nullptr;
  if (!type || !type->is_string())
    throw BadField("response_format", "wanted an object with a \"type\"", "invalid_type");
  if (type->text() == "text") return {};
  if (type->text() == "json_object") return "{}";
  if (type->text() == "json_schema") {
    const Json* given = format->find("json_schema");
    const Json* schema = given && given->is_object() ? given->find("schema") : nullptr;
    if (!schema || !schema->is_object())
      throw BadField("response_format", "wanted json_schema.schema, an object", "invalid_type");
    return schema->dump();
  }
  throw BadField("response_format",
                 text_of("found ", json_quote_start(type->text(), 40),
                         ", wanted \"text\", \"json_object\" or \"json_schema\""),
                 "unsupported");
}

Streaming streaming_of(Ask& ask) {
  Streaming out{.on = ask.flag("stream", false)};
  const Json* options = ask.find("stream_options");
  if (!options) return out;
  if (!options->is_object())
    throw BadField("stream_options", text_of("found ", options->kind_name(), ", wanted an object"),
                   "invalid_type");
  if (!out.on) throw BadField("stream_options", "only with \"stream\": true");
  const Json* usage = options->find("include_usage");
  if (usage && !usage->is_null() && !usage->is_bool())
    throw BadField("stream_options.include_usage", "wanted true or false", "invalid_type");
  out.usage = usage && usage->is_bool() && usage->boolean();
  return out;
}

Json usage_json(int64_t prompt, int64_t completion) {
  return Json::object({{"prompt_tokens", Json(prompt)},
                       {"completion_tokens", Json(completion)},
                       {"total_tokens", Json(prompt + completion)}});
}

void check_room(const Generator& generator, const std::vector<std::vector<int>>& prompts,
                int64_t max_new, const char* prompt_field, const char* new_field) {
  const int64_t context = context_of(generator);
  for (const std::vector<int>& prompt : prompts)
    if (context > 0 && std::ssize(prompt) + max_new > context)
      throw BadField(std::ssize(prompt) < context ? new_field : prompt_field,
                     text_of("the model's context is ", context, " tokens, but ", prompt.size(),
                             " of the prompt and ", max_new, " of the answer are ",
                             std::ssize(prompt) + max_new),
                     "context_length_exceeded");
}

}  // namespace jogak::server
