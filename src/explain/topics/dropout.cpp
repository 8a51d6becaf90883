#include <cmath>

#include "base/random.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

using Kind = TopicInput::Kind;
constexpr TopicInput kInputs[] = {
    {"scores", Kind::matrix, {"어텐션 점수", "scores of attention"}, "n,m"},
    {"v", Kind::matrix, {"값, 키마다 한 행", "values, a row for every key"}, "m,e"},
    {"rate", Kind::number, {"지울 확률", "the chance that a weight is dropped"}, "1,1", 0, 0.9},
    {"seed", Kind::integer, {"난수 시드", "seed of the random numbers"}, {}, 0, 1e6},
};

Matrix drawn(int64_t rows, int64_t columns, double rate, int64_t seed) {
  Rng rng(static_cast<uint64_t>(seed));
  Matrix out(rows, columns);
  for (double& x : out.values) x = rng.uniform() < rate ? 0 : 1;
  return out;
}

// Every way two weights can be kept or dropped.
const Matrix kWays = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

void show_given(Sheet& s) {
  s.show("scores", "S");
  s.show("v", "V");
  s.show("rate", "p");
}

void add_dropped(Sheet& s) {
  s.show("keep", s.in({"남김 (1)과 지움 (0)", "kept (1) or dropped (0)"}));
  s.table("dropped", "A' = A∘M / (1 - p)", "weights * keep / (1 - rate)");
}

void write_story(Sheet& s) {
  s.step(
      {"team",
       {"쉬는 선수", "Players who rest"},
       {"연습할 때마다 제비를 뽑아 몇 선수를 쉬게 합니다. 남은 선수들이 그 몫까지 뛰어야 하니, "
        "아무도 "
        "한 사람에게만 기대지 않게 됩니다. 시합 날에는 모두 뜁니다.",
        "At every training session some players, drawn by lot, rest. The others run their share as "
        "well, so nobody comes to rely on one player alone. On match day all play."}});
  show_given(s);
  s.table("weights", "A", "softmax(scores)");
  s.step({"lot",
          {"연습에서", "In training"},
          {"지워진 가중치는 0이 되고 남은 가중치는 그만큼 커집니다. 평균을 내면 원래 가중치와 "
           "같습니다.",
           "Dropped weights become 0 and the others grow, so that on average nothing changes."}});
  add_dropped(s);
}

void add_expectation(Sheet& s) {
  s.show("ways", s.in({"두 가중치의 모든 경우", "every case of two weights"}));
  s.table("kept", s.in({"남은 수", "how many are kept"}), "row_sum(ways)");
  s.table("chance", s.in({"확률", "probability"}), "(1 - rate) ** kept * rate ** (2 - kept)",
          {.lines = 2});
  s.table("expected", "E[M / (1 - p)]", "column_sum(chance * ways / (1 - rate))");
}

void write_student(Sheet& s) {
  s.step({"input",
          {"점수, 값, 확률", "Scores, values, probability"},
          {"p는 가중치 하나를 지울 확률입니다.", "p is the chance that one weight is dropped."}});
  show_given(s);
  s.step(
      {"weights",
       {"먼저 소프트맥스", "Softmax first"},
       {"드롭아웃은 소프트맥스 뒤의 가중치에 겁니다. 점수에 걸면 0점은 '지움'이 아니라 평범한 "
        "점수가 "
        "되어 버립니다.",
        "Dropout acts on the weights, after the softmax. On scores it would not drop anything: a "
        "score of 0 is a score like any other."},
       "A = softmax(S)"});
  s.table("weights", "A", "softmax(scores)");
  s.step(
      {"drop",
       {"지우고 키우기", "Drop and scale up"},
       {"시드가 정한 자리를 0으로 만들고 나머지를 1/(1-p)배 합니다. 행의 합은 더 이상 1이 "
        "아닙니다.",
        "Entries chosen by the seed become 0, the rest are divided by 1-p. Rows no longer sum to "
        "1."},
       "A'_ij = A_ij·M_ij / (1 - p),  P(M_ij = 1) = 1 - p"});
  add_dropped(s);
  s.table("sums", "Σ_j A'_ij", "row_sum(dropped)");
  s.step(
      {"output",
       {"학습할 때와 쓸 때", "In training and afterwards"},
       {"학습할 때만 A'을 쓰고, 쓸 때는 A를 그대로 씁니다. 쓸 때 따로 줄일 것이 없는 것은 학습할 "
        "때 미리 "
        "키웠기 때문입니다.",
        "A' is used in training only; afterwards A is used as it is. Nothing needs scaling then, "
        "because it was scaled in training."},
       "training: A'·V,   otherwise: A·V"});
  s.table("training", "A'·V", "dropped @ v");
  s.table("running", "A·V", "weights @ v");
  s.step(
      {"expectation",
       {"평균은 그대로", "On average nothing changes"},
       {"가중치 둘을 지우거나 남기는 네 경우를 확률로 평균하면 곱하는 수의 평균이 꼭 1입니다.",
        "Average the four cases of two weights by their probabilities: the mean factor is exactly "
        "1."},
       "E[M / (1 - p)] = (1 - p)·1/(1 - p) + p·0 = 1"});
  add_expectation(s);
}

void write_math(Sheet& s) {
  s.step(
      {"unbiased",
       {"기댓값과 분산", "Mean and variance"},
       {"M_ij는 독립인 베르누이(1 - p)입니다. A'은 A의 치우치지 않은 추정이고 분산은 "
        "A²·p/(1-p)입니다. "
        "기울기도 같은 M을 지나므로, 지워진 길로는 흐르지 않습니다.",
        "M_ij are independent Bernoulli(1 - p). A' is unbiased with variance A²·p/(1-p). Gradients "
        "pass the same M: nothing flows along a dropped way."},
       "E[A'] = A,  Var[A'_ij] = A_ij²·p / (1 - p),  ∂L/∂A = M∘∂L/∂A' / (1 - p)"});
  show_given(s);
  s.table("weights", "A", "softmax(scores)", {.lines = 0});
  add_dropped(s);
  s.table("variance", "Var[A']", "weights ** 2 * rate / (1 - rate)");
  s.step({"cases",
          {"네 경우로 확인", "Checked by cases"},
          {"두 가중치의 네 경우를 모두 더한 기댓값입니다.",
           "The expectation over all four cases of two weights."},
          "Σ_M P(M)·M / (1 - p) = 1"});
  add_expectation(s);
}

void write(Sheet& s) {
  const Matrix& scores = s.input("scores", {{2, 1, 0}, {0, 1, 0}, {1, 1, 1}});
  s.input("v", {{1, 2}, {3, 4}, {5, 6}});
  const double rate = s.input("rate", {{0.5}}).at(0, 0);
  const int64_t seed = s.integer("seed", 1);
  s.constant("keep", drawn(scores.rows, scores.columns, rate, seed));
  s.constant("ways", kWays);
  s.tell(write_story, write_student, write_math);
  const Parts rows = labels("q", scores.rows), columns = labels("k", scores.columns);
  const Words key{"키", "key"}, query{"쿼리", "query"};
  s.heatmap("weights", s.of("weights"), {{"드롭아웃 전", "Before dropout"}, key, query}, rows,
            columns);
  const double high = s.heatmap("dropped", s.of("dropped"),
                                {{"드롭아웃 후", "After dropout"}, key, query}, rows, columns)
                          .high;
  s.lesson().pictures[0].high = high;  // one scale for both
}

}  // namespace

const Topic& dropout_topic() {
  static constexpr Topic topic{
      .name = "dropout",
      .title = {"드롭아웃: 연습 때만 쉬게 하기", "Dropout: resting, in training only"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
