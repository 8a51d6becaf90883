#include "server/openai_ask.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/use/chat.h"

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

Ask::Ask(const Request& request) : body_(request.json()) {
  if (!body_.is_object())
    throw BadField("the request", text_of("found ", body_.kind_name(), ", wanted an object"));
}

const Json* Ask::find(const char* field) {
  known_.emplace_back(field);
  const Json* found = body_.find(field);
  return found && !found->is_null() ? found : nullptr;
}

bool Ask::flag(const char* field, bool otherwise) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_bool())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted true or false"),
                   "invalid_type");
  return found->boolean();
}

int64_t Ask::integer(const char* field, int64_t otherwise, int64_t low, int64_t high) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_integer())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a whole number"),
                   "invalid_type");
  if (found->integer() < low || found->integer() > high)
    throw BadField(field, text_of("found ", found->integer(), ", wanted ", low, " to ", high));
  return found->integer();
}

double Ask::number(const char* field, double otherwise, double low, double high) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_number())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a number"),
                   "invalid_type");
  const double value = found->number();
  if (!(value >= low && value <= high))
    throw BadField(field, text_of("found ", value, ", wanted ", low, " to ", high));
  return value;
}

std::string Ask::text(const char* field, const std::string& otherwise) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_string())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a string"),
                   "invalid_type");
  return found->text();
}

void Ask::ignore(std::initializer_list<const char*> fields) {
  for (const char* field : fields) known_.emplace_back(field);
}

Json Ask::warnings() const {
  Json out = Json::array();
  for (const auto& [key, value] : body_.members())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      out.push("the field " + json_quote_start(key, 60) + " is not known and has no effect");
  return out;
}

Json openai_error_json(const std::string& message, const std::string& code,
                       const std::string& field) {
  Json error = Json::object();
  error.set("message", message).set("type", "invalid_request_error");
  error.set("param", field.empty() ? Json() : Json(field)).set("code", code);
  return Json::object({{"error", std::move(error)}});
}

Reply openai_error() {
  const auto reply = [](int status, const Json& json) {
    Reply out = json_reply(json);
    out.status = status;
    return out;
  };
  try {
    throw;
  } catch (const BadField& error) {
    return reply(400, openai_error_json(error.what(), error.code, error.field));
  } catch (const Refused& error) {
    return reply(error.status, openai_error_json(error.what(), error.code));
  } catch (const jinja::Raised& error) {
    return reply(400,
                 openai_error_json(std::string("the chat template refuses this: ") + error.what(),
                                   "template_refused", "messages"));
  } catch (const UsageError& error) {
    const std::string message = error.what();
    const std::string field = message.substr(0, message.find_first_of(":[ "));
    return reply(400,
                 openai_error_json(message, "invalid_value", field == "messages" ? field : ""));
  } catch (const FormatError& error) {
    return reply(400, openai_error_json(error.what(), "invalid_input"));
  } catch (...) {
    return reply_to_exception();
  }
}

Handler guarded(Handler handler) {
  return [handler = std::move(handler)](const Request& request, Work& work) {
    try {
      return handler(request, work);
    } catch (const Stopped&) {
      throw;
    } catch (...) {
      return openai_error();
    }
  };
}

ShelfModel model_of(Service& service, Ask& ask) {
  const std::string name = ask.text("model", "");
  for (const ShelfModel& model : service.shelf.list())
    if (model.trouble.empty() && (name.empty() ? model.given : model.id == name)) return model;
  throw Refused(404, "model_not_found",
                "no model " + json_quote_start(name, 80) + "; /v1/models lists them");
}

std::shared_ptr<const OpenModel> open_of(Service& service, Ask& ask, std::string& name) {
  const ShelfModel model = model_of(service, ask);
  name = model.id;
  try {
    return service.shelf.open(model);
  } catch (const FileError& error) {
    throw Refused(503, "model_unavailable", error.what());
  }
}

std::string body_lane(const Request& request) {
  try {
    const Json body = request.json();
    const Json* model = body.find("model");
    return model && model->is_string() ? model->text() : "";
  } catch (const Error&) {
    return "";  // it is refused when it is read again, by its byte
  }
}

CompletionRequest sampling_of(Ask& ask, const Generator& generator, const Work& work) {
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
  ask.ignore({"user", "metadata", "store", "service_tier"});
  return out;
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

int64_t completion_tokens(const std::vector<Completion>& all) {
  int64_t out = 0;
  for (const Completion& one : all) out += std::ssize(one.made.ids);
  return out;
}

void check_room(const Generator& generator, const std::vector<std::vector<int>>& prompts,
                int64_t max_new, const char* field) {
  const int64_t context = context_of(generator);
  for (const std::vector<int>& prompt : prompts)
    if (context > 0 && std::ssize(prompt) + max_new > context)
      throw BadField(field,
                     text_of("the model's context is ", context, " tokens, but ", prompt.size(),
                             " of the prompt and ", max_new, " of the answer are ",
                             std::ssize(prompt) + max_new),
                     "context_length_exceeded");
}

}  // namespace jogak::server
