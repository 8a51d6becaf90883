#include <algorithm>

#include "draw/numbers.h"
#include "explain/arithmetic.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::vector, {"점수 벡터", "the vector of scores"}, "1,n"},
};

struct Scores {
  TableStyle style;     // the names of the entries
  std::string largest;  // as text
  bool direct;          // exp(x) can be written down with enough digits
  bool overflowing;     // exp(x + 1000) cannot
};

void write_story(Sheet& s, const Scores& x) {
  s.step({"shares",
          {"점수에서 몫으로", "From scores to shares"},
          {"점심 메뉴마다 점수를 매겼다고 합시다. 점수는 아무 숫자나 될 수 있어서, 그대로는 누가 "
           "얼마나 더 좋은지 나누어 말하기 어렵습니다.",
           "Say you have given every dish on the menu a score. A score can be any number, so on "
           "its own it does not tell how to share things out."}});
  s.show("x", "x", x.style);
  s.step({"cake",
          {"케이크 한 판 나누기", "One cake for all"},
          {"소프트맥스는 점수를 케이크 조각으로 바꿉니다. 먼저 점수를 e의 거듭제곱으로 부풀립니다. "
           "점수가 1만 높아도 조각은 2.7배쯤 커집니다. 그런 다음 전체로 나누면 모든 조각을 더해 꼭 "
           "한 판이 됩니다. 1등이 돋보이지만 나머지도 제 몫을 받습니다. 그래서 이름이 "
           "부드러운(soft) 최댓값(max)입니다.",
           "Softmax turns the scores into slices of one cake. First every score is blown up as a "
           "power of e: one point more makes a slice about 2.7 times as large. Then all are "
           "divided by their sum, so that the slices make exactly one cake. The best stands out, "
           "yet the others still get something: a soft kind of maximum."}});
  s.table(x.direct ? "p" : "p_shifted", "softmax(x)", "softmax(x)", x.style);
  s.step({"shift",
          {"중요한 것은 차이뿐", "Only differences count"},
          {"모두의 점수를 똑같이 올리거나 내려도 조각의 크기는 그대로입니다. 컴퓨터는 이 성질을 "
           "빌려 가장 큰 점수를 0으로 맞춘 뒤 계산합니다. 그래서 점수가 아무리 커도 숫자가 넘치지 "
           "않습니다.",
           "Raise or lower all scores by the same amount and the slices stay as they are. "
           "Computers use this: they move the largest score to 0 first, so that even huge scores "
           "never overflow."}});
}

void add_direct(Sheet& s, const Scores& x) {
  s.step({"exp",
          {"지수", "Exponentials"},
          {"점수마다 e를 그만큼 거듭제곱합니다. 결과는 언제나 양수이고, 점수가 1 커질 때마다 약 "
           "2.718배가 됩니다.",
           "Raise e to each score. The result is always positive, and each point more multiplies "
           "it by about 2.718."},
          "e_i = exp(x_i)"});
  s.table("exp", "exp(x)", "exp(x)", x.style);
  s.step({"sum",
          {"합", "Their sum"},
          {"지수를 모두 더합니다.", "Add all exponentials."},
          "S = Σ_j e_j"});
  s.table("sum", "S", "sum(exp)");
  s.step({"divide",
          {"나누기", "Divide"},
          {"지수를 합으로 나눕니다. 이제 모두 0과 1 사이에 있고, 더하면 1입니다. 확률처럼 읽을 수 "
           "있습니다.",
           "Divide each exponential by the sum. Now all lie between 0 and 1 and add up to 1: they "
           "can be read as probabilities."},
          "p_i = e_i / S"});
  s.table("p", "p = softmax(x)", "exp / sum", x.style);
}

void add_shift(Sheet& s, const Scores& x) {
  s.step(
      {"shift",
       {"모두 같은 만큼 옮기기", "Shift them all"},
       {"모든 점수에서 가장 큰 점수({0})를 뺍니다. 분자와 분모가 같은 수로 나뉘므로 확률은 "
        "그대로이고, 가장 큰 지수가 exp(0) = 1이므로 넘치지 않습니다.",
        "Subtract the largest score, {0}, from all. Top and bottom of the fraction are divided by "
        "the same number, so the probabilities stay; and the largest exponential is exp(0) = 1, "
        "so nothing can overflow."},
       "p_i = exp(x_i - m) / Σ_j exp(x_j - m),  m = max_j x_j"},
      {x.largest});
  s.table("shifted", "x - m", "x - max(x)", x.style);
  s.table("exp_shifted", "exp(x - m)", "exp(shifted)", x.style);
  s.table("sum_shifted", "Σ exp(x - m)", "sum(exp_shifted)");
  s.table("p_shifted", "p", "exp_shifted / sum_shifted", x.style);
  s.library("assert torch.allclose(p_shifted, F.softmax(x, dim=1))");
}

void write_student(Sheet& s, const Scores& x) {
  s.step({"input",
          {"점수", "The scores"},
          {"소프트맥스는 아무 숫자나 받습니다. 음수도, 1보다 큰 수도 괜찮습니다. 클수록 더 마음에 "
           "든다는 뜻입니다.",
           "Softmax takes any numbers, negative ones and ones above 1 alike. Larger means "
           "preferred."}});
  s.show("x", "x", x.style);
  if (x.direct)
    add_direct(s, x);
  else
    s.step({"beyond",
            {"그대로는 계산할 수 없는 점수", "Scores that cannot be used as they are"},
            {"exp({0})의 값은 그대로 쓰기에 너무 크거나 너무 작습니다. 배정밀도 실수에는 t가 "
             "-745에서 709 사이일 때만 exp(t)가 담깁니다. 그래서 다음 단계처럼 먼저 옮깁니다.",
             "exp({0}) is too large or too small to work with: a double holds exp(t) only for t "
             "between about -745 and 709. So the scores are shifted first, as in the next step."}},
           {x.largest});
  add_shift(s, x);
  if (!x.overflowing) return;
  s.step({"large",
          {"아주 큰 점수", "Very large scores"},
          {"점수마다 1000을 더해 봅시다. 그대로 계산하면 exp가 넘쳐 ∞ / ∞, 곧 NaN이 됩니다. 가장 "
           "큰 점수를 먼저 빼면 앞과 같은 확률이 나옵니다.",
           "Add 1000 to every score. Computed directly, exp overflows and ∞ / ∞ is NaN. With the "
           "largest subtracted first, the probabilities are the same as before."},
          "softmax(x + 1000) = softmax(x)"});
  TableStyle quiet = x.style;
  quiet.lines = 0;
  s.table("large", "x + 1000", "x + 1000", quiet);
  s.table("large_shifted", "x + 1000 - max", "large - max(large)", quiet);
  s.table("large_p", "p", "softmax(large_shifted)", quiet);
}

void write_math(Sheet& s, const Scores& x) {
  TableStyle quiet = x.style;
  quiet.lines = 0;
  s.step({"definition",
          {"정의", "Definition"},
          {"소프트맥스는 R^n에서 확률 단체(모두 양수이고 합이 1인 벡터의 모임)의 안쪽으로 가는 "
           "매끄러운 함수입니다. 모든 x에 같은 상수를 더해도 값이 같으므로 일대일은 아닙니다.",
           "Softmax maps R^n smoothly onto the inside of the probability simplex (positive "
           "entries with sum 1). It is not one-to-one: adding a constant to all x changes "
           "nothing."},
          "p_i = exp(x_i) / Σ_j exp(x_j) = exp(x_i - c) / Σ_j exp(x_j - c)"});
  s.show("x", "x", x.style);
  s.table("p", "p = softmax(x)", "softmax(x)", quiet);
  s.step({"logsumexp",
          {"로그합", "Log-sum-exp"},
          {"정규화 상수의 로그도 같은 방법으로 안전하게 구합니다. 그 기울기가 바로 "
           "소프트맥스입니다.",
           "The logarithm of the normaliser is computed safely in the same way. Its gradient is "
           "softmax itself."},
          "lse(x) = m + log Σ_j exp(x_j - m),  ∂lse/∂x_i = p_i,  log p_i = x_i - lse(x)"});
  s.table("sum_shifted", "Σ exp(x - m)", "sum(exp(x - max(x)))", {.lines = 0});
  s.table("lse", "lse(x)", "max(x) + log(sum_shifted)");
  s.library("assert torch.allclose(lse, torch.logsumexp(x, dim=1))");
  s.step({"jacobian",
          {"야코비 행렬", "Jacobian"},
          {"대칭이고 모든 행의 합이 0입니다(다 같이 움직이면 아무 일도 없으므로). 대각 성분 "
           "p(1-p)는 1/4을 넘지 못하며, p가 0이나 1에 가까우면 사라집니다. 이것이 포화입니다.",
           "Symmetric, and every row sums to 0 (moving all scores together does nothing). The "
           "diagonal p(1-p) never exceeds 1/4 and vanishes as p nears 0 or 1: saturation."},
          "∂p_i/∂x_j = p_i·(δ_ij - p_j),  J = diag(p) - pᵀ·p"});
  const int64_t n = s.of("x").columns;
  s.table("jacobian", "∂p/∂x", "p.T * (identity(p) - p)",
          {.rows = labels("p", n), .columns = labels("x", n)});
  const auto& scores = s.of("x").values;
  const auto target = std::max_element(scores.begin(), scores.end()) - scores.begin() + 1;
  s.step({"loss",
          {"교차 엔트로피와 함께", "Together with cross-entropy"},
          {"정답이 {0}번 항목이라고 합시다. 손실과 그 기울기입니다. 로그가 지수를 풀어 주므로 "
           "기울기는 포화하지 않는 단순한 차이, 확률 빼기 정답입니다.",
           "Let entry {0} be the right one. The loss and its gradient: the logarithm undoes the "
           "exponential, and what remains is a plain difference that does not saturate, "
           "probability minus truth."},
          "L = -log p_t = lse(x) - x_t,  ∂L/∂x_i = p_i - [i = t]"},
         {std::to_string(target)});
  s.table("loss", "L", "lse - max(x)");
  s.table("loss_gradient", "∂L/∂x", "p - pick(x)", x.style);
}

void write(Sheet& s) {
  const Matrix& x = s.input("x", {{2, 1, 0.1}});
  const double largest = plain::largest(x);
  const Parts names = labels("x", x.columns);
  const Scores scores{{.columns = names},
                      exact_text(largest),
                      largest >= -20 && largest <= 700,
                      largest + 1000 > 710};
  s.tell(write_story, write_student, write_math, scores);
  Picture& picture = s.chart(
      Picture::Kind::bars, "p", plain::softmax(x),
      {{"확률", "Probabilities"}, {"항목", "entry"}, {"확률", "probability"}}, {"p"}, names);
  picture.high = 1;
}

}  // namespace

const Topic& softmax_topic() {
  static constexpr Topic topic{
      .name = "softmax",
      .title = {"소프트맥스: 점수를 확률로", "Softmax: from scores to probabilities"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
