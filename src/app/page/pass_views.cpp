#include "app/page/pass_views.h"

#include <cmath>

#include "look/step_book.h"
#include "look/views.h"

namespace jogak {

namespace {

Json page_json(const StepPage& page) {
  const StepRecord& r = page.record;
  Json shape = Json::array();
  for (int i = 0; i < r.shape.rank(); ++i) shape.push(r.shape.dim(i));
  Json out = Json::object();
  out.set("name", r.name).set("role", page.role).set("layer", r.layer).set("source", r.source);
  out.set("shape", std::move(shape)).set("mean", r.mean).set("std", r.deviation);
  out.set("min", r.low).set("max", r.high);
  return std::move(out.set("values", rows_json(page.values)));
}

// Vectors of tokens and of places, before they are added.
class Sums : public Probe {
 public:
  Tensor pass(const ProbeStep& step, const Tensor&, const Tensor& out) override {
    if (step.source) return out;  // an encoder's layers come before the decoder's first sum
    if (step.layer >= 0) seen_layer_ = true;
    const bool first = step.layer < 0 && !seen_layer_;
    const bool added = step.path != "rotary" && step.path != "alibi" && step.path != "relative" &&
                       !step.path.ends_with("rel_embeddings");  // looked at by scores
    if (first && step.part == Part::positions && added)
      places = out.detach();
    else if (first && step.part == Part::other && !tokens.defined() && out.rank() >= 3)
      tokens = out.detach();
    return out;
  }
  Tensor tokens, places;  // [B, T, C], [T, C] or [1, T, C]

 private:
  bool seen_layer_ = false;
};

// The first rows of the first text, [T, C].
Matrix rows_of(const Tensor& x, int64_t rows) {
  const int64_t C = x.dim(-1);
  std::vector<double> all = to_host<double>(x);
  all.resize(static_cast<size_t>(rows * C));
  Matrix out(rows, C);
  out.values = std::move(all);
  return out;
}

Json products(const Matrix& a, const Matrix& b) {
  const double root = std::sqrt(static_cast<double>(a.columns));
  Matrix out(a.rows, b.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.rows; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < a.columns; ++c) sum += a.at(i, c) * b.at(j, c);
      out.at(i, j) = sum / root;
    }
  return rows_json(out);
}

}  // namespace

Json pass_steps(const InspectSubject& subject, const PassQuestion& q) {
  const InspectInput input = subject.input_or_any(q.input);
  ensure<UsageError>(q.token >= 0, "token: counted from 0");
  StepBook book(q.token);
  watch(subject, input, q, book);
  Json steps = Json::array();
  for (const StepPage& page : book.pages) steps.push(page_json(page));
  Json out = Json::object();
  tell_tokens(subject, input.names, out);
  return std::move(out.set("token", q.token).set("steps", std::move(steps)));
}

Inspection formula_positions(const PositionFormula& formula, Lang lang) {
  Inspection out;
  out.what = "positions", out.model_type = formula.kind, out.lang = lang;
  show_positions({position_formula(formula)}, false, out);
  return out;
}

Json position_products(const InspectSubject& subject, const PassQuestion& q) {
  constexpr int64_t kMost = 64;
  const InspectInput input = subject.input_or_any(q.input);
  Sums sums;
  watch(subject, input, q, sums);
  Json out = Json::object();
  tell_tokens(subject, input.names, out);
  const bool added =
      sums.tokens.defined() && sums.places.defined() && sums.tokens.dim(-1) == sums.places.dim(-1);
  if (!added) return std::move(out.set("names", Json::array()).set("products", Json::array()));
  const int64_t have = sums.places.count() / sums.places.dim(-1);
  const int64_t T = std::min({kMost, sums.tokens.dim(-2), have});
  const Matrix e = rows_of(sums.tokens, T), p = rows_of(sums.places, T);
  out.set("names", Json::list(std::vector<std::string>{"ee", "ep", "pe", "pp"}));
  out.set("products",
          Json::array({products(e, e), products(e, p), products(p, e), products(p, p)}));
  return out;
}

}  // namespace jogak
