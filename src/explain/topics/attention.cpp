#include <cmath>

#include "draw/numbers.h"
#include "explain/arithmetic.h"
#include "explain/topics/attention_steps.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"q", TopicInput::Kind::matrix, {"쿼리, 한 행에 토큰 하나", "queries, one token a row"}, "n,d"},
    {"k", TopicInput::Kind::matrix, {"키, q와 같은 너비", "keys, as wide as q"}, "m,d"},
    {"v", TopicInput::Kind::matrix, {"값, k와 같은 행 수", "values, as many rows as k"}, "m,e"},
    {"mask", TopicInput::Kind::mask, {"1은 보임, 0은 가림", "1 visible, 0 hidden"}, "n,m"},
};

constexpr Words kKey{"키(보이는 쪽)", "key (the one looked at)"};
constexpr Words kQuery{"쿼리(보는 쪽)", "query (the one that looks)"};

void show_given(Sheet& s, const AttentionNames& n) {
  s.show("q", "Q", {.rows = n.queries});
  s.show("k", "K", {.rows = n.keys});
  s.show("v", "V", {.rows = n.values});
}

// The weights at once, as the definition has them.
void add_weights(Sheet& s, const AttentionNames& n, const char* caption) {
  const std::string scaled = "q @ k.T / " + n.root;
  if (n.masked) s.show("mask", s.in({"마스크", "mask"}), n.square(0));
  s.table(
      "weights", caption,
      n.masked ? "masked_softmax(where(mask, " + scaled + ", -inf))" : "softmax(" + scaled + ")",
      n.square(0));
}

void write_story(Sheet& s, const AttentionNames& n) {
  s.step({"library",
          {"도서관에서", "In a library"},
          {"문장 속의 단어마다 도서관에 온 손님이라고 합시다. 손님은 찾는 것을 적은 쪽지(쿼리, "
           "Q)를 들고 있습니다. 책마다 등에 적힌 제목(키, K)이 있고, 속에는 내용(값, V)이 "
           "있습니다.",
           "Think of every word of a sentence as a visitor to a library. The visitor carries a "
           "note of what is wanted (the query, Q). Every book has a label on its back (the key, "
           "K) and its contents inside (the value, V)."}});
  show_given(s, n);
  s.step({"match",
          {"쪽지와 제목 맞춰 보기", "Note against label"},
          {"손님은 쪽지를 모든 제목과 맞춰 봅니다. 잘 맞을수록 점수가 높고, 소프트맥스가 그 "
           "점수를 몫으로 바꿉니다. 한 줄이 손님 한 명이고, 한 줄을 더하면 1입니다.",
           "The visitor holds the note against every label. The better the match, the higher the "
           "score, and softmax turns the scores into shares. Each row is one visitor, and each "
           "row adds up to 1."}});
  add_weights(s, n, "softmax(Q·Kᵀ / √d_k)");
  s.step({"mix",
          {"한 권이 아니라 섞어서", "Not one book but a blend"},
          {"한 권만 고르지 않고, 모든 책의 내용을 몫만큼 섞어 가져갑니다. 그렇게 문맥을 아는 새 "
           "벡터가 됩니다. 글을 이어 쓸 때는 아직 쓰이지 않은 책을 보면 안 되므로 마스크로 "
           "가립니다.",
           "Instead of choosing one book, the visitor takes home a blend of all contents, each by "
           "its share: a new vector that knows its context. When text is being written, books "
           "that are not written yet must not be seen; a mask hides them."}});
  s.table("output", s.in({"가중치·V", "weights·V"}), "weights @ v", {.rows = n.queries});
}

void write_math(Sheet& s, const AttentionNames& n) {
  const Matrix &q = s.of("q"), &k = s.of("k"), &v = s.of("v");
  s.step({"definition",
          {"정의", "Definition"},
          {"M_ij는 보이는 자리에서 0, 가린 자리에서 -∞입니다. 토큰의 순서를 바꾸면 출력도 같은 "
           "순서로 바뀔 뿐이며, 순서는 위치 인코딩과 마스크만이 알려 줍니다. 시간은 n·m·(d_k + "
           "d_v), 가중치의 메모리는 n·m에 비례합니다.",
           "M_ij is 0 where visible and -∞ where hidden. Permuting the tokens permutes the "
           "output: order enters only through positions and masks. Time grows as n·m·(d_k + d_v), "
           "the weights take n·m numbers."},
          "A = softmax(Q·Kᵀ / √d_k + M),  O = A·V"});
  s.shape(text_of("Q [", q.rows, ",", q.columns, "]  K [", k.rows, ",", k.columns, "]  V [", v.rows,
                  ",", v.columns, "]  O [", q.rows, ",", v.columns, "]"));
  show_given(s, n);
  add_weights(s, n, "A");
  s.table("output", "O", "weights @ v", {.rows = n.queries, .lines = 1});
  s.step({"variance",
          {"나누는 까닭", "The reason for the divisor"},
          {"q와 k의 성분이 서로 독립이고 평균 0, 분산 1이면 내적의 분산은 항의 수와 같습니다. "
           "√d_k로 나누면 분산이 다시 1이 되어 소프트맥스가 포화하지 않습니다.",
           "If the entries of q and k are independent with mean 0 and variance 1, their dot "
           "product has as much variance as it has terms. Divided by √d_k the variance is 1 again "
           "and softmax does not saturate."},
          "Var(q·k) = Σ_c Var(q_c·k_c) = d_k,  Var(q·k / √d_k) = 1"});
  s.step({"gradient",
          {"역전파", "Backward"},
          {"손실을 L = ½·Σ O²로 두면 ∂L/∂O = O입니다. 연쇄 법칙을 뒤에서부터 따라갑니다. 가린 "
           "자리와 모두 가린 행은 A가 0이므로 기울기도 0입니다.",
           "With the loss L = ½·Σ O² we have ∂L/∂O = O. Follow the chain rule from the back. "
           "Hidden places and rows with nothing to see have A = 0, hence no gradient."},
          "dV = Aᵀ·dO,  dA = dO·Vᵀ,  dS = A∘(dA - Σ_j A∘dA),  dQ = dS·K / √d_k,  dK = dSᵀ·Q / "
          "√d_k"});
  s.table("d_v", "∂L/∂V", "weights.T @ output", {.rows = n.values, .lines = 1});
  s.table("d_weights", "∂L/∂A", "output @ v.T", n.square(1));
  s.table("d_scores", "∂L/∂S", "weights * (d_weights - row_sum(weights * d_weights))", n.square(1));
  s.table("d_q", "∂L/∂Q", "d_scores @ k / " + n.root, {.rows = n.queries, .lines = 1});
  s.table("d_k", "∂L/∂K", "d_scores.T @ q / " + n.root, {.rows = n.keys, .lines = 1});
}

// The mask of the user's, of --causal, or both; false when nothing is hidden.
bool read_mask(Sheet& s) {
  const int64_t queries = s.of("q").rows, keys = s.of("k").rows;
  Matrix mask;
  if (s.request().inputs.count("mask")) mask = s.input("mask", {});
  if (s.request().causal) {
    ensure<UsageError>(queries == keys, "attention: causal mask: found ", queries, " queries and ",
                       keys, " keys, wanted as many of each");
    const Matrix causal = plain::causal_mask(queries);
    mask = mask.size() ? plain::times(mask, causal) : causal;
  }
  if (!mask.size()) return false;
  s.constant("mask", mask);
  s.lesson().inputs["mask"] = mask;
  return true;
}

void write(Sheet& s) {
  const Matrix& q = s.input("q", {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  const Matrix& k = s.input("k", {{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 1, 0}});
  s.input("v", {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
  AttentionNames n{labels("q", q.rows), labels("k", k.rows), labels("v", k.rows),
                   text_of("sqrt(", q.columns, ")"), read_mask(s)};
  s.tell(write_story, write_attention_steps, write_math, n);
  s.heatmap("weights", s.of("weights"), {{"어텐션 가중치", "Attention weights"}, kKey, kQuery},
            n.queries, n.keys);
}

}  // namespace

const Topic& attention_topic() {
  static constexpr Topic topic{
      .name = "attention",
      .title = {"어텐션: 누가 누구를 얼마나 보는가", "Attention: who looks at whom, and how much"},
      .inputs = kInputs,
      .takes_causal = true,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
