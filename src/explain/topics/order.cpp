#include <algorithm>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x",
     TopicInput::Kind::matrix,
     {"단어 벡터, 한 행에 하나", "the words' vectors, one a row"},
     "n,d"},
};

constexpr const char* kSentence[] = {"he", "hit", "me", "with", "a", "pie"};

struct Names {
  Parts before, after, places;
};

Names names_of(Sheet& s) {
  Names out;
  const int64_t n = s.of("x").rows;
  out.before = s.request().inputs.count("x") ? labels("x", n)
                                             : Parts(std::begin(kSentence), std::end(kSentence));
  out.after = out.before;
  std::swap(out.after.front(), out.after[static_cast<size_t>(std::min<int64_t>(2, n - 1))]);
  out.places = labels("p = ", n, 0);
  return out;
}

// The first and the third word change places.
Matrix swapping(int64_t n) {
  Matrix out(n, n);
  const int64_t other = std::min<int64_t>(2, n - 1);
  for (int64_t i = 0; i < n; ++i) out.at(i, i == 0 ? other : i == other ? 0 : i) = 1;
  return out;
}

std::string attention_of(const std::string& x, int64_t d) {
  return "softmax(" + x + " @ " + x + ".T / sqrt(" + std::to_string(d) + "))";
}

void add_constants(Sheet& s) {
  const int64_t n = s.of("x").rows, d = s.of("x").columns;
  Matrix place(n, 1), pair(1, d), even(1, d);
  for (int64_t i = 0; i < n; ++i) place.at(i, 0) = static_cast<double>(i);
  for (int64_t j = 0; j < d; ++j) {
    pair.at(0, j) = static_cast<double>(j / 2);
    even.at(0, j) = j % 2 ? 0 : 1;
  }
  s.constant("shuffle", swapping(n));
  s.constant("place", place);
  s.constant("pair", pair);
  s.constant("even", even);
}

void add_encoding(Sheet& s, const Names& names) {
  s.show("place", "p", {names.places});
  s.show("pair", "i");
  s.show("even", "[2i]");
  s.table("angles", "p / 10000^(2i/d)",
          text_of("place / 10000 ** (2 * pair / ", s.of("x").columns, ")"), {names.places});
  s.table("pe", "PE", "where(even, sin(angles), cos(angles))", {names.places});
}

// What is needed for the last comparison, shown or not.
void add_placed(Sheet& s, const Names& names, bool shown) {
  const int64_t d = s.of("x").columns;
  const auto put = [&](const std::string& name, const char* caption, const std::string& rule,
                       const Parts& rows) {
    if (shown)
      s.table(name, caption, rule, {.rows = rows, .lines = 1});
    else
      s.let(name, rule);
  };
  put("placed", "X + PE", "x + pe", names.before);
  put("z", "Z", attention_of("placed", d) + " @ placed", names.before);
  put("placed_shuffled", "P·X + PE", "shuffle @ x + pe", names.after);
  put("z_shuffled", "Z'", attention_of("placed_shuffled", d) + " @ placed_shuffled", names.after);
}

void write_story(Sheet& s, const Names& names) {
  const int64_t d = s.of("x").columns;
  s.step({"pie",
          {"파이를 던진 사람은 누구?", "Who threw the pie?"},
          {"\"he hit me with a pie\"에서 he와 me를 맞바꾸면 맞은 사람이 달라집니다. 그런데 "
           "어텐션에게 문장은 카드 한 벌과 같습니다. 카드를 섞어도 카드에 적힌 글자는 그대로이듯, "
           "단어를 섞어도 단어마다 나오는 벡터는 그대로이고 줄만 바뀝니다.",
           "Swap he and me in \"he hit me with a pie\" and somebody else is hit. To attention, "
           "though, a sentence is a deck of cards: shuffle it, and every word still gets the same "
           "vector, only in another row."}});
  s.show("x", "X", {names.before});
  s.show("shuffle", "P", {names.after, names.before});
  s.table("y", "Y", attention_of("x", d) + " @ x", {names.before});
  s.let("x_shuffled", "shuffle @ x");
  s.table("y_shuffled", "Y'", attention_of("x_shuffled", d) + " @ x_shuffled", {names.after});
  s.step(
      {"tickets",
       {"번호표", "Numbered tickets"},
       {"그래서 자리마다 무늬가 다른 번호표를 단어에 더해 줍니다. 이제는 같은 단어라도 몇 번째에 "
        "서 있느냐에 따라 벡터가 달라지고, 섞은 문장은 정말로 다른 문장이 됩니다. 맨 아래 수가 "
        "그 차이입니다.",
        "So every place adds a ticket with a pattern of its own. Now the same word gives another "
        "vector at another place, and a shuffled sentence really is another sentence. The last "
        "numbers are the difference."}});
  add_encoding(s, names);
  add_placed(s, names, false);
  s.table("difference_placed", "|Z' - P·Z|", "row_max(abs(z_shuffled - shuffle @ z))",
          {names.after});
}

void write_student(Sheet& s, const Names& names) {
  const int64_t d = s.of("x").columns;
  s.step({"input",
          {"문장", "The sentence"},
          {"행 하나가 단어 하나의 벡터입니다. 단어가 몇 번째에 있는지는 아직 어디에도 적혀 있지 "
           "않습니다.",
           "One row is the vector of one word. Nothing here says where a word stands."}});
  s.show("x", "X", {names.before});
  s.step(
      {"attend",
       {"위치 없는 셀프 어텐션", "Self-attention without positions"},
       {"이야기를 짧게 하려고 쿼리, 키, 값을 모두 X 자신으로 둡니다. 가중치 행렬을 곱해도 결론은 "
        "같습니다.",
        "To keep it short, query, key and value are all X itself. Weight matrices would change "
        "nothing about what follows."},
       "A = softmax(X·Xᵀ / √d),  Y = A·X"});
  s.table("weights", "A", attention_of("x", d), {names.before, names.before, 6, 2});
  s.table("y", "Y = A·X", "weights @ x", {.rows = names.before, .lines = 2});
  s.step(
      {"shuffle",
       {"단어 섞기", "Shuffle the words"},
       {"순열 행렬 P를 왼쪽에 곱하면 행의 순서가 바뀝니다. 섞은 문장에 같은 어텐션을 씁니다.",
        "Multiplying by a permutation matrix P from the left puts the rows in another order. The "
        "same attention reads the shuffled sentence."},
       "X' = P·X,  Y' = softmax(X'·X'ᵀ / √d)·X'"});
  s.show("shuffle", "P", {names.after, names.before});
  s.table("x_shuffled", "X' = P·X", "shuffle @ x", {.rows = names.after, .lines = 1});
  s.table("y_shuffled", "Y'", attention_of("x_shuffled", d) + " @ x_shuffled",
          {.rows = names.after, .lines = 0});
  s.step(
      {"same",
       {"같은 벡터, 순서만 다르게", "The same vectors, shuffled"},
       {"먼저 계산하고 섞으나(P·Y) 섞고 나서 계산하나(Y') 결과가 같습니다. 차이는 0입니다. "
        "어텐션만으로는 누가 누구를 때렸는지 알 수 없습니다.",
        "Compute, then shuffle (P·Y), or shuffle, then compute (Y'): the same. The difference is "
        "0. Attention alone cannot tell who hit whom."},
       "Y' - P·Y = 0"});
  s.table("y_expected", "P·Y", "shuffle @ y", {.rows = names.after, .lines = 2});
  s.table("difference", "max |Y' - P·Y|", "row_max(abs(y_shuffled - y_expected))",
          {.rows = names.after, .lines = 1});
  s.step({"encode",
          {"자리의 무늬", "Patterns of places"},
          {"자리 p마다 사인과 코사인으로 무늬를 만듭니다. 짝수 열(2i)은 사인, 홀수 열은 "
           "코사인입니다.",
           "Every place p gets a pattern: sines in even columns (2i), cosines in odd ones."},
          "PE(p, 2i) = sin(p / 10000^(2i/d)),  PE(p, 2i+1) = cos(p / 10000^(2i/d))"});
  add_encoding(s, names);
  s.step(
      {"placed",
       {"위치를 더한 뒤의 어텐션", "Attention with positions added"},
       {"X에 PE를 더하고 다시 계산합니다. 섞은 문장에서도 첫 자리에는 첫 자리의 무늬가 더해집니다. "
        "무늬는 단어가 아니라 자리에 붙기 때문입니다.",
        "Add PE to X and compute again. In the shuffled sentence the first place still gets the "
        "pattern of the first place: patterns belong to places, not to words."},
       "Z = attention(X + PE),  Z' = attention(P·X + PE)"});
  add_placed(s, names, true);
  s.step(
      {"different",
       {"이제는 다르다", "Now they differ"},
       {"차이가 더는 0이 아닙니다. 자리를 바꾼 단어가 크게 달라지고, 제자리에 있던 단어도 이웃이 "
        "바뀐 만큼 달라집니다.",
        "The difference is no longer 0: words that moved differ, and those that stayed differ "
        "because their neighbours moved."},
       "Z' - P·Z ≠ 0"});
  s.table("difference_placed", "max |Z' - P·Z|", "row_max(abs(z_shuffled - shuffle @ z))",
          {.rows = names.after, .lines = 0});
}

void write_math(Sheet& s, const Names& names) {
  const int64_t d = s.of("x").columns;
  s.step(
      {"equivariance",
       {"순열 동변성", "Permutation equivariance"},
       {"P는 직교 행렬입니다. 소프트맥스는 행마다 계산되고, 열을 섞으면 결과의 열도 똑같이 "
        "섞입니다. "
        "그래서 P가 식을 그대로 통과합니다. W_q, W_k, W_v, 층 정규화, 피드포워드도 행마다 따로 "
        "계산되므로 층을 아무리 쌓아도 같습니다.",
        "P is orthogonal; softmax works row by row, and shuffled columns give shuffled columns. So "
        "P passes straight through. W_q, W_k, W_v, layer norms and feed-forward act on each row "
        "alone, so the same holds for any number of layers."},
       "softmax(P·S·Pᵀ) = P·softmax(S)·Pᵀ  ⇒  f(P·X) = P·A·Pᵀ·P·X = P·f(X)"});
  s.show("x", "X", {names.before});
  s.show("shuffle", "P", {names.after, names.before});
  s.table("y", "f(X)", attention_of("x", d) + " @ x", {.rows = names.before, .lines = 0});
  s.let("x_shuffled", "shuffle @ x");
  s.table("y_shuffled", "f(P·X)", attention_of("x_shuffled", d) + " @ x_shuffled",
          {.rows = names.after, .lines = 0});
  s.table("difference", "max |f(P·X) - P·f(X)|", "row_max(abs(y_shuffled - shuffle @ y))",
          {.rows = names.after, .lines = 0});
  s.step({"broken",
          {"위치가 대칭을 깬다", "Positions break the symmetry"},
          {"X + PE에서 P는 X에만 곱해집니다. P·PE ≠ PE이므로 동변성이 사라집니다.",
           "In X + PE the permutation acts on X alone; as P·PE ≠ PE, equivariance is gone."},
          "f(P·X + PE) ≠ P·f(X + PE)"});
  add_encoding(s, names);
  add_placed(s, names, false);
  s.table("difference_placed", "max |f(P·X + PE) - P·f(X + PE)|",
          "row_max(abs(z_shuffled - shuffle @ z))", {.rows = names.after, .lines = 0});
}

void write(Sheet& s) {
  s.input("x", {{1, 0, 0.5, 0},
                {0, 1, 0, 0.5},
                {1, 0, -0.5, 0},
                {0, 0, 1, 0.5},
                {0.5, 0.5, 0, 0},
                {0, 1, 1, 0}});
  const Names names = names_of(s);
  add_constants(s);
  s.tell(write_story, write_student, write_math, names);
  const Matrix& placed = s.of("difference_placed");
  Matrix gaps(2, placed.rows);  // without positions nothing differs
  for (int64_t i = 0; i < placed.rows; ++i) gaps.at(1, i) = placed.at(i, 0);
  s.chart(Picture::Kind::bars, "gaps", gaps,
          {{"섞은 뒤에 벡터가 얼마나 달라지나", "How much vectors differ after shuffling"},
           {"단어", "word"},
           {"가장 큰 차이", "largest difference"}},
          {s.in({"위치 없음", "without positions"}), s.in({"위치 있음", "with positions"})},
          names.after);
}

}  // namespace

const Topic& order_topic() {
  static constexpr Topic topic{
      .name = "order",
      .title = {"순서: 어텐션은 자리를 모른다", "Order: attention does not know places"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
