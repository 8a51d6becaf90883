#include <limits>

#include "explain/arithmetic.h"
#include "explain/topics/masks_words.h"

namespace jogak {
namespace {

namespace words = masks_words;

constexpr double kFillValue = -1e9, kMinusInfinity = -std::numeric_limits<double>::infinity();

struct Numbers {
  Matrix scores, real, causal, padding, mask, front_real, front_mask;
  Parts queries, keys;
};

Numbers read(const ExplainRequest& request, Lesson& lesson) {
  Numbers n;
  const Matrix example = {{2, 1, 0, 3}, {1, 2, 1, 0}, {0, 1, 2, 1}, {1, 0, 1, 2}};
  n.scores = input_or(request, lesson, "scores", example);
  const int64_t size = n.scores.rows;
  ensure<UsageError>(n.scores.columns == size, "masks: scores: found shape [", size, ",",
                     n.scores.columns, "], wanted a square: every token looks at every token");
  Matrix real(1, size, 1);
  if (size > 1) real.at(0, size - 1) = 0;
  n.real = input_or(request, lesson, "padding", real);
  ensure<UsageError>(n.real.columns == size, "masks: padding: found ", n.real.columns,
                     " numbers, wanted ", size, ", one a token");
  for (const double x : n.real.values)
    ensure<UsageError>(x == 0 || x == 1, "masks: padding: found ", x, ", wanted 0 or 1");
  n.front_real = Matrix(1, size, 1);
  n.front_real.at(0, 0) = 0;
  n.causal = plain::causal_mask(size);
  const Matrix ones(size, 1, 1);
  n.padding = plain::product(ones, n.real);
  n.mask = plain::times(n.causal, n.padding);
  n.front_mask = plain::times(n.causal, plain::product(ones, n.front_real));
  n.queries = labels("q", size);
  n.keys = labels("k", size);
  return n;
}

Table square(const Numbers& n, std::string name, std::string caption, Matrix values) {
  return {std::move(name), std::move(caption), std::move(values), n.queries, n.keys};
}

Table given(const Numbers& n) {
  Table table = square(n, "scores", "s", n.scores);
  table.digits = kAsGiven;
  return table;
}

Matrix weights_under(const Matrix& scores, const Matrix& mask) {
  return plain::softmax(plain::hidden(scores, mask, kMinusInfinity));
}

void add_masks(Lesson& lesson, const Numbers& n) {
  const std::string shape = shape_text(n.scores);
  Step& scores = add_step(lesson, words::kScores, {std::to_string(n.scores.rows)});
  scores.shape = shape;
  scores.tables = {given(n)};
  Step& causal = add_step(lesson, words::kCausal);
  causal.shape = shape;
  causal.tables = {square(n, "causal", "causal", n.causal)};
  Step& padding = add_step(lesson, words::kPadding);
  padding.shape = shape_text(n.real) + " -> " + shape;
  padding.tables = {square(n, "padding", "padding", n.padding)};
  Step& both = add_step(lesson, words::kBoth);
  both.shape = shape + "∘" + shape + " -> " + shape;
  both.tables = {square(n, "mask", "mask", n.mask)};
}

void add_ways(Lesson& lesson, const Numbers& n) {
  const Matrix filled = plain::hidden(n.scores, n.mask, kFillValue);
  add_step(lesson, words::kFill).tables = {
      square(n, "filled", "s, -10^9", filled),
      square(n, "filled_weights", "softmax", plain::softmax(filled))};
  const Matrix e = plain::exponentials(
      plain::minus_row_maximum(plain::hidden(n.scores, n.mask, kMinusInfinity)));
  const Matrix sums = plain::row_sums(e);
  const Matrix weights = plain::divided_by_row(e, sums);
  Step& multiply = add_step(lesson, words::kMultiply);
  multiply.tables = {square(n, "multiplied", "exp(s - m)·mask", e),
                     {"multiplied_sums", "Σ_j", sums, n.queries, {}},
                     square(n, "multiplied_weights", "w", weights)};
  const int64_t last = n.scores.rows - 1;
  if (n.scores.columns <= kTermsByHand)
    multiply.work.push_back(sum_text(e.row(last), Source::computed) + " = " +
                            plain_text(sums.at(last, 0)));
  if (sums.at(last, 0) > 0)
    for (int64_t j = 0; j < std::min(e.columns, kLinesByHand); ++j)
      multiply.work.push_back(text_of(plain_text(e.at(last, j)), " / ",
                                      plain_text(sums.at(last, 0)), " = ",
                                      plain_text(weights.at(last, j))));
  add_step(lesson, words::kEmpty).tables = {
      square(n, "front_mask", "mask", n.front_mask),
      square(n, "front_filled", "softmax(s, -10^9)",
             plain::softmax(plain::hidden(n.scores, n.front_mask, kFillValue))),
      square(n, "front_weights", "w", weights_under(n.scores, n.front_mask))};
}

void add_math(Lesson& lesson, const Numbers& n, const Matrix& weights) {
  Step& additive = add_step(lesson, words::kAdditive);
  additive.shape = shape_text(n.scores);
  additive.tables = {given(n), square(n, "causal", "causal", n.causal),
                     square(n, "padding", "padding", n.padding), square(n, "mask", "mask", n.mask),
                     square(n, "weights", "w", weights)};
  add_step(lesson, words::kFillLimit);
  const auto last = weights.row(weights.rows - 1);
  const Matrix row = Matrix::row_of({last.begin(), last.end()});
  add_step(lesson, words::kGradient).tables = {{"jacobian", "∂w/∂s", plain::softmax_jacobian(row),
                                                labels("w", row.columns),
                                                labels("s", row.columns)}};
}

void build(const ExplainRequest& request, Lesson& lesson) {
  const Numbers n = read(request, lesson);
  const Matrix weights = weights_under(n.scores, n.mask);
  Picture picture{Picture::Kind::heatmap,
                  "weights",
                  std::string(words::kPicture(lesson.lang)),
                  std::string(words::kKey(lesson.lang)),
                  std::string(words::kQuery(lesson.lang)),
                  weights,
                  n.queries,
                  n.keys};
  lesson.pictures = {request.transpose ? turned(picture) : picture};
  std::vector<CodeBlock> blocks = {words::kCodeScores};
  if (lesson.level == Level::math)
    blocks.push_back(words::kCodeMath);
  else
    blocks.insert(blocks.end(), {words::kCodeFill, words::kCodeMultiply, words::kCodeEmpty});
  set_code(lesson, blocks,
           {python_matrix(n.scores), python_vector(n.real), python_vector(n.front_real)});
  if (lesson.level == Level::math) return add_math(lesson, n, weights);
  if (lesson.level == Level::story) {
    add_step(lesson, words::kStoryExam).tables = {square(n, "causal", "causal", n.causal)};
    add_step(lesson, words::kStoryPadding).tables = {square(n, "padding", "padding", n.padding),
                                                     square(n, "mask", "mask", n.mask)};
    add_step(lesson, words::kStoryShares).tables = {
        given(n), square(n, "multiplied_weights", "softmax", weights)};
    return;
  }
  add_masks(lesson, n);
  add_ways(lesson, n);
}

constexpr TopicInput kInputs[] = {
    {"scores", TopicInput::Kind::matrix, {"점수, 정사각 행렬", "scores, a square matrix"}},
    {"padding",
     TopicInput::Kind::vector,
     {"진짜 토큰 1, 채운 자리 0", "1 for a real token, 0 for padding"}},
};

}  // namespace

const Topic& masks_topic() {
  static constexpr Topic topic{"masks", words::kTitle, kInputs, false, true, build};
  return topic;
}

}  // namespace jogak
