#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"scores", TopicInput::Kind::matrix, {"점수, 정사각 행렬", "scores, a square matrix"}, "n,n"},
    {"padding",
     TopicInput::Kind::mask,
     {"진짜 토큰 1, 패딩 자리 0", "1 for a real token, 0 for padding"},
     "1,n"},
};

struct Names {
  Parts queries, keys;

  TableStyle square(int64_t lines = 0) const {
    return {.rows = queries, .columns = keys, .lines = lines, .row = -1};
  }
};

// The largest visible score of each row; 0 where nothing is visible.
constexpr const char* kTop = "where(row_sum(mask), row_max(where(mask, scores, -inf)), 0)";

void add_padding(Sheet& s, const Names& n) {
  s.show("real", s.in({"진짜 토큰", "real tokens"}), {.columns = n.keys});
  s.table("padding", s.in({"패딩", "padding"}), "repeat(real, scores)", n.square());
}

void write_story(Sheet& s, const Names& n) {
  s.step(
      {"exam",
       {"시험지 가리기", "Covering the answers"},
       {"다음 단어 맞히기를 배우는 모델에게 문장 전체를 보여 주면 답을 베낄 뿐 배우지 못합니다. "
        "그래서 자기 뒤에 오는 단어를 종이로 가립니다. 첫 단어는 자기만 보고, 마지막 단어는 모두 "
        "봅니다.",
        "A model that learns to guess the next word would only copy the answer if it saw the "
        "whole sentence. So everything after a word is covered with paper: the first word sees "
        "only itself, the last one sees all."}});
  s.show("scores", "s", n.square());
  s.table("causal", s.in({"인과", "causal"}), "causal(scores)", n.square());
  s.step({"padding",
          {"빈자리도 가리기", "Empty seats"},
          {"길이가 다른 문장을 나란히 놓으려면 짧은 쪽 끝을 빈자리로 채웁니다. 빈자리는 아무 뜻이 "
           "없으니 역시 가립니다. 두 가지 종이를 겹치면 둘 중 하나라도 가린 곳은 보이지 않습니다.",
           "To set sentences of different length side by side, the short ones are filled up with "
           "empty seats. They mean nothing, so they are covered too. Lay both papers on top of "
           "each other: what either covers is not seen."}});
  add_padding(s, n);
  s.table("mask", s.in({"마스크", "mask"}), "causal * padding", n.square());
  s.step({"shares",
          {"남은 것끼리 나누기", "The rest share"},
          {"가린 자리의 몫은 0이고, 보이는 자리끼리 1을 나누어 가집니다. 아무것도 보이지 않는 줄은 "
           "나눌 것이 없으니 모두 0입니다.",
           "What is covered gets no share; what is seen shares the whole. A row that sees nothing "
           "has nothing to share: all zeros."}});
  s.table("multiplied_weights", "softmax", "masked_softmax(where(mask, scores, -inf))", n.square());
}

void add_masks(Sheet& s, const Names& n) {
  const std::string shape = shape_text(s.of("scores"));
  s.step({"scores",
          {"점수", "The scores"},
          {"{0}개 토큰이 서로를 보는 점수입니다. 행은 보는 쪽, 열은 보이는 쪽입니다.",
           "Scores of {0} tokens looking at each other: rows look, columns are looked at."}},
         {std::to_string(n.keys.size())});
  s.shape(shape);
  s.show("scores", "s", n.square());
  s.step({"causal",
          {"인과 마스크", "Causal mask"},
          {"1은 보임, 0은 가림입니다. 대각선 위쪽 삼각형, 곧 나중에 오는 토큰을 가립니다.",
           "1 is visible, 0 is hidden: the upper triangle, everything that comes later, is "
           "hidden."},
          "causal_ij = 1  (j ≤ i),  0  (j > i)"});
  s.shape(shape);
  s.table("causal", s.in({"인과", "causal"}), "causal(scores)", n.square());
  s.step({"padding",
          {"패딩 마스크", "Padding mask"},
          {"진짜 토큰은 1, 길이를 맞추려고 넣은 패딩은 0입니다. 패딩의 열은 모든 행에서 "
           "가립니다.",
           "Real tokens are 1, places filled in to even out the length are 0. The column of a "
           "padded place is hidden from every row."},
          "padding_ij = real_j"});
  s.shape(shape_text(s.of("real")) + " -> " + shape);
  add_padding(s, n);
  s.step({"both",
          {"둘 다", "Both"},
          {"곱하면 둘 다 허락한 자리만 남습니다.", "Multiplied, only what both allow remains."},
          "mask_ij = causal_ij·padding_ij"});
  s.shape(shape + "∘" + shape + " -> " + shape);
  s.table("mask", s.in({"마스크", "mask"}), "causal * padding", n.square());
}

void add_ways(Sheet& s, const Names& n) {
  s.step({"fill",
          {"방법 하나: 큰 음수로 채우기", "One way: fill with a large negative number"},
          {"가린 점수를 -1000000000으로 바꾸고 소프트맥스를 계산합니다. exp(-1000000000)은 "
           "컴퓨터에서 꼭 0입니다.",
           "Replace hidden scores by -1000000000 and take softmax. In a computer exp(-1000000000) "
           "is exactly 0."},
          "softmax(s_ij  (mask_ij = 1),  -10^9  (mask_ij = 0))"});
  s.table("filled", "s, -10^9", "where(mask, scores, -1000000000)", n.square());
  s.table("filled_weights", "softmax", "softmax(filled)", n.square());
  s.step(
      {"multiply",
       {"방법 둘: 지수에 곱하기", "Another way: multiply the exponentials"},
       {"보이는 점수 가운데 가장 큰 것을 빼고 지수를 구한 다음 마스크를 곱하고, 남은 것의 합으로 "
        "나눕니다. 모두 가린 행만 빼면 앞의 가중치와 같습니다. 소프트맥스를 끝낸 뒤에 곱하면 "
        "합이 1이 되지 않으니 조심하십시오.",
        "Subtract the largest visible score, take exponentials, multiply by the mask and "
        "divide by the sum of what is left. But for rows with nothing to see, the weights are "
        "the same as before. Multiplying after the softmax would be wrong: the rows would no "
        "longer add up to 1."},
       "w_ij = exp(s_ij - m_i)·mask_ij / Σ_j exp(s_ij - m_i)·mask_ij"});
  s.table("largest", "m", kTop, {.rows = n.queries, .row = -1});
  s.table("multiplied", s.in({"exp(s - m)·마스크", "exp(s - m)·mask"}),
          "exp(minimum(scores - largest, 0)) * mask", n.square(kLinesByHand));
  s.table("multiplied_sums", "Σ_j", "row_sum(multiplied)", {.rows = n.queries, .row = -1});
  s.table("multiplied_weights", "w", "multiplied / where(multiplied_sums, multiplied_sums, 1)",
          n.square(kLinesByHand));
}

void add_empty_row(Sheet& s, const Names& n) {
  s.step(
      {"empty_row",
       {"모두 가린 행", "A row with nothing to see"},
       {"앞쪽을 채운 문장에 인과 마스크를 쓰면 첫 행은 아무것도 보지 못합니다. -∞로 채우면 0 / 0 "
        "= NaN이 되고, 큰 음수로 채우면 뜻 없이 고르게 나뉩니다. 지수에 곱하는 방법은 합이 0일 "
        "때 0으로 정하면 되며, jogak은 그렇게 합니다.",
        "With padding in front, a causal mask leaves the first row nothing to see. Filled with "
        "-∞ it gives 0 / 0 = NaN; filled with a large negative number it spreads evenly, which "
        "means nothing. With multiplied exponentials a sum of 0 is simply defined to give 0, "
        "and that is what jogak does."},
       "Σ_j exp(s_1j - m_1)·mask_1j = 0  ->  w_1j = 0"});
  s.show("front", s.in({"앞쪽이 패딩", "padding in front"}), {.columns = n.keys});
  s.table("front_mask", s.in({"마스크", "mask"}), "causal * front", n.square());
  s.table("front_filled", "softmax(s, -10^9)", "softmax(where(front_mask, scores, -1000000000))",
          n.square());
  s.table("front_weights", "w", "masked_softmax(where(front_mask, scores, -inf))", n.square());
}

void write_student(Sheet& s, const Names& n) {
  add_masks(s, n);
  add_ways(s, n);
  add_empty_row(s, n);
}

void write_math(Sheet& s, const Names& n) {
  const int64_t size = s.of("scores").rows;
  s.step({"additive",
          {"더하는 마스크", "The mask as a summand"},
          {"M의 값은 0 아니면 -∞입니다. 지수 법칙에 따라 더하기는 지수에 곱하기와 같습니다. 그래서 "
           "두 방법의 가중치가 같습니다.",
           "M takes the values 0 and -∞. By the law of exponents adding it is multiplying the "
           "exponentials, hence both ways give the same weights."},
          "exp(s_ij + M_ij) = exp(s_ij)·exp(M_ij) = exp(s_ij)·mask_ij"});
  s.shape(shape_text(s.of("scores")));
  s.show("scores", "s", n.square());
  s.table("causal", s.in({"인과", "causal"}), "causal(scores)", n.square());
  add_padding(s, n);
  s.table("mask", s.in({"마스크", "mask"}), "causal * padding", n.square());
  s.table("weights", "w", "masked_softmax(where(mask, scores, -inf))", n.square());
  s.step(
      {"fill_limit",
       {"큰 음수가 충분한가", "Is a large negative number enough"},
       {"배정밀도에서 exp(t)는 t < -745.2이면 꼭 0입니다. 그러므로 보이는 점수가 하나라도 있고 "
        "점수의 크기가 -10^9에 견주어 작으면 채우기는 -∞와 같은 결과를 냅니다. 반정밀도(f16)에는 "
        "-10^9 자체가 담기지 않으므로 -∞나 곱하기를 씁니다.",
        "In double precision exp(t) is exactly 0 for t < -745.2. So as long as one score is "
        "visible and scores are small next to 10^9, filling equals -∞. Half precision (f16) "
        "cannot hold -10^9 at all: use -∞ or multiply."},
       "s_visible - (-10^9) > 745.2  ->  exp(-10^9 - s_visible) = 0"});
  s.step({"gradient",
          {"마지막 행의 야코비 행렬", "Jacobian of the last row"},
          {"가린 자리의 행과 열은 모두 0입니다. 가린 점수는 아무것도 바꾸지 못하고, 기울기도 받지 "
           "않습니다. 모두 가린 행은 상수 0이므로 기울기도 0입니다.",
           "Rows and columns of hidden places are 0: a hidden score changes nothing and receives "
           "no gradient. A row with nothing to see is constantly 0 and so is its gradient."},
          "∂w_i/∂s_j = w_i·(δ_ij - w_j)"});
  s.let("last", text_of("weights[", size - 1, ":", size, ", :]"));
  s.table("jacobian", "∂w/∂s", "last.T * (identity(last) - last)",
          {.rows = labels("w", size), .columns = labels("s", size), .lines = 2});
}

void write(Sheet& s) {
  const Matrix& scores =
      s.input("scores", {{2, 1, 0, 3}, {1, 2, 1, 0}, {0, 1, 2, 1}, {1, 0, 1, 2}});
  const int64_t size = scores.rows;
  Matrix real(1, size, 1), front(1, size, 1);
  if (size > 1) real.at(0, size - 1) = 0;
  front.at(0, 0) = 0;
  s.constant("real", s.input("padding", real));
  s.constant("front", front);
  const Names n{labels("q", size), labels("k", size)};
  s.tell(write_story, write_student, write_math, n);
  const char* weights = s.math() ? "weights" : "multiplied_weights";
  s.heatmap("weights", s.of(weights),
            {{"가린 뒤의 가중치", "Weights under the mask"},
             {"키 위치", "key position"},
             {"쿼리 위치", "query position"}},
            n.queries, n.keys);
}

}  // namespace

const Topic& masks_topic() {
  static constexpr Topic topic{
      .name = "masks",
      .title = {"마스크: 보면 안 되는 자리 가리기", "Masks: hiding what must not be seen"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
