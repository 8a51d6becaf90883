#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"g", TopicInput::Kind::vector, {"스텝마다의 기울기", "the gradient at each step"}, "1,n"},
    {"lr", TopicInput::Kind::number, {"학습률", "learning rate"}, "1,1", 1e-6, 10},
};

constexpr double kB1 = 0.9, kB2 = 0.98, kEps = 1e-9;

// Columns: g, m, v, m corrected, v corrected, update.
Matrix history(const Matrix& g, double lr) {
  Matrix out(g.columns, 6);
  double m = 0, v = 0;
  for (int64_t t = 0; t < g.columns; ++t) {
    const double now = g.at(0, t), age = static_cast<double>(t + 1);
    m = kB1 * m + (1 - kB1) * now;
    v = kB2 * v + (1 - kB2) * now * now;
    const double m_hat = m / (1 - std::pow(kB1, age)), v_hat = v / (1 - std::pow(kB2, age));
    const double row[] = {now, m, v, m_hat, v_hat, lr * m_hat / (std::sqrt(v_hat) + kEps)};
    for (int64_t j = 0; j < 6; ++j) out.at(t, j) = row[j];
  }
  return out;
}

constexpr std::string_view kLoop = R"(mean, square, lines = 0.0, 0.0, []
for t, now in enumerate(g[0].tolist(), start=1):
    mean = 0.9 * mean + 0.1 * now
    square = 0.98 * square + 0.02 * now**2
    a, b = mean / (1 - 0.9**t), square / (1 - 0.98**t)
    lines.append([now, mean, square, a, b, float(lr[0, 0]) * a / (math.sqrt(b) + 1e-9)])
history = )";

void add_history(Sheet& s) {
  s.coded("history", s.in({"스텝마다", "step by step"}), history(s.of("g"), s.of("lr").at(0, 0)),
          std::string(kLoop) + "np.array(lines)", std::string(kLoop) + "torch.tensor(lines)",
          {.rows = labels("t = ", s.of("g").columns), .columns = {"g", "m", "v", "m̂", "v̂", "Δ"}});
}

void show_given(Sheet& s) {
  s.show("g", "g", {{}, labels("t = ", s.of("g").columns)});
  s.show("lr", "η");
}

void add_first(Sheet& s) {
  s.table("first", "g_1", "g[:, 0:1]", {.lines = 0});
  s.table("m", "m", "0.9 * 0 + (1 - 0.9) * first");
  s.table("v", "v", "0.98 * 0 + (1 - 0.98) * first ** 2", {.digits = 10});
}

void add_corrected(Sheet& s) {
  s.table("m_hat", "m̂", "m / (1 - 0.9 ** 1)");
  s.table("v_hat", "v̂", "v / (1 - 0.98 ** 1)", {.digits = 10});
}

void write_story(Sheet& s) {
  s.step(
      {"sledge",
       {"눈썰매", "A sledge"},
       {"Adam은 눈썰매처럼 관성이 있습니다. m은 요즘 어느 쪽으로 미끄러지고 있는지, v는 그 길이 "
        "얼마나 울퉁불퉁한지 기억합니다. 울퉁불퉁한 쪽으로는 조심조심, 고른 쪽으로는 성큼성큼 "
        "갑니다.",
        "Adam slides like a sledge: m remembers which way it has been going, v how bumpy that way "
        "was. It takes small steps where it is bumpy and long ones where it is smooth."}});
  show_given(s);
  s.step(
      {"scale",
       {"기울기의 크기는 상관없다", "The size of the gradient does not matter"},
       {"첫 스텝의 길이는 기울기가 크든 작든 학습률과 같습니다. m을 √v로 나누면서 크기가 지워지기 "
        "때문입니다.",
        "The first step is as long as the learning rate, however large the gradient: dividing m by "
        "√v wipes its size out."}});
  add_history(s);
}

void write_student(Sheet& s) {
  s.step(
      {"input",
       {"기울기와 학습률", "Gradients and the learning rate"},
       {"매개변수 하나를 따라가 봅시다. 2017년 논문의 값 β1 = 0.9, β2 = 0.98, ε = 1e-9를 씁니다.",
        "Follow one parameter, with β1 = 0.9, β2 = 0.98, ε = 1e-9 as in the 2017 paper."}});
  show_given(s);
  s.step({"moments",
          {"두 가지 평균", "Two averages"},
          {"m은 기울기의, v는 기울기 제곱의 이동 평균입니다. 둘 다 0에서 시작합니다.",
           "m is a moving average of the gradient, v of its square. Both start at 0."},
          "m ← β1·m + (1 - β1)·g,  v ← β2·v + (1 - β2)·g²"});
  add_first(s);
  s.step(
      {"correct",
       {"치우침 바로잡기", "Correct the bias"},
       {"0에서 시작했으므로 처음에는 둘 다 너무 작습니다. 1 - β^t로 나누면 첫 스텝부터 제 크기가 "
        "됩니다.",
        "Starting from 0, both are too small at first. Divided by 1 - β^t they have the right size "
        "from the first step on."},
       "m̂ = m / (1 - β1^t),  v̂ = v / (1 - β2^t)"});
  add_corrected(s);
  s.step({"update",
          {"한 스텝", "One step"},
          {"m̂을 √v̂로 나누면 첫 스텝에서는 ±1이므로, 스텝의 길이가 꼭 학습률입니다.",
           "m̂ over √v̂ is ±1 at the first step, so the step is exactly the learning rate."},
          "Δ = η·m̂ / (√v̂ + ε),  θ ← θ - Δ"});
  s.table("update", "Δ", "lr * m_hat / (sqrt(v_hat) + 0.000000001)");
  s.step({"history",
          {"이어지는 스텝", "The steps that follow"},
          {"기울기의 부호가 바뀌면 m이 줄어 스텝도 짧아집니다.",
           "When the gradient changes its sign, m shrinks and so does the step."},
          "t = 1, 2, 3, …"});
  add_history(s);
  s.step({"larger",
          {"기울기가 천 배라면", "A gradient a thousand times as large"},
          {"첫 스텝은 그대로입니다. SGD라면 천 배 길어졌을 것입니다.",
           "The first step stays; that of SGD would be a thousand times as long."},
          "1000·m̂ / √(1000²·v̂) = m̂ / √v̂"});
  s.table("larger_update", "Δ", "lr * 1000 * m_hat / (sqrt(1000000 * v_hat) + 0.000000001)");
  s.table("sgd", "η·1000·g", "lr * 1000 * first");
}

void write_math(Sheet& s) {
  s.step(
      {"bias",
       {"치우침 보정의 까닭", "Why the bias is corrected"},
       {"기울기가 정상이면 E[m_t] = (1 - β1^t)·E[g], E[v_t] = (1 - β2^t)·E[g²]입니다. 나누면 "
        "치우치지 않은 추정이 됩니다. |Δ| ≤ η·(1 - β1)/√(1 - β2) (드문 기울기), 정상이면 대략 η "
        "이하입니다.",
        "For stationary gradients E[m_t] = (1 - β1^t)·E[g] and E[v_t] = (1 - β2^t)·E[g²]; dividing "
        "makes both unbiased. |Δ| ≤ η·(1 - β1)/√(1 - β2) for rare gradients, about η otherwise."},
       "m_t = (1 - β1)·Σ_k β1^(t-k)·g_k,  Σ_k (1 - β1)·β1^(t-k) = 1 - β1^t"});
  show_given(s);
  add_first(s);
  add_corrected(s);
  s.table("update", "Δ", "lr * m_hat / (sqrt(v_hat) + 0.000000001)");
  s.step({"decay",
          {"AdamW의 감쇠", "AdamW"},
          {"가중치 감쇠를 기울기에 더하지 않고(그러면 √v̂로 나뉩니다) 따로 뺍니다: 분리된 감쇠.",
           "Weight decay is not added to the gradient, where √v̂ would divide it, but subtracted on "
           "its own: decoupled."},
          "θ ← θ - Δ - η·λ·θ"});
  add_history(s);
}

void write(Sheet& s) {
  s.input("g", {{0.1, 0.1, -0.2}});
  s.input("lr", {{0.001}});
  s.tell(write_story, write_student, write_math);
  const Matrix& all = s.of("history");
  Matrix bars(1, all.rows);
  for (int64_t t = 0; t < all.rows; ++t) bars.at(0, t) = all.at(t, 5);
  s.chart(Picture::Kind::bars, "updates", bars,
          {{"스텝의 길이", "Length of each step"}, {"스텝", "step"}, {"Δ", "Δ"}}, {"Δ"},
          labels("t=", all.rows));
}

}  // namespace

const Topic& adam_topic() {
  static constexpr Topic topic{.name = "adam",
                               .title = {"Adam: 한 스텝을 손으로", "Adam: one step by hand"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
