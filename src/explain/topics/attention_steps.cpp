#include "explain/topics/attention_steps.h"

#include <algorithm>
#include <cmath>

#include "draw/numbers.h"
#include "explain/arithmetic.h"

namespace jogak {
namespace {

void add_scores(Sheet& s, const AttentionNames& n) {
  const Matrix &q = s.of("q"), &k = s.of("k"), &v = s.of("v");
  const std::string width = std::to_string(q.columns);
  s.step({"inputs",
          {"쿼리, 키, 값", "Queries, keys, values"},
          {"토큰마다 벡터가 셋입니다. 쿼리(Q)는 무엇을 찾는지, 키(K)는 자기가 무엇인지, 값(V)은 "
           "무엇을 줄지를 나타냅니다. 한 행이 토큰 하나입니다.",
           "Every token has three vectors: the query (Q) says what it looks for, the key (K) what "
           "it is, the value (V) what it gives. One row is one token."}});
  s.shape(text_of("Q [", q.rows, ",", q.columns, "]  K [", k.rows, ",", k.columns, "]  V [", v.rows,
                  ",", v.columns, "]"));
  s.show("q", "Q", {.rows = n.queries});
  s.show("k", "K", {.rows = n.keys});
  s.show("v", "V", {.rows = n.values});
  s.step({"scores",
          {"점수", "Scores"},
          {"쿼리와 키의 내적이 점수입니다. Q의 행에 Kᵀ의 열을 곱해 더합니다. 키를 전치해야 길이 "
           "{0}인 행과 길이 {0}인 열이 만납니다.",
           "The dot product of query and key is the score: a row of Q times a column of Kᵀ. The "
           "keys are transposed so that rows of length {0} meet columns of length {0}."},
          "scores = Q·Kᵀ"},
         {width});
  s.table("k_t", "Kᵀ", "k.T", {.columns = n.keys});
  s.product_shape("q", "k_t");
  s.table("scores", "Q·Kᵀ", "q @ k_t", n.square(kLinesByHand));
  s.step({"scale",
          {"√d_k로 나누기", "Divide by √d_k"},
          {"내적은 벡터가 길수록 커지므로 길이의 제곱근으로 나눕니다. 여기서는 √{0} = {1}입니다.",
           "Dot products grow with the length of the vectors, so they are divided by its square "
           "root: here √{0} = {1}."},
          "scaled = scores / √d_k"},
         {width, plain_text(std::sqrt(static_cast<double>(q.columns)))});
  s.table("scaled", "Q·Kᵀ / √d_k", "scores / " + n.root, n.square(kLinesByHand));
}

void add_mask(Sheet& s, const AttentionNames& n) {
  s.step({"mask",
          {"마스크", "The mask"},
          {"1은 보아도 되는 자리, 0은 가린 자리입니다. 가린 점수는 -∞가 되고, exp(-∞) = 0이므로 "
           "몫이 없습니다.",
           "1 marks what may be seen, 0 what is hidden. A hidden score becomes -∞, and as exp(-∞) "
           "= 0 it gets no share."},
          "masked_ij = scaled_ij  (mask_ij = 1),  -∞  (mask_ij = 0)"});
  s.show("mask", s.in({"마스크", "mask"}), n.square(0));
  s.table("masked", s.in({"가린 점수", "masked"}), "where(mask, scaled, -inf)", n.square(0));
}

// Under a causal mask the first row would say nothing, so the last one is worked by hand.
void add_weights(Sheet& s, const AttentionNames& n) {
  s.step({"softmax",
          {"행마다 소프트맥스", "Softmax, row by row"},
          {"행마다 가장 큰 점수를 빼고 지수를 구한 뒤 그 행의 합으로 나눕니다. 가중치 한 행을 "
           "더하면 1입니다. 모두 가린 행은 0으로 둡니다.",
           "In every row subtract the largest score, take exponentials and divide by the sum of "
           "the row. A row of weights adds up to 1. A row in which all is hidden stays 0."},
          "weights_ij = exp(s_ij - max_j s_ij) / Σ_j exp(s_ij - max_j s_ij)"});
  s.table("exp", "exp(s - max s)",
          n.masked ? "exp(masked - where(row_sum(mask), row_max(masked), 0))"
                   : "exp(scaled - row_max(scaled))",
          n.square(kLinesByHand, -1));
  s.table("row_sums", "Σ_j", "row_sum(exp)", {.rows = n.queries, .row = -1});
  s.table("weights", s.in({"가중치", "weights"}),
          n.masked ? "exp / where(row_sums, row_sums, 1)" : "exp / row_sums",
          n.square(kLinesByHand, -1));
  s.step({"output",
          {"값을 섞기", "Blend the values"},
          {"가중치로 값을 섞습니다. 출력의 한 행은 V의 행들의 가중 평균입니다.",
           "The weights blend the values: each row of the output is a weighted mean of the rows "
           "of V."},
          "output = weights·V"});
  s.product_shape("weights", "v");
  s.table("output", s.in({"가중치·V", "weights·V"}), "weights @ v", {.rows = n.queries, .row = -1});
  const Matrix seen = n.masked ? plain::row_sums(s.of("mask")) : Matrix(1, 1, 1);
  if (std::count(seen.values.begin(), seen.values.end(), 0)) return;  // PyTorch gives NaN there
  const std::string bias =
      n.masked ? ", attn_mask=torch.where(mask != 0, 0.0, -torch.inf)[None]" : "";
  s.library(text_of("library = F.scaled_dot_product_attention(q[None], k[None], v[None]", bias,
                    ")\nassert torch.allclose(output, library[0])"));
}

// What the same numbers give without the mask, or with a causal one.
void add_comparison(Sheet& s, const AttentionNames& n) {
  const TableStyle rows{.rows = n.queries, .lines = 0};
  if (n.masked) {
    s.step({"full",
            {"마스크가 없다면", "Without the mask"},
            {"견주어 보도록, 같은 수를 아무것도 가리지 않고 계산한 결과입니다.",
             "To compare: the same numbers with nothing hidden."},
            "weights = softmax(Q·Kᵀ / √d_k)"});
    s.table("full_weights", s.in({"가중치", "weights"}), "softmax(scaled)", n.square(0));
    s.table("full_output", s.in({"가중치·V", "weights·V"}), "full_weights @ v", rows);
  } else if (n.queries.size() == n.keys.size()) {
    s.step({"causal",
            {"인과 마스크를 쓰면", "With a causal mask"},
            {"글을 왼쪽부터 쓸 때는 i번째 토큰이 i번째까지만 봅니다. 첫 행은 자기만 보고, 마지막 "
             "행은 그대로입니다.",
             "When text is written from left to right, token i sees only tokens up to i. The "
             "first row sees itself alone; the last row is as before."},
            "mask_ij = 1  (j ≤ i)"});
    s.table("causal_weights", s.in({"가중치", "weights"}),
            "softmax(where(causal(scaled), scaled, -inf))", n.square(0));
    s.table("causal_output", s.in({"가중치·V", "weights·V"}), "causal_weights @ v", rows);
  }
}

void add_empty_row(Sheet& s, const AttentionNames& n) {
  const TableStyle row{.rows = {n.queries[0]}, .columns = n.keys, .lines = 0};
  s.step({"empty_row",
          {"모두 가린 행", "A row with nothing to see"},
          {"첫 쿼리에게 모든 키를 가리면 점수가 모두 -∞이고 합이 0이라, 그대로 나누면 0 / 0 = "
           "NaN입니다. 그런 행은 가중치도 출력도 0으로 정합니다. 다른 행은 달라지지 않습니다.",
           "Hide every key from the first query and all its scores are -∞, their exponentials add "
           "up to 0, and dividing would give 0 / 0 = NaN. Such a row is defined to have weights 0 "
           "and output 0. Other rows are not touched."},
          "Σ_j exp(-∞) = 0  ->  weights_1j = 0"});
  s.table("empty_masked", s.in({"가린 점수", "masked"}), "scaled[0:1, :] - inf", row);
  s.table("empty_weights", s.in({"가중치", "weights"}), "masked_softmax(empty_masked)", row);
  s.table("empty_output", s.in({"가중치·V", "weights·V"}), "empty_weights @ v",
          {.rows = {n.queries[0]}, .lines = 0});
}

void add_why(Sheet& s) {
  s.step({"why_divide",
          {"왜 √d_k로 나누는가", "Why divide by √d_k"},
          {"길이 64인 벡터의 점수 세 행입니다. 그대로 소프트맥스에 넣으면 첫 행은 거의 한 칸에 "
           "몰립니다. 8로 나누면 고르게 나뉩니다. 기울기 p(1-p)를 보십시오. 몰린 쪽은 0에 가까워 "
           "배우기를 멈춥니다. 이것을 포화라고 합니다.",
           "Three rows of scores from vectors of length 64. Put into softmax as they are, the "
           "first row gives nearly all to one place; divided by 8 it spreads. Look at the slope "
           "p(1-p): where all is in one place it is near 0, and learning stops. This is "
           "saturation."},
          "softmax(s)  |  softmax(s / √64),  ∂p/∂s = p·(1 - p)"});
  s.constant("why_scores", {{10, 5, 2}, {3, 12, 4}, {1, 4, 15}});
  s.show("why_scores", "s");
  s.table("why_plain", "softmax(s)", "softmax(why_scores)", {.lines = 0});
  s.table("why_divided", "softmax(s / 8)", "softmax(why_scores / sqrt(64))", {.lines = 0});
  s.table("why_slope_plain", "p·(1 - p),  p = softmax(s)", "why_plain * (1 - why_plain)",
          {.lines = 1});
  s.table("why_slope_divided", "p·(1 - p),  p = softmax(s / 8)", "why_divided * (1 - why_divided)",
          {.lines = 1});
}

}  // namespace

void write_attention_steps(Sheet& s, const AttentionNames& n) {
  add_scores(s, n);
  if (n.masked) add_mask(s, n);
  add_weights(s, n);
  add_comparison(s, n);
  add_empty_row(s, n);
  add_why(s);
}

}  // namespace jogak
