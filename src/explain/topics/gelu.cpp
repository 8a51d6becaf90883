#include <algorithm>
#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x",
     TopicInput::Kind::vector,
     {"함수에 넣을 수", "what goes through the function"},
     "1,n",
     -20,
     20},
};

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

// Where GELU is lowest, by cutting the interval [-2, 0] into thirds.
Matrix lowest() {
  double low = -2, high = 0;
  for (int i = 0; i < 100; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (gelu(a) < gelu(b) ? high : low) = gelu(a) < gelu(b) ? b : a;
  }
  return Matrix::row_of({low, gelu(low)});
}

constexpr std::string_view kSearch = R"(def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


low, high = -2.0, 0.0
for i in range(100):
    a, b = low + (high - low) / 3, high - (high - low) / 3
    if gelu(a) < gelu(b):
        high = b
    else:
        low = a
lowest = )";

void add_lowest(Sheet& s) {
  // The place of a flat minimum is known to about half the digits of a double.
  s.coded("lowest", s.in({"가장 낮은 곳", "the lowest place"}), lowest(),
          std::string(kSearch) + "np.array([low, gelu(low)])",
          std::string(kSearch) + "torch.tensor([low, gelu(low)])",
          {.columns = {"x", "GELU(x)"}, .digits = 5});
}

void add_exact(Sheet& s, const Parts& names) {
  s.table("chance", "Φ(x)", "0.5 * (1 + erf(x / sqrt(2)))", {{}, names});
  s.table("gelu_erf", "GELU(x) = x·Φ(x)", "x * chance", {{}, names});
}

void add_fast(Sheet& s, const Parts& names) {
  s.table("inner", "√(2/π)·(x + 0.044715·x³)", "sqrt(2 / pi) * (x + 0.044715 * x ** 3)",
          {{}, names});
  s.table("gelu_tanh", "GELU_tanh(x)", "0.5 * x * (1 + tanh(inner))", {{}, names});
}

void write_story(Sheet& s, const Parts& names) {
  s.step(
      {"doors",
       {"문지기", "Doorkeepers"},
       {"ReLU는 엄격한 문지기입니다. 양수는 그대로 들이고 음수는 모두 0으로 막습니다. GELU는 "
        "너그러운 문지기입니다. 큰 수는 거의 그대로, 작은 수는 조금만 들이고, 0 바로 아래에서는 "
        "살짝 음수를 내보냅니다.",
        "ReLU is a strict doorkeeper: positive numbers pass as they are, negative ones become 0. "
        "GELU is a gentle one: large numbers pass nearly whole, small ones a little, and just "
        "below 0 it lets out something slightly negative."}});
  s.show("x", "x", {{}, names});
  s.table("relu", "ReLU(x)", "relu(x)", {{}, names});
  s.let("chance", "0.5 * (1 + erf(x / sqrt(2)))");
  s.table("gelu_erf", "GELU(x)", "x * chance", {{}, names});
  s.step({"bend",
          {"구부리는 까닭", "Why bend at all"},
          {"구부리지 않으면 층을 아무리 쌓아도 곧은 층 하나와 같습니다. 굽은 곳이 있어야 복잡한 "
           "모양을 배웁니다. GELU에 우연은 없습니다. 같은 수를 넣으면 언제나 같은 수가 나옵니다.",
           "Without a bend any number of layers is one straight layer. Bends make intricate shapes "
           "possible. Nothing about GELU is left to chance: the same number in, the same number "
           "out."}});
  add_lowest(s);
}

void write_student(Sheet& s, const Parts& names) {
  s.step({"input",
          {"입력", "The input"},
          {"피드포워드의 가운데에서 성분마다 따로 함수를 지납니다.",
           "In the middle of the feed-forward every entry passes a function of its own."}});
  s.show("x", "x", {{}, names});
  s.step(
      {"relu",
       {"ReLU 함수", "ReLU"},
       {"음수는 0, 양수는 그대로인 함수입니다.", "Negative numbers become 0, positive ones stay."},
       "ReLU(x) = max(0, x)"});
  s.table("relu", "ReLU(x)", "relu(x)", {{}, names});
  s.step(
      {"exact",
       {"GELU, 정확한 식", "GELU, exactly"},
       {"x에 Φ(x), 곧 표준정규분포에서 x보다 작을 확률을 곱합니다. 확률이라는 말이 나오지만 "
        "뽑기는 없습니다. 정해진 함수입니다.",
        "Multiply x by Φ(x), the share of a standard normal distribution below x. The word share "
        "is all there is of chance: nothing is drawn, it is a fixed function."},
       "GELU(x) = x·Φ(x),  Φ(x) = ½·(1 + erf(x/√2))"});
  add_exact(s, names);
  s.step(
      {"fast",
       {"GELU, tanh로 어림", "GELU, by tanh"},
       {"GPT-2는 erf 대신 tanh로 어림한 식을 씁니다. 넷째 자리쯤에서 갈립니다. 가중치를 옮길 때는 "
        "어느 쪽으로 학습했는지 맞춰야 합니다.",
        "GPT-2 uses an approximation by tanh. They part at about the fourth digit; weights must "
        "be run with the one they were trained with."},
       "½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))"});
  add_fast(s, names);
  s.table("gap", "GELU_tanh - GELU", "gelu_tanh - gelu_erf", {{}, names});
  s.step(
      {"lowest",
       {"단조롭지 않다", "Not monotone"},
       {"GELU는 x가 커질 때 늘 커지지는 않습니다. 0보다 조금 아래에서 가장 낮고, 거기서 왼쪽으로 "
        "가면 도로 0에 가까워집니다.",
        "GELU does not always rise with x: it is lowest a little below 0, and further to the left "
        "it comes back to 0."},
       "GELU'(x) = 0"});
  add_lowest(s);
}

void write_math(Sheet& s, const Parts& names) {
  s.step(
      {"definition",
       {"정의와 도함수", "Definition and derivative"},
       {"X ~ N(0, 1)일 때 GELU(x) = E[x·1(X < x)]이지만, 기댓값이므로 결정적입니다. 도함수는 x가 "
        "커지면 1로, 작아지면 0으로 가고, 가장 낮은 곳의 왼쪽에서는 음수입니다.",
        "With X ~ N(0, 1), GELU(x) = E[x·1(X < x)]: an expectation, hence deterministic. The "
        "derivative tends to 1 and to 0 and is negative left of the lowest place."},
       "GELU(x) = x·Φ(x),  GELU'(x) = Φ(x) + x·φ(x),  φ(x) = exp(-x²/2) / √(2π)"});
  s.show("x", "x", {{}, names});
  add_exact(s, names);
  s.table("density", "φ(x)", "exp(-x ** 2 / 2) / sqrt(2 * pi)", {{}, names});
  s.table("slope", "GELU'(x)", "chance + x * density", {{}, names});
  add_lowest(s);
  s.step(
      {"approximation",
       {"tanh 어림", "The tanh approximation"},
       {"Φ(x) ≈ ½·(1 + tanh(√(2/π)·(x + 0.044715·x³))). 0에서의 기울기 √(2/π)가 맞고, 오차는 "
        "0.0005를 넘지 않습니다. ReLU의 도함수는 1(x > 0)입니다.",
        "Φ(x) ≈ ½·(1 + tanh(√(2/π)·(x + 0.044715·x³))): the slope at 0 agrees, and the error stays "
        "below 0.0005. The derivative of ReLU is 1(x > 0)."},
       "|GELU_tanh(x) - GELU(x)| < 0.0005"});
  add_fast(s, names);
  s.table("gap", "GELU_tanh - GELU", "gelu_tanh - gelu_erf", {{}, names});
  s.table("relu", "ReLU(x)", "relu(x)", {{}, names});
  s.table("relu_slope", "1(x > 0)", "positive(x)", {{}, names});
}

void write(Sheet& s) {
  const Matrix& x = s.input("x", {{-3, -1, -0.752, 0, 0.5, 1, 3}});
  const Parts names = labels("x", x.columns);
  s.tell(write_story, write_student, write_math, names);
  constexpr int64_t kPoints = 81;
  Matrix curves(2, kPoints);
  Parts places;
  for (int64_t i = 0; i < kPoints; ++i) {
    const double at = static_cast<double>(i - kPoints / 2) / 10;
    curves.at(0, i) = std::max(at, 0.0);
    curves.at(1, i) = gelu(at);
    places.push_back(exact_text(at));
  }
  s.chart(Picture::Kind::lines, "curves", curves,
          {{"ReLU와 GELU", "ReLU and GELU"}, {"x", "x"}, {"값", "value"}}, {"ReLU", "GELU"},
          places);
}

}  // namespace

const Topic& gelu_topic() {
  static constexpr Topic topic{.name = "gelu",
                               .title = {"GELU와 ReLU: 구부리기", "GELU and ReLU: the bend"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
