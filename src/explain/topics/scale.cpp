#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"scores", TopicInput::Kind::matrix, {"점수", "scores"}, "n,m"},
    {"d_k",
     TopicInput::Kind::integer,
     {"쿼리와 키의 길이", "length of queries and keys"},
     "",
     1,
     4096},
};

constexpr int64_t kWidth = 64;

void add_weights(Sheet& s, const std::string& root) {
  s.show("scores", "s");
  s.table("plain", "softmax(s)", "softmax(scores)");
  s.table("scaled", "s / √d_k", "scores / " + root);
  s.table("divided", "softmax(s / √d_k)", "softmax(scaled)");
}

void add_slopes(Sheet& s) {
  s.table("slope_plain", "p·(1 - p),  p = softmax(s)", "plain * (1 - plain)");
  s.table("slope_divided", "p·(1 - p),  p = softmax(s / √d_k)", "divided * (1 - divided)");
}

void write_story(Sheet& s, const std::string& root) {
  s.step(
      {"loud",
       {"목소리가 너무 크면", "When one voice is too loud"},
       {"회의에서 한 사람이 고함을 치면 다른 의견은 들리지 않습니다. 점수가 지나치게 크면 "
        "소프트맥스가 꼭 그렇게 됩니다. 한 단어가 거의 전부를 차지합니다.",
        "When one person in a meeting shouts, nobody else is heard. Scores that are too large do "
        "the same to softmax: one word takes nearly all."}});
  add_weights(s, root);
  s.step(
      {"learn",
       {"고칠 틈이 없습니다", "No room to learn"},
       {"한쪽으로 완전히 기운 저울은 살짝 밀어도 움직이지 않습니다. 모델은 조금씩 밀어 보며 "
        "배우기 때문에, 움직이지 않으면 배울 수 없습니다. 벡터 길이의 제곱근으로 나누어 목소리를 "
        "줄이면 다시 움직입니다.",
        "A scale that has tipped over does not answer a gentle push. A model learns by gentle "
        "pushes; where nothing moves, nothing is learned. Dividing by the root of the vectors' "
        "length lowers the voices, and the scale moves again."}});
  add_slopes(s);
}

void write_student(Sheet& s, const std::string& root) {
  const int64_t d = s.integer("d_k", kWidth);
  s.step(
      {"grow",
       {"내적은 길이를 따라 커집니다", "Dot products grow with length"},
       {"길이 {0}인 두 벡터의 내적은 곱 {0}개를 더한 것입니다. 성분이 보통 1 크기라면 내적은 보통 "
        "√{0} = {1} 크기입니다. 이런 점수가 나왔다고 합시다.",
        "The dot product of vectors of length {0} adds up {0} products. With entries of size 1 "
        "it is typically of size √{0} = {1}. Say these scores came out."},
       "s = q·k = Σ_c q_c·k_c"},
      {std::to_string(d), plain_text(std::sqrt(static_cast<double>(d)))});
  s.shape(shape_text(s.of("scores")));
  s.show("scores", "s");
  s.step(
      {"plain",
       {"그대로 소프트맥스", "Softmax as they are"},
       {"가장 큰 점수가 거의 모든 몫을 가져갑니다.", "The largest score takes nearly everything."},
       "p = softmax(s)"});
  s.table("plain", "softmax(s)", "softmax(scores)");
  s.step(
      {"divided",
       {"√d_k로 나눈 뒤", "After dividing by √d_k"},
       {"차례는 그대로이지만 몫이 고르게 나뉩니다.", "The order stays, but the shares are spread."},
       "p = softmax(s / √d_k)"});
  s.table("scaled", "s / √d_k", "scores / " + root);
  s.table("divided", "softmax(s / √d_k)", "softmax(scaled)");
  s.step({"slope",
          {"기울기: 왜 배움이 멈추나", "Slope: why learning stops"},
          {"점수를 조금 바꾸었을 때 그 몫이 얼마나 바뀌는지가 p(1-p)입니다. p가 1이나 0에 가까우면 "
           "0에 가까워져, 손실이 무엇을 원하든 점수까지 전해지지 않습니다. 이것이 포화입니다.",
           "How much a share moves when its score does is p(1-p). Near p = 1 or p = 0 it is close "
           "to 0, and whatever the loss wants does not reach the score: saturation."},
          "∂p_i/∂s_i = p_i·(1 - p_i)"});
  add_slopes(s);
}

void write_math(Sheet& s, const std::string& root) {
  s.step({"variance",
          {"분산", "Variance"},
          {"q와 k의 성분이 서로 독립이고 평균 0, 분산 1이면 내적의 분산은 d_k, 표준편차는 "
           "√d_k입니다. "
           "√d_k로 나누면 어떤 길이에서도 분산이 1입니다.",
           "With independent entries of mean 0 and variance 1 the dot product has variance d_k and "
           "standard deviation √d_k. Divided by √d_k, its variance is 1 at every length."},
          "Var(q·k) = d_k,  Var(q·k / √d_k) = 1"});
  s.table("deviation", "√d_k", root);
  s.step(
      {"temperature",
       {"온도", "Temperature"},
       {"소프트맥스의 점수를 T로 나누는 것은 온도를 T로 두는 것과 같습니다. T가 0으로 가면 최댓값 "
        "하나에 몰리고, 무한히 크면 고르게 됩니다.",
        "Dividing scores by T is softmax at temperature T: towards 0 it becomes the maximum "
        "alone, towards infinity it becomes uniform."},
       "p_i(T) = exp(s_i / T) / Σ_j exp(s_j / T)"});
  add_weights(s, root);
  s.step(
      {"jacobian",
       {"야코비 행렬의 대각선", "The Jacobian's diagonal"},
       {"나누기까지 포함하면 기울기에 1/√d_k가 한 번 더 곱해지지만, 포화한 p(1-p)보다 훨씬 큽니다.",
        "With the division included, one more factor 1/√d_k appears; even so it is far larger "
        "than a saturated p(1-p)."},
       "∂p_i/∂s_i = p_i·(1 - p_i) / √d_k"});
  add_slopes(s);
  s.table("slope_through", "p·(1 - p) / √d_k", "slope_divided / deviation");
}

void write(Sheet& s) {
  s.input("scores", {{10, 5, 2}, {3, 12, 4}, {1, 4, 15}});
  const std::string root = text_of("sqrt(", s.integer("d_k", kWidth), ")");
  s.tell(write_story, write_student, write_math, root);
  const int64_t m = s.of("scores").columns;
  Matrix both(2, m);
  for (int64_t j = 0; j < m; ++j) {
    both.at(0, j) = s.of("plain").at(0, j);
    both.at(1, j) = s.of("divided").at(0, j);
  }
  s.chart(Picture::Kind::bars, "first_row", both,
          {{"첫 행의 몫", "Shares of the first row"}, {"점수", "score"}, {"몫", "share"}},
          {"softmax(s)", "softmax(s / √d_k)"}, labels("s", m));
}

}  // namespace

const Topic& scale_topic() {
  static constexpr Topic topic{.name = "scale",
                               .title = {"왜 √d_k로 나누나", "Why divide by √d_k"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
