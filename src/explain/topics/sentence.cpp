#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x",
     TopicInput::Kind::matrix,
     {"문장, 한 행에 단어 하나", "a sentence, one word a row"},
     "n,d"},
};

void write_story(Sheet& s, const Parts& words) {
  s.step(
      {"seats",
       {"한 줄에 한 단어", "One word a row"},
       {"컴퓨터는 단어를 글자가 아니라 수의 줄로 기억합니다. 문장은 그 줄을 위에서 아래로 차곡차곡 "
        "쌓은 표입니다.",
        "A computer keeps a word not as letters but as a line of numbers. A sentence is those "
        "lines stacked up: a table."}});
  s.show("x", "X", {.rows = words});
  s.step(
      {"handshake",
       {"모두와 악수하기", "Everyone shakes hands"},
       {"단어마다 다른 모든 단어와, 그리고 자기 자신과도 얼마나 닮았는지 재어 봅니다. 뜻이 가까운 "
        "두 단어가 만난 칸에는 큰 수가, 동떨어진 두 단어가 만난 칸에는 작은 수나 음수가 적힙니다.",
        "Every word measures its likeness to every other word and to itself. Where two words of "
        "like meaning meet stands a large number, where strangers meet a small or negative one."}});
  s.table("likeness", "X·Xᵀ", "x @ x.T", {.rows = words, .columns = words});
}

void write_student(Sheet& s, const Parts& words) {
  const Matrix& x = s.of("x");
  s.step(
      {"matrix",
       {"문장은 행렬", "A sentence is a matrix"},
       {"단어 하나가 길이 {1}의 벡터이므로, 단어 {0}개짜리 문장은 {0}행 {1}열의 행렬입니다.",
        "Each word is a vector of length {1}, so a sentence of {0} words is a matrix of {0} rows "
        "and {1} columns."},
       "X = [x_1; x_2; …; x_n]"},
      {std::to_string(x.rows), std::to_string(x.columns)});
  s.shape(shape_text(x));
  s.show("x", "X", {.rows = words});
  s.step({"transpose",
          {"전치", "Transpose"},
          {"행을 열로 세우면 단어끼리 행 곱하기 열로 만날 수 있습니다.",
           "With the rows stood up as columns, word can meet word, row by column."},
          "(Xᵀ)_ji = X_ij"});
  s.table("x_t", "Xᵀ", "x.T", {.columns = words, .lines = 0});
  s.step({"likeness",
          {"모든 단어끼리의 내적", "Every word with every word"},
          {"X·Xᵀ의 i행 j열은 단어 i와 단어 j의 내적입니다. 대각선은 자기 자신과의 내적, 곧 길이의 "
           "제곱이고, 표는 대각선을 거울로 삼아 대칭입니다.",
           "Row i, column j of X·Xᵀ is the dot product of words i and j. On the diagonal stands "
           "each word with itself, its squared length; the table is symmetric about it."},
          "(X·Xᵀ)_ij = x_i·x_j"});
  s.product_shape("x", "x_t");
  s.table("likeness", "X·Xᵀ", "x @ x_t", {.rows = words, .columns = words});
  s.step({"cosines",
          {"길이를 뺀 닮음", "Likeness without length"},
          {"긴 벡터는 누구와도 내적이 큽니다. 길이로 나누면 대각선은 1이 되고, 방향만 남습니다.",
           "A long vector has large dot products with all. Divide by the lengths: the diagonal is "
           "1, and only direction is left."},
          "cos_ij = x_i·x_j / (|x_i|·|x_j|)"});
  s.table("lengths", "|x_i|", "sqrt(row_sum(x * x))", {.rows = words});
  for (const double length : s.of("lengths").values)
    if (length < 1e-3) return;  // no direction
  s.table("cosines", "cos", "likeness / (lengths @ lengths.T)", {.rows = words, .columns = words});
}

void write_math(Sheet& s, const Parts& words) {
  s.step({"gram",
          {"그람 행렬", "Gram matrix"},
          {"G = X·Xᵀ는 대칭이고 양의 준정부호입니다. 계수는 X의 계수와 같으므로 n과 d 가운데 작은 "
           "쪽을 "
           "넘지 못합니다.",
           "G = X·Xᵀ is symmetric and positive semidefinite; its rank is that of X, at most the "
           "smaller of n and d."},
          "G = X·Xᵀ,  aᵀ·G·a = |Xᵀ·a|² ≥ 0"});
  s.show("x", "X", {.rows = words});
  s.table("likeness", "G", "x @ x.T", {.rows = words, .columns = words});
  s.step({"attention",
          {"가장 단순한 어텐션", "The simplest attention"},
          {"투영 없이 Q = K = V = X로 두면 G가 곧 점수입니다. 점수가 대칭이어도 행마다 따로 "
           "정규화하므로 가중치는 대칭이 아닙니다.",
           "Without projections, Q = K = V = X, and G holds the scores. The scores are symmetric; "
           "the weights, normalised row by row, are not."},
          "A = softmax(G / √d),  O = A·X"});
  const std::string d = std::to_string(s.of("x").columns);
  s.table("weights", "A", "softmax(likeness / sqrt(" + d + "))", {.rows = words, .columns = words});
  s.table("output", "O", "weights @ x", {.rows = words});
}

void write(Sheet& s) {
  const Matrix& x =
      s.input("x", s.word_rows({{0.2, -0.5, 0.8}, {0.3, 0.7, -0.2}, {0.1, -0.4, 0.9}}));
  const Parts words = s.words(x.rows, {"I", "love", "cats"});
  s.tell(write_story, write_student, write_math, words);
  const Words word{"단어", "word"};
  s.heatmap("likeness", s.of("likeness"),
            {{"단어끼리의 내적 X·Xᵀ", "Words against words: X·Xᵀ"}, word, word}, words, words);
}

}  // namespace

const Topic& sentence_topic() {
  static constexpr Topic topic{.name = "sentence-matrix",
                               .title = {"문장을 행렬로: X·Xᵀ", "A sentence as a matrix: X·Xᵀ"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write,
                               .takes_words = true};
  return topic;
}

}  // namespace jogak
