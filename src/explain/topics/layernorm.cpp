#include <algorithm>
#include <cmath>

#include "explain/arithmetic.h"
#include "explain/topics/layernorm_words.h"

namespace jogak {
namespace {

namespace words = layernorm_words;

struct Numbers {
  Matrix x, gamma, beta, y;
  double eps, count;
  plain::LayerNorm norm;
  Parts names;
};

Numbers read(const ExplainRequest& request, Lesson& lesson) {
  Numbers n;
  const bool own = request.inputs.count("x") > 0;
  n.x = input_or(request, lesson, "x", {{2, 4, 6}});
  const int64_t size = n.x.columns;
  n.gamma = input_or(request, lesson, "gamma", own ? Matrix(1, size, 1) : Matrix{{2, 1, 0.5}});
  n.beta = input_or(request, lesson, "beta", own ? Matrix(1, size, 0) : Matrix{{0, 1, -1}});
  n.eps = input_or(request, lesson, "eps", {{1e-5}}).at(0, 0);
  for (const char* name : {"gamma", "beta"})
    ensure<UsageError>(lesson.inputs[name].columns == size, "layernorm: ", name, ": found ",
                       lesson.inputs[name].columns, " numbers, wanted ", size, " as in x");
  ensure<UsageError>(n.eps >= 1e-12 && n.eps <= 1, "layernorm: eps: found ", n.eps,
                     ", wanted a number from 1e-12 to 1");
  n.norm = plain::layer_norm(n.x, n.eps);
  n.y = plain::times(n.gamma, n.norm.normalised);
  for (int64_t i = 0; i < size; ++i) n.y.at(0, i) += n.beta.at(0, i);
  n.count = static_cast<double>(size);
  n.names = labels("x", size);
  return n;
}

Table row(const Numbers& n, std::string name, std::string caption, Matrix values) {
  return row_table(std::move(name), std::move(caption), std::move(values), n.names);
}

Table given(const Numbers& n, std::string name, std::string caption, const Matrix& values) {
  return {std::move(name), std::move(caption), values, {}, n.names, kAsGiven};
}

bool by_hand(const Numbers& n) { return n.x.columns <= kTermsByHand; }

void add_mean(Lesson& lesson, const Numbers& n) {
  Step& input = add_step(lesson, words::kInput);
  input.shape = shape_text(n.x);
  input.tables = {given(n, "x", "x", n.x)};
  Step& mean = add_step(lesson, words::kMean);
  mean.shape = shape_text(n.x) + " -> []";
  mean.tables = {number_table("mean", "μ", n.norm.mean)};
  if (by_hand(n))
    mean.work = {text_of("(", sum_text(n.x.row(0), Source::given), ") / ", n.count, " = ",
                         plain_text(n.norm.mean))};
  Step& centre = add_step(lesson, words::kCentre);
  centre.shape = shape_text(n.x) + " - [] -> " + shape_text(n.x);
  centre.tables = {row(n, "centred", "c = x - μ", n.norm.centred)};
  for (int64_t i = 0; i < std::min(n.x.columns, kLinesByHand); ++i)
    centre.work.push_back(text_of(exact_text(n.x.at(0, i)), " - ",
                                  term(n.norm.mean, Source::computed), " = ",
                                  plain_text(n.norm.centred.at(0, i))));
}

void add_normalised(Lesson& lesson, const Numbers& n) {
  Step& variance = add_step(lesson, words::kVariance);
  variance.shape = shape_text(n.x) + " -> []";
  variance.tables = {row(n, "squares", "c²", n.norm.squares),
                     number_table("variance", "σ²", n.norm.variance)};
  if (by_hand(n))
    variance.work = {text_of("(", sum_text(n.norm.squares.row(0), Source::computed), ") / ",
                             n.count, " = ", plain_text(n.norm.variance))};
  const std::string eps = exact_text(n.eps);
  Step& divide = add_step(lesson, words::kNormalise, {eps});
  divide.shape = shape_text(n.x) + " / [] -> " + shape_text(n.x);
  divide.tables = {number_table("deviation", "√(σ² + ε)", n.norm.deviation),
                   row(n, "normalised", "x̂", n.norm.normalised)};
  divide.work = {
      text_of("√(", plain_text(n.norm.variance), " + ", eps, ") = ", plain_text(n.norm.deviation))};
  for (int64_t i = 0; i < std::min(n.x.columns, kLinesByHand); ++i)
    divide.work.push_back(text_of(term(n.norm.centred.at(0, i), Source::computed), " / ",
                                  plain_text(n.norm.deviation), " = ",
                                  plain_text(n.norm.normalised.at(0, i))));
  Step& scale = add_step(lesson, words::kScale);
  scale.shape =
      shape_text(n.x) + "∘" + shape_text(n.x) + " + " + shape_text(n.x) + " -> " + shape_text(n.x);
  scale.tables = {given(n, "gamma", "γ", n.gamma), given(n, "beta", "β", n.beta),
                  row(n, "y", "y", n.y)};
  for (int64_t i = 0; i < std::min(n.x.columns, kLinesByHand); ++i)
    scale.work.push_back(text_of(term(n.gamma.at(0, i), Source::given), "·",
                                 term(n.norm.normalised.at(0, i), Source::computed), " + ",
                                 term(n.beta.at(0, i), Source::given), " = ",
                                 plain_text(n.y.at(0, i))));
}

void add_slips(Lesson& lesson, const Numbers& n) {
  if (n.x.columns > 1) {  // one number alone has no sample variance
    const double sample = plain::sum(n.norm.squares) / (n.count - 1);
    Step& slip = add_step(lesson, words::kSlip);
    Table wrong =
        row(n, "slip", "c / √(s² + ε)", plain::divided(n.norm.centred, std::sqrt(sample + n.eps)));
    wrong.digits = 4;  // for 2, 4, 6 the point is -1, 0, 1; eps shows in the sixth digit
    slip.tables = {number_table("sample_variance", "s²", sample), wrong};
    if (by_hand(n))
      slip.work = {text_of("(", sum_text(n.norm.squares.row(0), Source::computed), ") / ",
                           n.count - 1, " = ", plain_text(sample))};
  }
  const Matrix other = {{2, 4, 9}};
  const double mean = plain::sum(other) / 3;
  Step& median = add_step(lesson, words::kMedian);
  median.tables = {row_table("other", "x", other, labels("x", 3)),
                   row_table("other_middle", std::string(words::kMiddle(lesson.lang)),
                             Matrix::row_of({mean, plain::median(other)}),
                             {std::string(words::kMeanName(lesson.lang)),
                              std::string(words::kMedianName(lesson.lang))})};
  median.work = {text_of("(", sum_text(other.row(0), Source::given), ") / 3 = ", plain_text(mean))};
}

Matrix jacobian(const Numbers& n) {
  Matrix out(n.x.columns, n.x.columns);
  const Matrix& h = n.norm.normalised;
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) =
          ((i == j ? 1 : 0) - 1 / n.count - h.at(0, i) * h.at(0, j) / n.count) / n.norm.deviation;
  return out;
}

void add_math(Lesson& lesson, const Numbers& n) {
  Step& definition = add_step(lesson, words::kDefinition);
  definition.shape = shape_text(n.x) + " -> " + shape_text(n.x);
  definition.tables = {given(n, "x", "x", n.x),
                       given(n, "gamma", "γ", n.gamma),
                       given(n, "beta", "β", n.beta),
                       number_table("deviation", "√(σ² + ε)", n.norm.deviation),
                       row(n, "normalised", "x̂", n.norm.normalised),
                       row(n, "y", "y", n.y)};
  const Matrix moved = plain::shifted(plain::divided(n.x, 0.5), 10);
  add_step(lesson, words::kInvariance).tables = {
      row(n, "moved", "LN(2x + 10)", plain::layer_norm(moved, n.eps).normalised)};
  Step& derivative = add_step(lesson, words::kJacobian);
  derivative.shape = text_of("[", n.x.columns, ",", n.x.columns, "]");
  derivative.tables = {{"jacobian", "∂x̂/∂x", jacobian(n), labels("x̂", n.x.columns), n.names}};

  Matrix g(1, n.x.columns);
  for (int64_t i = 0; i < g.columns; ++i) g.at(0, i) = static_cast<double>(i + 1);
  const Matrix d_x = plain::product(plain::times(g, n.gamma), jacobian(n));  // symmetric
  add_step(lesson, words::kBackward).tables = {
      row(n, "d_gamma", "dγ", plain::times(g, n.norm.normalised)), row(n, "d_beta", "dβ", g),
      row(n, "d_x", "dx", d_x)};
}

Picture before_and_after(const Lesson& lesson, const Numbers& n) {
  Picture out{Picture::Kind::bars,
              "before_after",
              std::string(words::kPicture(lesson.lang)),
              std::string(words::kFeature(lesson.lang)),
              std::string(words::kValue(lesson.lang)),
              Matrix(2, n.x.columns),
              {std::string(words::kBefore(lesson.lang)), std::string(words::kAfter(lesson.lang))},
              n.names};
  std::copy(n.x.values.begin(), n.x.values.end(), out.values.values.begin());
  std::copy(n.norm.normalised.values.begin(), n.norm.normalised.values.end(),
            out.values.values.begin() + n.x.columns);
  const auto [low, high] = std::minmax_element(out.values.values.begin(), out.values.values.end());
  out.low = std::min(*low, 0.0);
  out.high = std::max(*high, 0.0);
  return out;
}

void build(const ExplainRequest& request, Lesson& lesson) {
  const Numbers n = read(request, lesson);
  lesson.pictures = {before_and_after(lesson, n)};
  std::vector<CodeBlock> blocks = {words::kCodeInput};
  if (lesson.level == Level::math) {
    blocks.push_back(words::kCodeMath);
  } else {
    blocks.push_back(words::kCodeSteps);
    if (n.x.columns > 1) blocks.push_back(words::kCodeSlip);
    blocks.push_back(words::kCodeMedian);
  }
  set_code(lesson, blocks,
           {python_vector(n.x), python_vector(n.gamma), python_vector(n.beta), exact_text(n.eps)});
  if (lesson.level == Level::math) return add_math(lesson, n);
  if (lesson.level == Level::story) {
    add_step(lesson, words::kStoryVolume).tables = {given(n, "x", "x", n.x)};
    add_step(lesson, words::kStoryNorm).tables = {row(n, "normalised", "x̂", n.norm.normalised)};
    add_step(lesson, words::kStoryKnobs).tables = {
        given(n, "gamma", "γ", n.gamma), given(n, "beta", "β", n.beta), row(n, "y", "y", n.y)};
    return;
  }
  add_mean(lesson, n);
  add_normalised(lesson, n);
  add_slips(lesson, n);
}

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::vector, {"정규화할 벡터", "the vector to normalise"}},
    {"gamma", TopicInput::Kind::vector, {"성분마다 곱할 수", "factor of each feature"}},
    {"beta", TopicInput::Kind::vector, {"성분마다 더할 수", "summand of each feature"}},
    {"eps",
     TopicInput::Kind::number,
     {"분산에 더하는 작은 수", "small number added to the variance"}},
};

}  // namespace

const Topic& layernorm_topic() {
  static constexpr Topic topic{"layernorm", words::kTitle, kInputs, false, false, build};
  return topic;
}

}  // namespace jogak
