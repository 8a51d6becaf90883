#include <algorithm>
#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr double kSmallest = 1e-6;  // of a probability whose logarithm is taken

constexpr TopicInput kInputs[] = {
    {"p",
     TopicInput::Kind::shares,
     {"모델의 확률", "the model's probabilities"},
     "1,n",
     kSmallest,
     1},
    {"truth",
     TopicInput::Kind::shares,
     {"정답의 확률, 보통 하나만 1", "the true probabilities, usually a single 1"},
     "1,n",
     0,
     1},
    {"right",
     TopicInput::Kind::vector,
     {"단어마다 정답에 준 확률", "the probability of each right word"},
     "1,t",
     0.001,
     1},
};

void show_inputs(Sheet& s) {
  const Parts names = labels("", s.of("p").columns);
  s.show("p", "p", {.columns = names});
  s.show("truth", "t", {.columns = names});
}

void add_sequence(Sheet& s) {
  s.show("right", "p_t", {.columns = labels("", s.of("right").columns)});
  s.table("losses", "-log p_t", "-log(right)", {.columns = labels("", s.of("right").columns)});
  s.table("mean_loss", "L", "mean(losses)");
  s.table("sequence_perplexity", "exp(L)", "exp(mean_loss)");
}

void write_story(Sheet& s) {
  s.step({"surprise",
          {"놀란 만큼이 손실", "The loss is surprise"},
          {"일기 예보가 비 올 확률을 70%라고 했는데 정말 비가 왔다면 별로 놀라지 않습니다. 1%라고 "
           "했는데 비가 왔다면 크게 놀라고, 예보를 고쳐야 합니다. 교차 엔트로피는 정답을 듣고 놀란 "
           "만큼을 잰 것입니다.",
           "A forecast says rain with 70% and it rains: little surprise. Had it said 1%, the "
           "surprise would be great, and the forecaster ought to mend his ways. Cross-entropy "
           "measures how surprised one is to hear the right answer."}});
  show_inputs(s);
  s.table("loss", "L", "sum(-truth * log(p))");
  s.step(
      {"choices",
       {"몇 갈래에서 헤매나", "Among how many choices"},
       {"퍼플렉시티는 그 놀라움을 갈림길의 수로 바꾼 것입니다. 1이면 망설임이 없고, 10이면 똑같이 "
        "그럴듯한 열 갈래 길 앞에 선 셈입니다.",
        "Perplexity turns the surprise into a number of choices: 1 means no doubt at all, 10 is "
        "like standing before ten equally likely roads."}});
  s.table("perplexity", "exp(L)", "exp(loss)");
}

void write_student(Sheet& s) {
  s.step({"inputs",
          {"예측과 정답", "Prediction and truth"},
          {"p는 모델이 다음 단어에 준 확률이고, t는 정답입니다. 정답 자리만 1입니다.",
           "p is what the model gives to each next word, t the truth: 1 in the right place."}});
  show_inputs(s);
  s.step(
      {"loss",
       {"교차 엔트로피", "Cross-entropy"},
       {"정답에 준 확률의 로그에 음의 부호를 붙입니다. 확률이 1이면 0이고, 0에 가까울수록 끝없이 "
        "커집니다.",
        "The logarithm of the probability given to the truth, with its sign turned: 0 for "
        "probability 1, and without limit towards 0."},
       "L = -Σ_i t_i·log p_i"});
  s.table("logs", "log p", "log(p)");
  s.table("terms", "-t∘log p", "-truth * logs");
  s.table("loss", "L", "sum(terms)");
  s.step({"perplexity",
          {"퍼플렉시티", "Perplexity"},
          {"손실을 지수로 되돌리면 똑같이 그럴듯한 몇 개 가운데서 고르는 셈인지가 나옵니다. 정답이 "
           "하나면 바로 확률의 역수입니다.",
           "The exponential of the loss says among how many equally likely words the model seems "
           "to choose. With one right answer it is one over its probability."},
          "perplexity = exp(L) = 1 / p_t"});
  s.table("perplexity", "exp(L)", "exp(loss)");
  const Matrix& truth = s.of("truth");
  if (*std::max_element(truth.values.begin(), truth.values.end()) == 1)
    s.table("inverse", "1 / p_t", "1 / sum(truth * p)");
  s.step(
      {"sequence",
       {"문장 전체", "A whole sentence"},
       {"단어마다의 손실을 평균한 뒤 지수를 취합니다. 손실의 평균이지 확률의 평균이 아닙니다. 한 "
        "단어에서 크게 틀리면 전체가 나빠집니다.",
        "Take the mean of the losses, then the exponential: the mean of losses, not of "
        "probabilities. One bad miss spoils the whole."},
       "perplexity = exp((1/T)·Σ_t L_t)"});
  add_sequence(s);
}

void write_math(Sheet& s) {
  s.step(
      {"definition",
       {"정의", "Definition"},
       {"교차 엔트로피는 정답의 엔트로피와 쿨백-라이블러 발산의 합입니다. 앞은 모델과 무관하므로 "
        "손실을 줄이는 것은 발산을 줄이는 것입니다.",
        "Cross-entropy is the entropy of the truth plus the Kullback-Leibler divergence. The "
        "first does not depend on the model, so lowering the loss lowers the divergence."},
       "H(t, p) = -Σ_i t_i·log p_i = H(t) + KL(t‖p)"});
  show_inputs(s);
  s.table("loss", "H(t, p)", "sum(-truth * log(p))");
  s.table("entropy", "H(t)", "sum(-truth * log(where(truth, truth, 1)))");
  s.table("divergence", "KL(t‖p)", "loss - entropy");
  s.step(
      {"gradient",
       {"기울기", "Gradient"},
       {"p가 점수 x의 소프트맥스라면 점수에 대한 기울기는 예측 빼기 정답입니다(t의 합이 1일 때).",
        "If p is the softmax of scores x, the gradient by the scores is prediction minus truth "
        "(as the entries of t add up to 1)."},
       "∂H/∂p_i = -t_i / p_i,  ∂H/∂x_i = p_i - t_i"});
  s.table("d_p", "∂H/∂p", "-truth / p");
  s.table("d_x", "∂H/∂x", "p - truth");
  s.step({"sequence",
          {"열의 퍼플렉시티", "Perplexity of a sequence"},
          {"퍼플렉시티는 정답 확률의 기하 평균의 역수입니다.",
           "Perplexity is one over the geometric mean of the right words' probabilities."},
          "exp(-(1/T)·Σ_t log p_t) = (Π_t p_t)^(-1/T)"});
  add_sequence(s);
}

void write(Sheet& s) {
  const int64_t n = s.input("p", {{0.2, 0.7, 0.1}}).columns;
  Matrix truth(1, n);
  truth.at(0, std::min<int64_t>(1, n - 1)) = 1;
  s.input("truth", truth);
  s.input("right", {{0.7, 0.5, 0.2, 0.9}});
  s.tell(write_story, write_student, write_math);
  Matrix curve(1, 99);
  Parts at;
  for (int i = 0; i < 99; ++i) {
    curve.at(0, i) = -std::log((i + 1) / 100.0);
    at.push_back(exact_text((i + 1) / 100.0));
  }
  s.chart(Picture::Kind::lines, "loss_curve", curve,
          {{"정답에 준 확률과 손실", "Loss by the probability of the truth"},
           {"정답에 준 확률 p", "probability of the truth, p"},
           {"-log p", "-log p"}},
          {"-log p"}, at);
}

}  // namespace

const Topic& crossentropy_topic() {
  static constexpr Topic topic{.name = "cross-entropy",
                               .title = {"교차 엔트로피와 퍼플렉시티: 얼마나 놀랐나",
                                         "Cross-entropy and perplexity: how great the surprise"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
