#include <algorithm>
#include <cmath>

#include "explain/arithmetic.h"
#include "explain/head_view.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::matrix, {"단어의 벡터", "the words' vectors"}, "n,d"},
    {"w_q", TopicInput::Kind::matrix, {"쿼리 투영", "projection of queries"}, "d,k"},
    {"w_k", TopicInput::Kind::matrix, {"키 투영", "projection of keys"}, "d,k"},
    {"w_v", TopicInput::Kind::matrix, {"값 투영", "projection of values"}, "d,e"},
};

constexpr Words kTitle{"쿼리, 키, 값: 묻고, 알리고, 주기", "Query, key, value: ask, tell, give"};
constexpr Words kKey{"키(보이는 쪽)", "key (the one looked at)"};
constexpr Words kQuery{"쿼리(보는 쪽)", "query (the one that looks)"};

constexpr StepWords kStory{
    "roles",
    {"한 단어, 세 가지 역할", "One word, three parts to play"},
    {"모임에 온 사람마다 쪽지 세 장을 씁니다. 무엇이 궁금한지(쿼리), 나는 어떤 사람인지(키), 물어 "
     "오면 "
     "들려줄 이야기(값). 세 쪽지는 같은 사람이 썼지만 내용이 다릅니다. 쓰는 법, 곧 세 투영 행렬은 "
     "배워서 "
     "얻습니다.",
     "At a gathering everybody writes three notes: what I would like to know (query), who I am "
     "(key), "
     "and the story I tell when asked (value). One person, three notes. How to write them, the "
     "three projections, is learned."}};
constexpr StepWords kStoryMix{
    "listen",
    {"듣고 돌아가기", "Going home with what was heard"},
    {"궁금한 것과 소개가 잘 맞는 사람의 이야기를 더 많이 듣습니다. 그렇게 섞인 이야기가 그 단어의 "
     "새 "
     "벡터입니다.",
     "Where a wish meets a fitting introduction, one listens more. The blend of stories is the "
     "word's new vector."}};
constexpr StepWords kWords{"words",
                           {"단어의 벡터", "The words' vectors"},
                           {"한 행이 단어 하나입니다.", "One word a row."}};
constexpr StepWords kProject{
    "project",
    {"세 번 투영하기", "Three projections"},
    {"같은 X에 배운 행렬 셋을 곱합니다. 그래서 단어가 찾는 것과 단어가 내세우는 것이 달라질 수 "
     "있습니다.",
     "The same X is multiplied by three learned matrices, so that what a word looks for can differ "
     "from what it offers."},
    "Q = X·W_q,  K = X·W_k,  V = X·W_v"};
constexpr StepWords kAttend{
    "attend",
    {"어텐션", "Attention"},
    {"쿼리와 키의 내적을 √d_k로 나누어 소프트맥스를 하고, 그 몫으로 값을 섞습니다.",
     "Dot products of queries and keys, divided by √d_k, go through softmax; the shares blend the "
     "values."},
    "A = softmax(Q·Kᵀ / √d_k),  O = A·V"};
constexpr StepWords kMath{"definition",
                          {"정의", "Definition"},
                          {"점수는 X에 대한 쌍선형 형식 x_i·W_q·W_kᵀ·x_jᵀ이고, 그 행렬의 계수는 "
                           "d_k를 넘지 못합니다. 출력은 "
                           "값에 대해 선형입니다.",
                           "The score is a bilinear form, x_i·W_q·W_kᵀ·x_jᵀ, of rank at most d_k. "
                           "The output is linear in "
                           "the values."},
                          "S = X·W_q·W_kᵀ·Xᵀ / √d_k,  O = softmax(S)·X·W_v"};

// A model's head.
constexpr StepWords kHeadQk{
    "head_qk",
    {"쿼리와 키", "Queries and keys"},
    {"{0} 모델의 {1}층, 헤드 {2}입니다(0부터 셉니다). 너비는 {3}이지만 점수에 가장 크게 이바지하는 "
     "차원만 "
     "보입니다. '나머지'는 다른 모든 차원이 점수에 더하는 몫입니다.",
     "Layer {1}, head {2} of a {0} model (counted from 0). It is {3} wide; shown are the "
     "dimensions "
     "that matter most to the scores. The rest is what all others add to them."},
    "Q = X·W_q,  K = X·W_k"};
constexpr StepWords kHeadScores{
    "head_scores",
    {"점수와 가중치", "Scores and weights"},
    {"보이는 차원의 곱에 나머지를 더한 것이 이 모델의 진짜 점수입니다. 눈금을 곱하고, 가린 자리를 "
     "-∞로 "
     "두고, 소프트맥스를 합니다.",
     "The products of the dimensions shown plus the rest are the model's real scores. They are "
     "scaled, hidden places become -∞, and softmax follows."},
    "A = softmax((Q·Kᵀ + rest)·scale)"};
constexpr StepWords kHeadValues{
    "head_values",
    {"값을 섞기", "Blending the values"},
    {"값의 처음 몇 차원입니다. 출력의 한 행은 값들을 그 행의 몫으로 섞은 것입니다.",
     "The first few dimensions of the values. A row of the output blends them by that row's "
     "shares."},
    "O = A·V"};
constexpr StepWords kHeadStory{"head_story",
                               {"진짜 모델의 눈", "The eyes of a real model"},
                               {"{0} 모델의 {1}층, 헤드 {2}{이} 이 문장에서 무엇을 보는지입니다. "
                                "어떤 단어가 어떤 단어에 기대는지 "
                                "한 줄씩 읽어 보십시오.",
                                "What head {2} in layer {1} of a {0} model looks at in this "
                                "sentence. Read it row by row: which "
                                "word leans on which."}};

void write_example(Sheet& s) {
  s.input("x", s.word_rows({{0.2, -0.5, 0.8}, {0.3, 0.7, -0.2}, {0.1, -0.4, 0.9}}));
  s.input("w_q", {{1, 0}, {0, 2}, {1, -1}});
  s.input("w_k", {{2, 0}, {0, 1}, {1, 1}});
  s.input("w_v", {{1, 0}, {0, 1}, {1, 1}});
  const Parts words = s.words(s.of("x").rows, {"I", "love", "cats"});
  const std::string root = text_of("sqrt(", s.of("w_q").columns, ")");
  const TableStyle rows{.rows = words, .lines = 2};
  s.step(s.story() ? kStory : s.math() ? kMath : kWords);
  if (!s.story()) s.shape(shape_text(s.of("x")));
  s.show("x", "X", {.rows = words});
  if (!s.story() && !s.math()) {
    s.step(kProject);
    s.product_shape("x", "w_q");
  }
  s.show("w_q", "W_q");
  s.table("q", "Q", "x @ w_q", rows);
  s.show("w_k", "W_k");
  s.table("k", "K", "x @ w_k", rows);
  s.show("w_v", "W_v");
  s.table("v", "V", "x @ w_v", rows);
  if (!s.math()) s.step(s.story() ? kStoryMix : kAttend);
  s.table("scores", "Q·Kᵀ", "q @ k.T", {.rows = words, .columns = words, .lines = 2});
  s.table("weights", "A", "softmax(scores / " + root + ")",
          {.rows = words, .columns = words, .lines = 0});
  s.table("output", "A·V", "weights @ v", rows);
  s.heatmap("weights", s.of("weights"), {{"어텐션 가중치", "Attention weights"}, kKey, kQuery},
            words, words);
}

double rounded(double x, int digits) {
  const double unit = std::pow(10.0, digits);
  return std::round(x * unit) / unit + 0.0;
}

Matrix columns_of(const Matrix& m, const std::vector<int64_t>& columns, int digits) {
  Matrix out(m.rows, static_cast<int64_t>(columns.size()));
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) = rounded(m.at(i, columns[static_cast<size_t>(j)]), digits);
  return out;
}

// The dimensions whose products are largest over all pairs.
std::vector<int64_t> strongest(const Matrix& q, const Matrix& k, int64_t most) {
  std::vector<std::pair<double, int64_t>> sizes;
  for (int64_t c = 0; c < q.columns; ++c) {
    double in_q = 0, in_k = 0;
    for (int64_t i = 0; i < q.rows; ++i) in_q += std::abs(q.at(i, c));
    for (int64_t i = 0; i < k.rows; ++i) in_k += std::abs(k.at(i, c));
    sizes.emplace_back(-in_q * in_k, c);
  }
  std::sort(sizes.begin(), sizes.end());
  std::vector<int64_t> out;
  for (int64_t c = 0; c < std::min(most, q.columns); ++c)
    out.push_back(sizes[static_cast<size_t>(c)].second);
  std::sort(out.begin(), out.end());
  return out;
}

Parts dimension_names(const std::vector<int64_t>& columns) {
  Parts out;
  for (const int64_t c : columns) out.push_back(std::to_string(c));
  return out;
}

void write_head(Sheet& s, const HeadView& h) {
  constexpr int64_t kShown = 4;
  const auto chosen = strongest(h.q, h.k, kShown);
  std::vector<int64_t> first;
  for (int64_t c = 0; c < std::min(kShown, h.v.columns); ++c) first.push_back(c);
  const Matrix q = columns_of(h.q, chosen, 4), k = columns_of(h.k, chosen, 4);
  const Matrix scores = plain::product(h.q, transposed(h.k));
  const Matrix shown = plain::product(q, transposed(k));
  Matrix rest(h.q.rows, h.k.rows), visible(h.q.rows, h.k.rows, 1);
  for (int64_t i = 0; i < rest.rows; ++i)
    for (int64_t j = 0; j < rest.columns; ++j) {
      const double bias = h.bias.size() ? h.bias.at(0, j) / h.scale : 0;
      rest.at(i, j) = rounded(scores.at(i, j) - shown.at(i, j) + bias, 6);
      const bool padding = h.real.size() && h.real.at(0, j) == 0;
      if ((h.causal && j > i) || padding) visible.at(i, j) = 0;
    }
  s.constant("q", q);
  s.constant("k", k);
  s.constant("rest", rest);
  s.constant("visible", visible);
  s.constant("v", columns_of(h.v, first, 6));
  const Parts facts = {h.model, std::to_string(h.layer), std::to_string(h.head),
                       std::to_string(h.q.columns)};
  const TableStyle square{.rows = h.words, .columns = h.words, .lines = 0};
  if (s.story())
    s.step(kHeadStory, facts);
  else
    s.step(kHeadQk, facts);
  s.shape(shape_text(h.q));
  s.show("q", "Q", {.rows = h.words, .columns = dimension_names(chosen)});
  s.show("k", "K", {.rows = h.words, .columns = dimension_names(chosen)});
  s.show("rest", s.in({"나머지", "rest"}), square);
  if (!s.story()) s.step(kHeadScores);
  s.table("scores", s.in({"Q·Kᵀ + 나머지", "Q·Kᵀ + rest"}), "q @ k.T + rest",
          {.rows = h.words, .columns = h.words, .lines = s.story() ? 0 : 2});
  std::string scaled = "scores * " + exact_text(h.scale);
  if (plain::sum(visible) < static_cast<double>(visible.size())) {
    s.show("visible", s.in({"보임", "visible"}), square);
    scaled = "where(visible, " + scaled + ", -inf)";
  }
  s.table("weights", "A", "softmax(" + scaled + ")", square);
  if (!s.story()) s.step(kHeadValues);
  s.show("v", "V", {.rows = h.words, .columns = dimension_names(first)});
  s.table("output", "A·V", "weights @ v",
          {.rows = h.words, .columns = dimension_names(first), .lines = s.story() ? 0 : 2});
  s.heatmap("weights", s.of("weights"), {{"어텐션 가중치", "Attention weights"}, kKey, kQuery},
            h.words, h.words);
}

void write(Sheet& s) {
  if (const HeadView* head = s.request().head.get()) {
    for (const auto& [name, value] : s.request().inputs)
      fail<UsageError>("qkv: found --", name, " and --model, wanted one of them");
    write_head(s, *head);
  } else {
    write_example(s);
  }
}

}  // namespace

const Topic& qkv_topic() {
  static constexpr Topic topic{.name = "qkv",
                               .title = kTitle,
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write,
                               .takes_words = true,
                               .takes_head = true};
  return topic;
}

}  // namespace jogak
