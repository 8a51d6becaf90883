#include <cmath>

#include "explain/arithmetic.h"
#include "explain/topics/softmax_words.h"

namespace jogak {
namespace {

namespace words = softmax_words;

struct Numbers {
  Matrix x, exp, p, shifted, exp_shifted;
  double sum, largest, sum_shifted;
  Parts names;
  bool direct;       // exp(x) can be written down with enough digits
  bool overflowing;  // exp(x + 1000) cannot
};

Numbers compute(const Matrix& x) {
  Numbers n;
  n.x = x;
  n.largest = plain::largest(x);
  n.direct = n.largest >= -20 && n.largest <= 700;
  n.overflowing = n.largest + 1000 > 710;
  n.exp = plain::exponentials(x);
  n.sum = plain::sum(n.exp);
  n.shifted = plain::shifted(x, -n.largest);
  n.exp_shifted = plain::exponentials(n.shifted);
  n.sum_shifted = plain::sum(n.exp_shifted);
  n.p = plain::divided(n.exp_shifted, n.sum_shifted);
  n.names = labels("x", x.columns);
  return n;
}

Table row(const Numbers& n, std::string name, std::string caption, Matrix values) {
  return row_table(std::move(name), std::move(caption), std::move(values), n.names);
}

Table given(const Numbers& n) { return {"x", "x", n.x, {}, n.names, kAsGiven}; }

void work_division(Step& step, const Matrix& top, double bottom, const Matrix& result) {
  for (int64_t i = 0; i < std::min(top.columns, kLinesByHand); ++i)
    step.work.push_back(text_of(term(top.at(0, i), Source::computed), " / ", plain_text(bottom),
                                " = ", plain_text(result.at(0, i))));
}

void work_sum(Step& step, const Matrix& terms, double total) {
  if (terms.columns > kTermsByHand) return;
  step.work.push_back(sum_text(terms.row(0), Source::computed) + " = " + plain_text(total));
}

void add_direct(Lesson& lesson, const Numbers& n) {
  Step& exponentials = add_step(lesson, words::kExp);
  exponentials.shape = shape_text(n.x) + " -> " + shape_text(n.x);
  exponentials.tables = {row(n, "exp", "exp(x)", n.exp)};
  for (int64_t i = 0; i < std::min(n.x.columns, kLinesByHand); ++i)
    exponentials.work.push_back(
        text_of("exp(", exact_text(n.x.at(0, i)), ") = ", plain_text(n.exp.at(0, i))));
  Step& sum = add_step(lesson, words::kSum);
  sum.shape = shape_text(n.x) + " -> []";
  sum.tables = {number_table("sum", "S", n.sum)};
  work_sum(sum, n.exp, n.sum);
  Step& divide = add_step(lesson, words::kDivide);
  divide.shape = shape_text(n.x) + " / [] -> " + shape_text(n.x);
  const Matrix p = plain::divided(n.exp, n.sum);
  divide.tables = {row(n, "p", "p = softmax(x)", p)};
  work_division(divide, n.exp, n.sum, p);
}

void add_shift(Lesson& lesson, const Numbers& n) {
  Step& step = add_step(lesson, words::kShift, {exact_text(n.largest)});
  step.shape = shape_text(n.x) + " -> " + shape_text(n.x);
  step.tables = {
      row(n, "shifted", "x - m", n.shifted), row(n, "exp_shifted", "exp(x - m)", n.exp_shifted),
      number_table("sum_shifted", "Σ exp(x - m)", n.sum_shifted), row(n, "p_shifted", "p", n.p)};
  for (int64_t i = 0; i < std::min(n.x.columns, kLinesByHand); ++i)
    step.work.push_back(text_of("exp(", exact_text(n.x.at(0, i)), " - ",
                                term(n.largest, Source::given),
                                ") = ", plain_text(n.exp_shifted.at(0, i))));
  work_sum(step, n.exp_shifted, n.sum_shifted);
  work_division(step, n.exp_shifted, n.sum_shifted, n.p);
}

void add_large(Lesson& lesson, const Numbers& n) {
  const Matrix large = plain::shifted(n.x, 1000);
  Step& step = add_step(lesson, words::kLarge);
  step.tables = {
      row(n, "large", "x + 1000", large),
      row(n, "large_shifted", "x + 1000 - max", plain::shifted(large, -plain::largest(large))),
      row(n, "large_p", "p", plain::softmax(large))};
}

void add_math(Lesson& lesson, const Numbers& n) {
  Step& definition = add_step(lesson, words::kDefinition);
  definition.shape = shape_text(n.x) + " -> " + shape_text(n.x);
  definition.tables = {given(n), row(n, "p", "p = softmax(x)", n.p)};
  const double lse = n.largest + std::log(n.sum_shifted);
  Step& log_sum = add_step(lesson, words::kLogSum);
  log_sum.shape = shape_text(n.x) + " -> []";
  log_sum.tables = {number_table("sum_shifted", "Σ exp(x - m)", n.sum_shifted),
                    number_table("lse", "lse(x)", lse)};
  log_sum.work = {text_of(term(n.largest, Source::given), " + log(", plain_text(n.sum_shifted),
                          ") = ", plain_text(lse))};
  Step& jacobian = add_step(lesson, words::kJacobian);
  jacobian.shape = text_of("[", n.x.columns, ",", n.x.columns, "]");
  jacobian.tables = {
      {"jacobian", "∂p/∂x", plain::softmax_jacobian(n.p), labels("p", n.x.columns), n.names}};
  int64_t target = 0;
  while (n.x.at(0, target) != n.largest) ++target;
  Step& loss = add_step(lesson, words::kLoss, {std::to_string(target + 1)});
  Matrix gradient = n.p;
  gradient.at(0, target) -= 1;
  loss.tables = {number_table("loss", "L", lse - n.largest),
                 row(n, "loss_gradient", "∂L/∂x", std::move(gradient))};
  const CodeBlock code[] = {words::kCodeInput, words::kCodeMath};
  set_code(lesson, code, {python_vector(n.x), std::to_string(target)});
}

void set_student_code(Lesson& lesson, const Numbers& n) {
  std::vector<CodeBlock> blocks = {words::kCodeInput};
  if (n.direct) blocks.push_back(words::kCodeDirect);
  blocks.push_back(words::kCodeShift);
  if (n.overflowing) blocks.push_back(words::kCodeLarge);
  set_code(lesson, blocks, {python_vector(n.x)});
}

void build(const ExplainRequest& request, Lesson& lesson) {
  const Numbers n = compute(input_or(request, lesson, "x", {{2, 1, 0.1}}));
  Picture picture{Picture::Kind::bars,
                  "p",
                  std::string(words::kPicture(lesson.lang)),
                  std::string(words::kEntry(lesson.lang)),
                  std::string(words::kShare(lesson.lang)),
                  n.p};
  picture.rows = {"p"};
  picture.columns = n.names;
  lesson.pictures = {picture};
  if (lesson.level == Level::math) return add_math(lesson, n);
  set_student_code(lesson, n);
  if (lesson.level == Level::story) {
    add_step(lesson, words::kStoryShares).tables = {given(n)};
    add_step(lesson, words::kStoryCake).tables = {
        row(n, n.direct ? "p" : "p_shifted", "softmax(x)", n.p)};
    add_step(lesson, words::kStoryShift);
    return;
  }
  add_step(lesson, words::kInput).tables = {given(n)};
  if (n.direct)
    add_direct(lesson, n);
  else
    add_step(lesson, words::kBeyond, {exact_text(n.largest)});
  add_shift(lesson, n);
  if (n.overflowing) add_large(lesson, n);
}

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::vector, {"점수 벡터", "the vector of scores"}},
};

}  // namespace

const Topic& softmax_topic() {
  static constexpr Topic topic{"softmax", words::kTitle, kInputs, false, false, build};
  return topic;
}

}  // namespace jogak
