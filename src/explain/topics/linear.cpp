#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::matrix, {"토큰의 벡터", "the tokens' vectors"}, "n,d"},
    {"a_1",
     TopicInput::Kind::shares,
     {"첫 층의 어텐션 가중치", "attention weights of layer 1"},
     "n,n",
     0,
     1},
    {"a_2",
     TopicInput::Kind::shares,
     {"둘째 층의 어텐션 가중치", "attention weights of layer 2"},
     "n,n",
     0,
     1},
    {"w_1", TopicInput::Kind::matrix, {"첫 층의 값 투영", "value projection of layer 1"}, "d,d"},
    {"w_2", TopicInput::Kind::matrix, {"둘째 층의 값 투영", "value projection of layer 2"}, "d,d"},
};

void show_inputs(Sheet& s, const Parts& t) {
  s.show("x", "X", {.rows = t});
  s.show("a_1", "A_1", {.rows = t, .columns = t});
  s.show("w_1", "W_1");
  s.show("a_2", "A_2", {.rows = t, .columns = t});
  s.show("w_2", "W_2");
}

void write_story(Sheet& s, const Parts& t) {
  s.step(
      {"paint",
       {"섞고 또 섞어도", "Mixed and mixed again"},
       {"물감을 섞고, 섞은 것을 다시 섞어도, 처음 물감을 알맞은 비율로 한 번 섞은 것과 같습니다. "
        "어텐션은 섞는 일입니다. 그래서 어텐션만 두 층 쌓으면 한 층과 다를 것이 없습니다.",
        "Mix paints, then mix the mixtures: the same colour comes from mixing the first paints "
        "once in the right amounts. Attention is mixing. Two layers of nothing else are no more "
        "than one."}});
  show_inputs(s, t);
  s.table("two_layers", "2", "a_2 @ (a_1 @ x @ w_1) @ w_2", {.rows = t, .lines = 0});
  s.table("one_layer", "1", "a_2 @ a_1 @ x @ (w_1 @ w_2)", {.rows = t, .lines = 0});
  s.step(
      {"bend",
       {"그래서 구부립니다", "So it must bend"},
       {"층 사이에 구부리는 것, 곧 피드포워드를 끼우면 비로소 한 번으로는 할 수 없는 일을 합니다.",
        "Put something that bends between the layers, the feed-forward, and together they do "
        "what a single one cannot."}});
  s.table("bent", "ReLU", "a_2 @ relu(a_1 @ x @ w_1) @ w_2", {.rows = t, .lines = 0});
}

void write_student(Sheet& s, const Parts& t) {
  s.step({"inputs",
          {"어텐션 두 층, 피드포워드 없이", "Two layers of attention, no feed-forward"},
          {"가중치 A_1과 A_2가 정해졌다고 합시다. 그러면 어텐션은 값을 섞는 행렬 곱일 뿐입니다.",
           "Let the weights A_1 and A_2 be given. Attention then is nothing but a matrix product "
           "that mixes values."}});
  show_inputs(s, t);
  s.step({"two",
          {"한 층씩", "Layer by layer"},
          {"첫 층의 결과를 둘째 층에 넣습니다.", "The result of the first goes into the second."},
          "H = A_1·X·W_1,  O = A_2·H·W_2"});
  s.shape(shape_text(s.of("x")) + " -> " + shape_text(s.of("x")) + " -> " + shape_text(s.of("x")));
  s.table("mixed", "A_1·X", "a_1 @ x", {.rows = t, .lines = 2});
  s.table("hidden", "H", "mixed @ w_1", {.rows = t, .lines = 2});
  s.table("mixed_again", "A_2·H", "a_2 @ hidden", {.rows = t, .lines = 2});
  s.table("two_layers", "O", "mixed_again @ w_2", {.rows = t, .lines = 2});
  s.step(
      {"one",
       {"미리 곱해 두면 한 층", "Multiplied beforehand: one layer"},
       {"행렬 곱은 어디부터 곱해도 같습니다. A는 A끼리, W는 W끼리 먼저 곱하면 한 층으로 "
        "줄어듭니다.",
        "Matrix products may be taken in any grouping. Multiply the As and the Ws first, and one "
        "layer is left."},
       "O = (A_2·A_1)·X·(W_1·W_2)"});
  s.table("a", "A_2·A_1", "a_2 @ a_1", {.rows = t, .columns = t, .lines = 2});
  s.table("w", "W_1·W_2", "w_1 @ w_2", {.lines = 2});
  s.table("one_layer", "(A_2·A_1)·X·(W_1·W_2)", "a @ x @ w", {.rows = t, .lines = 0});
  s.step(
      {"bend",
       {"사이에 구부리는 것을 넣으면", "With a bend in between"},
       {"층 사이에서 ReLU로 음수를 0으로 만들면 더는 하나로 줄어들지 않습니다. 그것이 피드포워드가 "
        "하는 "
        "일입니다. 물론 가중치 A 자체는 소프트맥스를 거치므로 X에 대해 선형이 아닙니다. 선형인 "
        "것은 "
        "값에 대해서입니다.",
        "Set negatives to 0 between the layers (ReLU) and they no longer collapse into one: this "
        "is what the feed-forward is for. The weights A themselves pass through softmax and are "
        "not linear in X; it is in the values that attention is linear."},
       "A_2·ReLU(A_1·X·W_1)·W_2"});
  s.table("positive", "ReLU(H)", "relu(hidden)", {.rows = t, .lines = 2});
  s.table("bent", "A_2·ReLU(H)·W_2", "a_2 @ positive @ w_2", {.rows = t, .lines = 0});
  s.table("gap", "A_2·ReLU(H)·W_2 - O", "bent - two_layers", {.rows = t, .lines = 0});
}

void write_math(Sheet& s, const Parts& t) {
  s.step(
      {"collapse",
       {"두 층이 한 층으로", "Two layers collapse"},
       {"A가 주어지면 X ↦ A·X·W는 선형 사상입니다. 두 사상의 합성은 vec로 쓰면 "
        "(W_2ᵀ⊗A_2)(W_1ᵀ⊗A_1) = "
        "(W_1·W_2)ᵀ⊗(A_2·A_1)입니다. 확률 행렬의 곱은 확률 행렬이므로 A_2·A_1의 행도 합이 1입니다.",
        "Given A, X ↦ A·X·W is linear. In terms of vec the composition is "
        "(W_2ᵀ⊗A_2)(W_1ᵀ⊗A_1) = (W_1·W_2)ᵀ⊗(A_2·A_1). Products of stochastic matrices are "
        "stochastic: the rows of A_2·A_1 sum to 1."},
       "A_2·(A_1·X·W_1)·W_2 = (A_2·A_1)·X·(W_1·W_2)"});
  show_inputs(s, t);
  s.table("two_layers", "A_2·(A_1·X·W_1)·W_2", "a_2 @ (a_1 @ x @ w_1) @ w_2",
          {.rows = t, .lines = 0});
  s.table("a", "A_2·A_1", "a_2 @ a_1", {.rows = t, .columns = t, .lines = 0});
  s.table("row_sums", "Σ_j", "row_sum(a)", {.rows = t});
  s.table("one_layer", "(A_2·A_1)·X·(W_1·W_2)", "a @ x @ (w_1 @ w_2)", {.rows = t, .lines = 0});
  s.step({"oversmoothing",
          {"너무 고르게", "Oversmoothing"},
          {"섞기만 거듭하면 A_L…A_1은 모든 행이 같은 행렬에 다가갑니다. 토큰이 서로 구별되지 않게 "
           "됩니다. 잔차와 피드포워드가 이를 막습니다.",
           "Mixing alone, A_L…A_1 tends to a matrix with equal rows: tokens can no longer be told "
           "apart. Residuals and feed-forward prevent it."},
          "A_L·…·A_1 -> 1·πᵀ"});
  s.table("often", "(A_2·A_1)⁴", "a @ a @ a @ a", {.rows = t, .columns = t, .lines = 0});
}

void write(Sheet& s) {
  s.input("x", {{1, 0}, {0, 1}, {-1, 2}});
  s.input("a_1", {{0.5, 0.25, 0.25}, {0.1, 0.8, 0.1}, {0.2, 0.2, 0.6}});
  s.input("a_2", {{0.7, 0.2, 0.1}, {0.3, 0.4, 0.3}, {0.1, 0.1, 0.8}});
  s.input("w_1", {{2, -1}, {-1, 1}});
  s.input("w_2", {{0.5, 1}, {-1, 2}});
  const Parts t = labels("t", s.of("x").rows);
  s.tell(write_story, write_student, write_math, t);
  const Values values = {{"a_1", s.of("a_1")}, {"a_2", s.of("a_2")}};
  s.heatmap("a", evaluate(parse_rule("a_2 @ a_1"), values),
            {{"두 층을 합친 가중치 A_2·A_1", "Weights of both layers: A_2·A_1"},
             {"보이는 토큰", "token looked at"},
             {"보는 토큰", "token that looks"}},
            t, t);
}

}  // namespace

const Topic& linear_topic() {
  static constexpr Topic topic{.name = "linear",
                               .title = {"어텐션만으로는 선형: 두 층이 한 층",
                                         "Attention alone is linear: two layers are one"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
