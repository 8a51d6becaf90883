#include "app/page/trying.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/data/text_line.h"
#include "app/use/completion.h"
#include "app/use/pooling.h"
#include "app/use/predictions.h"
#include "autograd/autograd.h"
#include "data/label_data.h"
#include "data/series.h"
#include "generate/batcher.h"
#include "generate/sampling.h"
#include "generate/score_rules.h"
#include "look/shares.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

Json finite_numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double x : values) out.push(std::isfinite(x) ? Json(x) : Json());
  return out;
}

// The scores behind the last token of a prompt.
std::vector<float> last_scores(const Model& model, const std::vector<int>& prompt,
                               const std::atomic<bool>* stop) {
  const NoGrad quiet;
  Run run;
  run.stop = stop;
  const std::vector<int64_t> ids(prompt.begin(), prompt.end());
  const Tensor row = from_values(ids, {1, static_cast<int64_t>(ids.size())});
  const Tensor logits =
      forward(model, ForwardInputs(NamedTensors{{"input_ids", row}}), run).named.at(0).second;
  const int64_t V = logits.dim(-1);
  return to_host<float>(
      logits.view({V}, {1}, logits.offset() + (logits.dim(1) - 1) * logits.strides()[1]));
}

}  // namespace

Json next_tokens(const Generator& generator, const std::string& prompt,
                 const GenerateOptions& options, size_t count) {
  const GenerateRequest asked = generator.request(prompt, options);
  const Tokenizer& tokenizer = generator.tokenizer();
  std::vector<int> ids = asked.prompt;
  const int64_t room = generator.model().context;
  if (static_cast<int64_t>(ids.size()) > room) ids.erase(ids.begin(), ids.end() - room);
  std::vector<float> scores = last_scores(generator.model(), ids, options.stop_flag);
  const std::vector<double> plain = shares_of(scores, 0, static_cast<int64_t>(scores.size()));
  const auto longest = static_cast<int64_t>(ids.size()) + std::max<int64_t>(asked.max_new, 2);
  apply(asked.rules, {ids, ids.size(), ids, longest, asked.eos_ids}, scores);
  std::map<int, double> chances;
  for (const Candidate& one : candidates(scores, asked.sampling)) chances[one.id] = one.probability;
  std::vector<int> order(plain.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const size_t most = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end(),
      [&](int a, int b) { return plain[static_cast<size_t>(a)] > plain[static_cast<size_t>(b)]; });
  Json tokens = Json::array();
  for (size_t i = 0; i < most; ++i) {
    const auto found = chances.find(order[i]);
    Json one = Json::object();
    one.set("id", order[i]).set("text", token_text(tokenizer, order[i]));
    one.set("probability", plain[static_cast<size_t>(order[i])]);
    tokens.push(std::move(one.set("chance", found == chances.end() ? 0.0 : found->second)));
  }
  Json out = Json::object();
  return std::move(out.set("tokens", std::move(tokens)).set("prompt", Json::list(ids)));
}

Json image_labels(const InspectSubject& subject, const std::string& bytes, size_t top,
                  const std::atomic<bool>* stop) {
  const EncoderModel& m = subject.model().encoder;
  ensure<UsageError>(subject.model().encodes() && m.task == EncoderTask::classify,
                     "this model gives no labels");
  const InspectInput input = subject.input({.image_bytes = bytes});
  const NoGrad quiet;
  Run run;
  run.stop = stop;
  const auto logits =
      to_host<float>(forward(subject.model(), input.inputs(), run).named.at(0).second);
  Json list = Json::array();
  for (const Prediction& one : label_scores(logits, m.labels, top))
    list.push(prediction_json(subject.token(one.index), one.score));
  return Json::object({{"schema", Json(1)}, {"predictions", std::move(list)}});
}

Json matched_labels(const InspectSubject& subject, const std::string& bytes,
                    const std::vector<std::string>& labels, size_t top,
                    const std::atomic<bool>* stop) {
  const MatchModel& match = subject.model().match;
  ensure<UsageError>(subject.model().matches(), "labels: this model has labels of its own");
  ensure<UsageError>(labels.size() >= 2, "labels: found ", labels.size(),
                     ", wanted two or more sentences");
  ensure<MissingError>(subject.tokenizer(), subject.directory(), ": has no tokenizer");
  const NoGrad quiet;
  Run run;
  run.stop = stop;
  const InspectInput input = subject.input({.image_bytes = bytes});
  const Tensor image = match.image(input.inputs().get("pixel_values"), run);
  std::vector<std::vector<int32_t>> rows;
  for (const std::string& label : labels) {
    const std::vector<int> ids = subject.tokenizer()->encode_ids(label, {.special_as_text = true});
    ensure<UsageError>(std::ssize(ids) <= match.context, "labels: ", ids.size(),
                       " tokens, the model reads at most ", match.context);
    rows.emplace_back(ids.begin(), ids.end());
  }
  const LabelBatch texts = padded_rows({rows.begin(), rows.end()}, 0);
  const auto logits = to_host<float>(match.scores(image, match.text(texts.ids, texts.mask, run)));
  Json list = Json::array();
  for (const Prediction& one : label_scores(logits, {labels, Problem::single_label}, top))
    list.push(prediction_json(labels[static_cast<size_t>(one.index)], one.score));
  return Json::object({{"schema", Json(1)}, {"predictions", std::move(list)}});
}

Json compared(const Encoder& encoder, const std::vector<std::string>& texts,
              const std::atomic<bool>* stop) {
  const std::vector<InputVector> vectors = encoder.embed(text_lines(texts), {.stop = stop});
  Json rows = Json::array();
  for (const InputVector& a : vectors) {
    Json row = Json::array();
    for (const InputVector& b : vectors) row.push(cosine(a.vector, b.vector));
    rows.push(std::move(row));
  }
  return Json::object({{"schema", Json(1)},
                       {"texts", Json::list(texts)},
                       {"cosines", std::move(rows)},
                       {"width", Json(vectors.empty() ? size_t{0} : vectors[0].vector.size())}});
}

Json forecast_view(const Forecaster& forecaster, const std::string& csv,
                   const ForecastOptions& options) {
  const SeriesFile file = parse_series(csv, "the series");
  const Forecast forecast = forecaster.forecast(file, options);
  // Beside what `jogak forecast --json` says, what it was made from.
  return to_json(forecast, [&](size_t at, const SeriesForecast& one, Json& json) {
    const SeriesPanel& panel = file.panels[at];
    const size_t seen = one.curve.past.size();
    const std::vector<std::string> dates(panel.dates.end() - static_cast<ptrdiff_t>(seen),
                                         panel.dates.end());
    json.set("past", finite_numbers(one.curve.past)).set("dates_past", Json::list(dates));
    json.set("error", finite_numbers(one.error));
  });
}

Json cut_text(const Tokenizer& tokenizer, const std::string& text) {
  const Encoding made = tokenizer.encode(text);
  Json tokens = Json::array();
  for (size_t i = 0; i < made.ids.size(); ++i) {
    const int id = made.ids[i];
    Json bytes = Json::array();
    for (const char c : token_bytes(tokenizer, id))
      bytes.push(static_cast<int>(static_cast<unsigned char>(c)));
    Json one = Json::object();
    one.set("id", id).set("token", made.tokens[i]).set("bytes", std::move(bytes));
    one.set("start", made.offsets[i].from).set("end", made.offsets[i].to);
    tokens.push(std::move(one.set("special", made.special_mask[i] != 0)));
  }
  Json out = Json::object();
  return std::move(out.set("tokens", std::move(tokens)).set("vocab", tokenizer.vocab_size()));
}

}  // namespace jogak
