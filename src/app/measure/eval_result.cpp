#include "app/measure/eval_result.h"

#include "app/measure/score.h"

namespace jogak {
namespace {

Json begun() {
  Json out = Json::object();
  return std::move(out.set("schema", 1));
}

Json json_of(const TextEval& e) {
  Json out = begun();
  out.set("loss", e.loss).set("perplexity", e.perplexity()).set("tokens", e.tokens);
  if (e.exact) out.set("exact_match", e.exact->score()).set("lines", e.exact->lines);
  return out;
}

Json json_of(const PairEval& e) {
  Json out = to_json(e.score);
  out.set("loss", e.loss).set("perplexity", e.perplexity()).set("tokens", e.tokens);
  out.set("beams", e.beams).set("length_penalty", e.length_penalty);
  return std::move(out.set("exact_match", e.exact.score()));
}

Json json_of(const LabelEval& e) {
  Json out = begun();
  out.set("loss", e.loss).set("accuracy", e.accuracy);
  return std::move(out.set("f1", e.f1).set("examples", e.examples));
}

Json json_of(const TagEval& e) {
  Json out = begun();
  out.set("loss", e.loss).set("accuracy", e.accuracy).set("f1", e.f1);
  if (e.entities) {
    out.set("precision", e.entities->precision).set("recall", e.entities->recall);
    out.set("entities", e.entities->count);
  }
  return std::move(out.set("words", e.words));
}

Json json_of(const SpanEval& e) {
  Json out = begun();
  out.set("loss", e.loss).set("exact_match", e.exact_match);
  return std::move(out.set("f1", e.f1).set("questions", e.questions));
}

Json json_of(const MatchEval& e) {
  Json out = begun();
  out.set("loss", e.loss).set("image_to_text", e.image_to_text);
  out.set("text_to_image", e.text_to_image);
  return std::move(out.set("pairs", e.pairs).set("batch", e.batch));
}

Json json_of(const SeriesEval& e) {
  Json out = begun();
  out.set("mse", e.mse).set("mae", e.mae).set("windows", e.windows).set("part", e.part);
  return std::move(out.set("mse_repeat", e.mse_repeat).set("mae_repeat", e.mae_repeat));
}

}  // namespace

Json to_json(const EvalResult& result) {
  return std::visit([](const auto& one) { return json_of(one); }, result);
}

}  // namespace jogak
