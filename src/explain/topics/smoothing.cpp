#include <algorithm>
#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"p", TopicInput::Kind::shares, {"모델의 확률", "the model's probabilities"}, "1,n", 1e-6, 1},
    {"truth", TopicInput::Kind::shares, {"정답", "the truth"}, "1,n", 0, 1},
    {"eps", TopicInput::Kind::number, {"고르게 나눌 몫", "the share spread evenly"}, "1,1", 0, 1},
};

std::string over_n(const Sheet& s) { return std::to_string(s.of("p").columns); }

void show_inputs(Sheet& s) {
  s.show("truth", "t");
  s.show("eps", "ε");
}

void write_story(Sheet& s) {
  s.step({"doubt",
          {"조금은 의심하기", "A little doubt"},
          {"번역에는 정답이 하나만 있는 것이 아닙니다. '고맙습니다'도 '감사합니다'도 옳은데, 책에 "
           "적힌 것만 100점이라고 우기면 학생은 다른 말을 모두 틀렸다고 믿게 됩니다. 그래서 정답의 "
           "점수를 조금 떼어 모두에게 고르게 나누어 줍니다.",
           "A translation has more than one right answer: 'thanks' and 'thank you' both will do. "
           "Insist on full marks for the book's word alone, and the pupil believes all others to "
           "be wrong. So a little of the mark is taken off and spread evenly."}});
  show_inputs(s);
  s.table("smoothed", "t'", "(1 - eps) * truth + eps / " + over_n(s));
  s.step({"calm",
          {"자신만만하지 않은 모델", "A model less sure of itself"},
          {"이제 확률 100%를 고집해도 손실이 0이 되지 않습니다. 모델은 지나친 자신감을 버리고 처음 "
           "보는 문장에서 더 잘합니다.",
           "Now even full certainty does not bring the loss to 0. The model gives up being "
           "overconfident and does better on sentences it has never seen."}});
  s.show("p", "p");
  s.table("loss_smoothed", "L", "sum(-smoothed * log(p))");
}

void write_student(Sheet& s) {
  s.step({"smooth",
          {"정답을 부드럽게", "Soften the truth"},
          {"정답에서 ε만큼 떼어 모든 단어에 똑같이 나눕니다. 더하면 여전히 1입니다.",
           "Take ε off the truth and share it among all words alike. The sum is still 1."},
          "t'_i = (1 - ε)·t_i + ε / n"});
  s.shape(shape_text(s.of("truth")) + " -> " + shape_text(s.of("truth")));
  show_inputs(s);
  s.table("smoothed", "t'", "(1 - eps) * truth + eps / " + over_n(s));
  s.step({"losses",
          {"손실 견주기", "The two losses"},
          {"같은 예측에 대해 딱딱한 정답과 부드러운 정답의 손실입니다.",
           "The loss of the same prediction under the hard and under the softened truth."},
          "L = -Σ_i t_i·log p_i,  L' = -Σ_i t'_i·log p_i"});
  s.show("p", "p");
  s.table("logs", "log p", "log(p)");
  s.table("loss_hard", "L", "sum(-truth * logs)");
  s.table("loss_smoothed", "L'", "sum(-smoothed * logs)");
  s.step(
      {"pull",
       {"어느 쪽으로 끌리나", "Which way it is pulled"},
       {"점수에 대한 기울기는 예측 빼기 정답입니다. 부드러운 정답에서는 p가 t'와 같아지는 곳에서 "
        "멈추므로 확률을 1까지 밀어붙이지 않습니다.",
        "The gradient by the scores is prediction minus truth. With the softened truth it "
        "vanishes where p equals t', so probabilities are not driven to 1."},
       "∂L/∂x = p - t,  ∂L'/∂x = p - t'"});
  s.table("pull_hard", "p - t", "p - truth");
  s.table("pull_smoothed", "p - t'", "p - smoothed");
}

void write_math(Sheet& s) {
  s.step({"mixture",
          {"균등 분포와 섞기", "Mixed with the uniform distribution"},
          {"부드러운 손실은 딱딱한 손실과, 균등 분포 u에 대한 교차 엔트로피를 섞은 것입니다.",
           "The smoothed loss mixes the hard loss with the cross-entropy to the uniform "
           "distribution u."},
          "H(t', p) = (1 - ε)·H(t, p) + ε·H(u, p),  u_i = 1/n"});
  show_inputs(s);
  s.show("p", "p");
  s.table("smoothed", "t'", "(1 - eps) * truth + eps / " + over_n(s));
  s.table("loss_hard", "H(t, p)", "sum(-truth * log(p))");
  s.table("loss_uniform", "H(u, p)", "mean(-log(p))");
  s.table("loss_smoothed", "H(t', p)", "(1 - eps) * loss_hard + eps * loss_uniform");
  s.step(
      {"floor",
       {"닿을 수 있는 가장 낮은 손실", "The lowest loss there is"},
       {"p = t'일 때 가장 작고, 그 값은 t'의 엔트로피입니다. 그래서 레이블 스무딩을 쓴 손실은 0이 "
        "되지 않으며, 그 지수는 진짜 퍼플렉시티가 아닙니다.",
        "It is least at p = t', where it equals the entropy of t'. A smoothed loss therefore "
        "never reaches 0, and its exponential is not the true perplexity."},
       "min_p H(t', p) = H(t') = -Σ_i t'_i·log t'_i"});
  s.table("floor", "H(t')", "sum(-smoothed * log(where(smoothed, smoothed, 1)))");
}

void write(Sheet& s) {
  const int64_t n = s.input("p", {{0.2, 0.7, 0.1}}).columns;
  Matrix truth(1, n);
  truth.at(0, std::min<int64_t>(1, n - 1)) = 1;
  s.input("truth", truth);
  s.input("eps", {{0.1}});
  s.tell(write_story, write_student, write_math);
  Matrix both(2, n);
  for (int64_t j = 0; j < n; ++j) {
    both.at(0, j) = s.of("truth").at(0, j);
    both.at(1, j) = s.of("smoothed").at(0, j);
  }
  s.chart(Picture::Kind::bars, "truths", both,
          {{"딱딱한 정답과 부드러운 정답", "The hard and the softened truth"},
           {"단어", "word"},
           {"확률", "probability"}},
          {"t", "t'"}, labels("", n));
}

}  // namespace

const Topic& smoothing_topic() {
  static constexpr Topic topic{
      .name = "smoothing",
      .title = {"레이블 스무딩: 정답을 부드럽게", "Label smoothing: a softened truth"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
