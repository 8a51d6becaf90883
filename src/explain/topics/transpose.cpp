#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"q", TopicInput::Kind::matrix, {"쿼리, 한 행에 토큰 하나", "queries, one token a row"}, "n,d"},
    {"k", TopicInput::Kind::matrix, {"키, q와 같은 너비", "keys, as wide as q"}, "m,d"},
};

void write_story(Sheet& s, const Parts& queries, const Parts& keys) {
  s.step({"cards",
          {"명함 눕히기", "Turning the cards"},
          {"사람마다 특징을 한 줄로 적은 명함이 있습니다. 명함을 옆으로 돌려 세우면 행이 열이 되고 "
           "열이 "
           "행이 됩니다. 적힌 내용은 그대로입니다. 이것이 전치입니다.",
           "Everybody has a card with their features in one line. Stand the cards on end: rows "
           "become columns and columns rows, and not a word is lost. This is the transpose."}});
  s.show("k", "K", {.rows = keys});
  s.table("k_t", "Kᵀ", "k.T", {.columns = keys, .lines = 0});
  s.step(
      {"meet",
       {"서로 만나게 하기", "So that they can meet"},
       {"묻는 쪽의 줄은 가로로, 대답하는 쪽의 줄은 세로로 놓아야 행 곱하기 열로 모든 짝을 한 번에 "
        "견줄 수 있습니다. 그래서 K를 눕힙니다.",
        "Rows are multiplied by columns, so those who ask lie flat and those who answer stand "
        "upright; then every pair is compared at once. That is why K is transposed."}});
  s.show("q", "Q", {.rows = queries});
  s.table("scores", "Q·Kᵀ", "q @ k_t", {.rows = queries, .columns = keys});
}

void write_student(Sheet& s, const Parts& queries, const Parts& keys) {
  const Matrix &q = s.of("q"), &k = s.of("k");
  s.step({"transpose",
          {"전치: 행과 열 바꾸기", "Transpose: rows become columns"},
          {"i행 j열의 수가 j행 i열로 갑니다. 수는 하나도 달라지지 않고 자리만 바뀝니다.",
           "The number in row i, column j moves to row j, column i. No number changes, only its "
           "place."},
          "(Kᵀ)_ji = K_ij"});
  s.shape(text_of("[", k.rows, ",", k.columns, "] -> [", k.columns, ",", k.rows, "]"));
  s.show("k", "K", {.rows = keys});
  s.table("k_t", "Kᵀ", "k.T", {.columns = keys, .lines = 0});
  s.step(
      {"misfit",
       {"왜 Q·K가 아닌가", "Why not Q·K"},
       {"쿼리와 키는 둘 다 한 행이 토큰 하나이고 너비가 {0}입니다. Q의 행(길이 {0})은 K의 열(길이 "
        "{1})과 짝이 맞는다는 보장이 없고, 맞더라도 토큰끼리가 아니라 엉뚱한 것을 곱하게 됩니다.",
        "Queries and keys both have one token a row and are {0} wide. A row of Q (length {0}) "
        "need not fit a column of K (length {1}); and even where it does, it would not compare "
        "token with token."},
       "[n,d]·[m,d]: d ≠ m"},
      {std::to_string(q.columns), std::to_string(k.rows)});
  s.shape(text_of("Q [", q.rows, ",", q.columns, "]  K [", k.rows, ",", k.columns, "]"));
  s.show("q", "Q", {.rows = queries});
  s.step(
      {"scores",
       {"Q·Kᵀ: 모든 짝의 내적", "Q·Kᵀ: every pair's dot product"},
       {"K를 전치하면 Kᵀ의 열 하나가 키 하나입니다. Q의 행과 Kᵀ의 열이 만난 칸이 그 쿼리와 그 키의 "
        "내적, 곧 점수입니다.",
        "In Kᵀ every column is one key. Where a row of Q meets a column of Kᵀ stands the dot "
        "product of that query and that key: its score."},
       "(Q·Kᵀ)_ij = Σ_c Q_ic·K_jc = q_i·k_j"});
  s.product_shape("q", "k_t");
  s.table("scores", "Q·Kᵀ", "q @ k_t", {.rows = queries, .columns = keys});
  s.step({"both",
          {"곱을 전치하면 순서가 바뀝니다", "The transpose of a product"},
          {"점수표를 전치하면 키가 묻고 쿼리가 대답하는 표가 됩니다. 그래서 두 행렬의 순서가 "
           "뒤바뀝니다.",
           "Transposing the table of scores lets the keys ask and the queries answer: the order of "
           "the two matrices is exchanged."},
          "(Q·Kᵀ)ᵀ = K·Qᵀ"});
  s.table("transposed", "K·Qᵀ", "k @ q.T", {.rows = keys, .columns = queries});
}

void write_math(Sheet& s, const Parts& queries, const Parts& keys) {
  s.step({"rules",
          {"전치의 성질", "Rules of the transpose"},
          {"전치는 선형이고 두 번 하면 제자리입니다. 내적을 옮겨 주므로 수반이라고도 합니다.",
           "Transposition is linear and its own inverse. It moves a matrix to the other side of a "
           "dot product: the adjoint."},
          "(Kᵀ)ᵀ = K,  (A·B)ᵀ = Bᵀ·Aᵀ,  ⟨A·x, y⟩ = ⟨x, Aᵀ·y⟩"});
  s.show("q", "Q", {.rows = queries});
  s.show("k", "K", {.rows = keys});
  s.table("k_t", "Kᵀ", "k.T", {.columns = keys, .lines = 0});
  s.table("scores", "Q·Kᵀ", "q @ k_t", {.rows = queries, .columns = keys});
  s.step({"gram",
          {"그람 행렬", "Gram matrix"},
          {"Q와 K가 같으면 Q·Kᵀ는 대칭이고 대각 성분은 길이의 제곱입니다. 투영 W_q와 W_k가 다르기 "
           "때문에 어텐션은 대칭이 아니어도 됩니다.",
           "With Q = K the product is symmetric, its diagonal the squared lengths. Attention need "
           "not be symmetric because W_q and W_k differ."},
          "K·Kᵀ = (K·Kᵀ)ᵀ,  Q·Kᵀ = X·W_q·W_kᵀ·Xᵀ"});
  s.table("gram", "K·Kᵀ", "k @ k_t", {.rows = keys, .columns = keys});
}

void write(Sheet& s) {
  s.input("q", {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  s.input("k", {{1, 1, 0, 0}, {0, 2, 1, 1}});
  const Parts queries = labels("q", s.of("q").rows), keys = labels("k", s.of("k").rows);
  s.tell(write_story, write_student, write_math, queries, keys);
  const Parts features = labels("", s.of("k").columns);
  const Words feature{"차원", "dimension"}, key{"키", "key"};
  s.heatmap("k", s.of("k"), {{"K", "K"}, feature, key}, keys, features);
  s.heatmap("k_t", s.of("k_t"), {{"Kᵀ", "Kᵀ"}, key, feature}, features, keys);
}

}  // namespace

const Topic& transpose_topic() {
  static constexpr Topic topic{
      .name = "transpose",
      .title = {"전치: Q·Kᵀ에는 왜 Kᵀ가 있나", "Transpose: why K is transposed in Q·Kᵀ"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
