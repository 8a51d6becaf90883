// Models at work: writing, translating, filling in, labels, vectors, forecasts, tokens.
#include "app/data/text_line.h"
#include "app/page/trying.h"
#include "server/read.h"

namespace jogak::server {
namespace {

constexpr size_t kLongestText = 100'000;
constexpr int64_t kMostTokens = 4096;

std::string text_in(const Json& body, const char* key) {
  std::string out = text_of_key(body, key);
  ensure<UsageError>(out.size() <= kLongestText, key, ": ", out.size(), " bytes, wanted at most ",
                     kLongestText);
  return out;
}

int64_t within(const Json& body, const char* key, int64_t otherwise, int64_t low, int64_t high) {
  const int64_t out = integer_of_key(body, key, otherwise);
  ensure<UsageError>(out >= low && out <= high, key, ": found ", out, ", wanted ", low, " to ",
                     high);
  return out;
}

// Every control is set, so that a model's own settings do not hide behind the page's.
GenerateOptions writing_of(const Json& body, const Work& work) {
  GenerateOptions out{.seed = static_cast<uint64_t>(within(body, "seed", 0, 0, INT64_MAX)),
                      .stop_flag = &work.stop()};
  const double temperature = number_of_key(body, "temperature", 0.8);
  ensure<UsageError>(temperature >= 0, "temperature: found ", temperature, ", wanted 0 or more");
  GenerationSettings& s = out.settings;
  s.num_beams = 1, s.num_return_sequences = 1, s.do_sample = temperature > 0;
  if (temperature > 0) s.temperature = temperature;
  s.top_k = within(body, "top_k", 40, 0, 1'000'000);
  s.top_p = number_of_key(body, "top_p", 0.95);
  s.min_p = number_of_key(body, "min_p", 0);
  s.repetition_penalty = number_of_key(body, "repeat_penalty", 1);
  return out;
}

Reply do_generate(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"prompt", "predict", "temperature", "top_k", "top_p", "min_p",
                                      "repeat_penalty", "seed", "stop"});
  GenerateOptions options = writing_of(body, work);
  options.settings.max_new_tokens = within(body, "predict", 64, 1, kMostTokens);
  if (const std::string stop = text_in(body, "stop"); !stop.empty())
    options.settings.stop_strings = {stop};
  options.on_text = [&](std::string_view piece) {
    work.send("data: " + Json::object({{"text", Json(piece)}}).dump() + "\n\n");
  };
  const auto open = service.open(request);
  const Generated made = open->generator().generate(text_in(body, "prompt"), options);
  Json last = to_json(made);
  work.send("data: " + last.set("done", true).dump() + "\n\n");
  return {};
}

Reply do_next(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"prompt", "temperature", "top_k", "top_p", "min_p",
                                      "repeat_penalty", "seed", "count"});
  const auto count = static_cast<size_t>(within(body, "count", 16, 1, 200));
  const GenerateOptions options = writing_of(body, work);
  return json_reply(
      next_tokens(service.open(request)->generator(), text_in(body, "prompt"), options, count));
}

Reply do_translate(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"text", "beams", "n_best", "length_penalty", "alignment"});
  GenerationSettings asked;
  if (body.find("beams")) asked.num_beams = within(body, "beams", 4, 1, 64);
  if (body.find("n_best")) asked.num_return_sequences = within(body, "n_best", 1, 1, 64);
  if (body.find("length_penalty")) asked.length_penalty = number_of_key(body, "length_penalty", 1);
  const auto open = service.open(request);
  TranslateOptions options = open->translator().options(asked);
  options.alignment = flag_of_key(body, "alignment");
  options.stop = &work.stop();
  const Translation done = open->translator().translate({text_in(body, "text")}, options).at(0);
  ensure<UsageError>(!done.too_long, "text: found one of more than ", kMostPieces,
                     " times what the model reads, wanted a shorter one");
  return json_reply(to_json(done));
}

Reply do_fill(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"text", "top_k"});
  const std::vector<std::string> texts = {text_in(body, "text")};
  const FillOptions options{.top_k = static_cast<size_t>(within(body, "top_k", 5, 1, 100)),
                            .stop = &work.stop()};
  return json_reply(
      to_json(service.open(request)->encoder().fill(text_lines(texts), options).at(0)));
}

// At most 64 of them; none where the key is not there.
std::vector<std::string> texts_of_key(const Json& body, const char* key) {
  std::vector<std::string> out;
  if (!body.find(key)) return out;
  for (const Json& one : Fields(body, "the request").list(key)) {
    ensure<UsageError>(one.is_string() && one.text().size() <= kLongestText, key,
                       ": wanted a list of texts");
    out.push_back(one.text());
  }
  ensure<UsageError>(out.size() <= 64, key, ": found ", out.size(), ", wanted 1 to 64");
  return out;
}

Reply do_classify(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"input", "top_k", "labels"});
  const auto top = static_cast<size_t>(within(body, "top_k", 5, 1, 1000));
  const InputChoice input = input_of(body, "input", service, service.model(request));
  const auto open = service.open(request);
  const std::vector<std::string> labels = texts_of_key(body, "labels");
  if (!input.image_bytes.empty() && !labels.empty())
    return json_reply(
        matched_labels(open->subject(), input.image_bytes, labels, top, &work.stop()));
  if (!input.image_bytes.empty())
    return json_reply(image_labels(open->subject(), input.image_bytes, top, &work.stop()));
  const std::vector<std::string> texts = {input.text};
  return json_reply(to_json(
      open->encoder().classify(text_lines(texts), {.top_k = top, .stop = &work.stop()}).at(0)));
}

Reply do_compare(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"texts"});
  const std::vector<std::string> texts = texts_of_key(body, "texts");
  ensure<UsageError>(!texts.empty(), "texts: found 0, wanted 1 to 64");
  return json_reply(compared(service.open(request)->encoder(), texts, &work.stop()));
}

Reply do_forecast(Service& service, const Request& request, Work& work) {
  const Json body = body_of(request, {"input", "horizon", "quantiles"});
  ForecastOptions options{.horizon = within(body, "horizon", 0, 0, 10'000)};
  if (const Json* list = body.find("quantiles"))
    for (const Json& q : list->is_array() ? list->items() : std::vector<Json>{}) {
      ensure<UsageError>(
          q.is_number() && q.number() >= 0 && q.number() <= 1 && options.quantiles.size() < 20,
          "quantiles: wanted at most 20 numbers from 0 to 1");
      options.quantiles.push_back(q.number());
    }
  options.stop = &work.stop();
  const InputChoice input = input_of(body, "input", service, service.model(request));
  ensure<UsageError>(!input.csv_text.empty(), "input: wanted a file");
  return json_reply(forecast_view(service.open(request)->forecaster(), input.csv_text, options));
}

Reply do_tokens(Service& service, const Request& request, Work&) {
  const Json body = body_of(request, {"text", "source"});
  const auto open = service.open(request);
  const Tokenizer* const tokenizer = open->subject().tokenizer(flag_of_key(body, "source"));
  ensure<UsageError>(tokenizer != nullptr, "this model has no tokenizer");
  return json_reply(cut_text(*tokenizer, text_in(body, "text")));
}

}  // namespace

void add_use_routes(Routes& routes, Service& service) {
  const auto add = [&](const char* path, auto* handle) {
    routes.add(
        {.method = "POST",
         .path = std::string("/api/models/{model}/") + path,
         .handle = [&service, handle](const Request& r, Work& w) { return handle(service, r, w); },
         .lane = model_lane});
  };
  add("generate", do_generate);
  add("next", do_next);
  add("translate", do_translate);
  add("fill", do_fill);
  add("classify", do_classify);
  add("compare", do_compare);
  add("forecast", do_forecast);
  add("tokens", do_tokens);
}

}  // namespace jogak::server
