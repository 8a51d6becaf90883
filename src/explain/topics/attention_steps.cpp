#include "explain/topics/attention_steps.h"

#include <cmath>
#include <limits>

#include "explain/topics/attention_words.h"

namespace jogak {

namespace words = attention_words;

Table scores_table(const AttentionNumbers& n, std::string name, std::string caption,
                   Matrix values) {
  return {std::move(name), std::move(caption), std::move(values), n.queries, n.keys};
}

Table output_table(const AttentionNumbers& n, std::string name, std::string caption,
                   Matrix values) {
  return {std::move(name), std::move(caption), std::move(values), n.queries, {}};
}

std::vector<Table> given_tables(const AttentionNumbers& n) {
  return {{"q", "Q", n.q, n.queries, {}, kAsGiven},
          {"k", "K", n.k, n.keys, {}, kAsGiven},
          {"v", "V", n.v, labels("v", n.v.rows), {}, kAsGiven}};
}

namespace {

std::string product_shape(const Matrix& a, const Matrix& b) {
  return text_of("[", a.rows, ",", a.columns, "]·[", b.rows, ",", b.columns, "] -> [", a.rows, ",",
                 b.columns, "]");
}

void add_scores(Lesson& lesson, const AttentionNumbers& n) {
  Step& inputs = add_step(lesson, words::kInputs);
  inputs.shape = text_of("Q [", n.q.rows, ",", n.q.columns, "]  K [", n.k.rows, ",", n.k.columns,
                         "]  V [", n.v.rows, ",", n.v.columns, "]");
  inputs.tables = given_tables(n);

  const Matrix k_t = transposed(n.k);
  Step& scores = add_step(lesson, words::kScores, {std::to_string(n.q.columns)});
  scores.shape = product_shape(n.q, k_t);
  scores.tables = {{"k_t", "Kᵀ", k_t, {}, n.keys, kAsGiven},
                   scores_table(n, "scores", "Q·Kᵀ", n.a.scores)};
  if (n.q.columns <= kTermsByHand)
    for (int64_t j = 0; j < std::min(n.k.rows, kLinesByHand); ++j)
      scores.work.push_back(text_of(
          "q1·k", j + 1, " = ", products_text(n.q.row(0), Source::given, n.k.row(j), Source::given),
          " = ", plain_text(n.a.scores.at(0, j))));

  const double root = std::sqrt(static_cast<double>(n.q.columns));
  Step& scale = add_step(lesson, words::kScale, {std::to_string(n.q.columns), plain_text(root)});
  scale.tables = {scores_table(n, "scaled", "Q·Kᵀ / √d_k", n.a.scaled)};
  for (int64_t j = 0; j < std::min(n.k.rows, kLinesByHand); ++j)
    scale.work.push_back(text_of(term(n.a.scores.at(0, j), Source::computed), " / ",
                                 plain_text(root), " = ", plain_text(n.a.scaled.at(0, j))));
}

void add_weights(Lesson& lesson, const AttentionNumbers& n) {
  if (n.mask.size())
    add_step(lesson, words::kMask).tables = {scores_table(n, "mask", "mask", n.mask),
                                             scores_table(n, "masked", "masked", n.a.masked)};
  const Matrix e = plain::exponentials(plain::minus_row_maximum(n.a.masked));
  const Matrix sums = plain::row_sums(e);
  Step& softmax = add_step(lesson, words::kSoftmax);
  softmax.shape = text_of("[", n.q.rows, ",", n.k.rows, "] -> [", n.q.rows, ",", n.k.rows, "]");
  softmax.tables = {scores_table(n, "exp", "exp(s - max s)", e),
                    {"row_sums", "Σ_j", sums, n.queries, {}},
                    scores_table(n, "weights", "weights", n.a.weights)};
  const int64_t last = n.q.rows - 1;  // under a causal mask the first row would say nothing
  if (n.k.rows <= kTermsByHand)
    softmax.work.push_back(sum_text(e.row(last), Source::computed) + " = " +
                           plain_text(sums.at(last, 0)));
  if (sums.at(last, 0) > 0)
    for (int64_t j = 0; j < std::min(n.k.rows, kLinesByHand); ++j)
      softmax.work.push_back(text_of(plain_text(e.at(last, j)), " / ", plain_text(sums.at(last, 0)),
                                     " = ", plain_text(n.a.weights.at(last, j))));

  Step& output = add_step(lesson, words::kOutput);
  output.shape = product_shape(n.a.weights, n.v);
  output.tables = {output_table(n, "output", "weights·V", n.a.output)};
  if (n.k.rows > kTermsByHand) return;
  const Matrix v_t = transposed(n.v);
  for (int64_t c = 0; c < std::min(n.v.columns, kLinesByHand); ++c)
    output.work.push_back(
        text_of("output_", n.q.rows, ",", c + 1, " = ",
                products_text(n.a.weights.row(last), Source::computed, v_t.row(c), Source::given),
                " = ", plain_text(n.a.output.at(last, c))));
}

// What the same numbers give with the mask the other way, and for a row that sees nothing.
void add_comparison(Lesson& lesson, const AttentionNumbers& n) {
  if (n.mask.size()) {
    const plain::Attention full = plain::attention(n.q, n.k, n.v, {});
    add_step(lesson, words::kWithoutMask).tables = {
        scores_table(n, "full_weights", "weights", full.weights),
        output_table(n, "full_output", "weights·V", full.output)};
  } else if (n.q.rows == n.k.rows) {
    const plain::Attention causal = plain::attention(n.q, n.k, n.v, plain::causal_mask(n.q.rows));
    add_step(lesson, words::kWithCausal).tables = {
        scores_table(n, "causal_weights", "weights", causal.weights),
        output_table(n, "causal_output", "weights·V", causal.output)};
  }
  const Matrix nothing(1, n.k.rows, -std::numeric_limits<double>::infinity());
  const Matrix weights = plain::softmax(nothing);
  add_step(lesson, words::kEmptyRow).tables = {
      {"empty_masked", "masked", nothing, {"q1"}, n.keys},
      {"empty_weights", "weights", weights, {"q1"}, n.keys},
      {"empty_output", "weights·V", plain::product(weights, n.v), {"q1"}, {}}};
}

Matrix slope(const Matrix& p) {
  return plain::times(p, plain::shifted(plain::divided(p, -1), 1));  // p (1 - p)
}

void add_why(Lesson& lesson) {
  const Matrix scores = {{10, 5, 2}, {3, 12, 4}, {1, 4, 15}};
  const Matrix p = plain::softmax(scores), divided = plain::softmax(plain::divided(scores, 8));
  Step& step = add_step(lesson, words::kWhy);
  step.tables = {{"why_scores", "s", scores, {}, {}},
                 {"why_plain", "softmax(s)", p, {}, {}},
                 {"why_divided", "softmax(s / 8)", divided, {}, {}},
                 {"why_slope_plain", "p·(1 - p),  p = softmax(s)", slope(p), {}, {}},
                 {"why_slope_divided", "p·(1 - p),  p = softmax(s / 8)", slope(divided), {}, {}}};
  for (const Matrix* m : {&p, &divided}) {
    const std::string first = plain_text(m->at(0, 0));
    step.work.push_back(text_of(first, "·(1 - ", first, ") = ", plain_text(slope(*m).at(0, 0))));
  }
}

}  // namespace

void add_attention_steps(Lesson& lesson, const AttentionNumbers& n) {
  add_scores(lesson, n);
  add_weights(lesson, n);
  add_comparison(lesson, n);
  add_why(lesson);
}

}  // namespace jogak
