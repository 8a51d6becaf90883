#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"decoder",
     TopicInput::Kind::matrix,
     {"마스크 셀프 어텐션과 정규화를 지난 디코더의 벡터",
      "the decoder's vectors after masked self-attention and its norm"},
     "n,d"},
    {"encoder",
     TopicInput::Kind::matrix,
     {"인코더 마지막 층의 벡터", "vectors of the last encoder layer"},
     "m,d"},
    {"early",
     TopicInput::Kind::matrix,
     {"인코더 첫 층의 벡터(견줄 것)", "vectors of the first encoder layer, to compare"},
     "m,d"},
    {"w_q", TopicInput::Kind::matrix, {"쿼리 투영", "projection of queries"}, "d,k"},
    {"w_k", TopicInput::Kind::matrix, {"키 투영", "projection of keys"}, "d,k"},
    {"w_v", TopicInput::Kind::matrix, {"값 투영", "projection of values"}, "d,e"},
};

struct Names {
  Parts target, source;
  std::string root;
};

void show_inputs(Sheet& s, const Names& n) {
  s.show("decoder", "Y", {.rows = n.target});
  s.show("encoder", "X", {.rows = n.source});
}

void add_projections(Sheet& s, const Names& n) {
  s.show("w_q", "W_q");
  s.show("w_k", "W_k");
  s.show("w_v", "W_v");
  s.table("q", "Q = Y·W_q", "decoder @ w_q", {.rows = n.target, .lines = 2});
  s.table("k", "K = X·W_k", "encoder @ w_k", {.rows = n.source, .lines = 2});
  s.table("v", "V = X·W_v", "encoder @ w_v", {.rows = n.source, .lines = 2});
}

void add_weights(Sheet& s, const Names& n) {
  s.table("weights", "A", "softmax(q @ k.T / " + n.root + ")",
          {.rows = n.target, .columns = n.source, .lines = 0});
  s.table("output", "A·V", "weights @ v", {.rows = n.target});
}

void write_story(Sheet& s, const Names& n) {
  s.step(
      {"interpreter",
       {"통역사", "The interpreter"},
       {"통역사는 지금까지 옮긴 말(Y)을 떠올리며 묻습니다. '다음에 할 말은 원문의 어디에 있지?' "
        "대답은 끝까지 다 듣고 이해한 원문(X)에서 옵니다. 반쯤 들은 말이 아닙니다.",
        "The interpreter thinks of what has been said so far (Y) and asks: where in the source is "
        "what comes next? The answer comes from the source as understood after hearing it to "
        "the end (X), not from a half-heard one."}});
  show_inputs(s, n);
  s.step({"blend",
          {"원문에서 섞어 오기", "A blend of the source"},
          {"묻는 쪽은 번역문이고, 제목과 내용은 모두 원문의 것입니다. 그래서 표의 세로는 번역문, "
           "가로는 원문입니다.",
           "The translation asks; labels and contents are the source's. So the table has the "
           "translation down and the source across."}});
  add_projections(s, n);
  add_weights(s, n);
}

void write_student(Sheet& s, const Names& n) {
  const Matrix &y = s.of("decoder"), &x = s.of("encoder");
  s.step(
      {"inputs",
       {"두 군데에서 오는 벡터", "Vectors from two places"},
       {"Y는 디코더의 것으로, 마스크를 쓴 셀프 어텐션에 더하고 정규화한 결과입니다. X는 인코더 "
        "마지막 "
        "층의 출력이며, 디코더의 모든 층이 같은 X를 씁니다.",
        "Y is the decoder's: the result of its masked self-attention, added and normalised. X is "
        "the output of the last encoder layer, and every decoder layer uses the same X."},
       "Y = norm(y + MHA(y)),  X = encoder_N(…encoder_1(x))"});
  s.shape(text_of("Y [", y.rows, ",", y.columns, "]  X [", x.rows, ",", x.columns, "]"));
  show_inputs(s, n);
  s.step({"project",
          {"쿼리는 Y에서, 키와 값은 X에서", "Queries from Y, keys and values from X"},
          {"투영 행렬은 셀프 어텐션과 똑같이 생겼습니다. 다른 것은 무엇에 곱하느냐뿐입니다.",
           "The projections look as in self-attention. All that differs is what they multiply."},
          "Q = Y·W_q,  K = X·W_k,  V = X·W_v"});
  add_projections(s, n);
  s.step(
      {"attend",
       {"직사각형 어텐션", "A rectangle of attention"},
       {"번역문의 토큰마다 원문의 토큰에 몫을 나눕니다. 원문은 이미 다 주어졌으므로 인과 마스크는 "
        "없고, 패딩만 가립니다.",
        "Every target token shares itself out over the source tokens. The whole source is known, "
        "so there is no causal mask; only padding is hidden."},
       "A = softmax(Q·Kᵀ / √d_k),  O = A·V"});
  s.shape(text_of("[", y.rows, ",", x.rows, "]·[", x.rows, ",", s.of("v").columns, "] -> [", y.rows,
                  ",", s.of("v").columns, "]"));
  s.table("scores", "Q·Kᵀ", "q @ k.T", {.rows = n.target, .columns = n.source});
  s.table("weights", "A", "softmax(scores / " + n.root + ")",
          {.rows = n.target, .columns = n.source, .lines = 2});
  s.table("output", "A·V", "weights @ v", {.rows = n.target, .lines = 2});
  s.step(
      {"early",
       {"인코더의 다른 층을 쓰면", "From an earlier layer instead"},
       {"디코더의 i층이 인코더의 i층을 본다고 그린 그림이 더러 있지만, 원래 모델은 언제나 마지막 "
        "층을 봅니다. 첫 층의 벡터로 계산하면 다른 가중치가 나옵니다.",
        "Some drawings let decoder layer i look at encoder layer i. The original model always "
        "looks at the last. Computed from the first layer's vectors the weights differ."},
       "K' = X_1·W_k"});
  s.show("early", "X_1", {.rows = n.source});
  s.table("early_weights", "A'", "softmax(q @ (early @ w_k).T / " + n.root + ")",
          {.rows = n.target, .columns = n.source, .lines = 0});
}

void write_math(Sheet& s, const Names& n) {
  s.step({"definition",
          {"정의", "Definition"},
          {"가중치는 n×m 행렬이고 행마다 합이 1입니다. K와 V는 Y에 달려 있지 않으므로 문장마다 한 "
           "번만 "
           "계산해 두고 쓸 수 있습니다.",
           "The weights are an n×m matrix with rows that sum to 1. K and V do not depend on Y, so "
           "they are computed once for a sentence and kept."},
          "O = softmax(Y·W_q·W_kᵀ·Xᵀ / √d_k)·X·W_v"});
  show_inputs(s, n);
  add_projections(s, n);
  add_weights(s, n);
  s.step({"gradient",
          {"인코더로 가는 길", "The way to the encoder"},
          {"손실의 기울기는 K와 V를 거쳐 인코더에 닿습니다. 모든 디코더 층이 같은 X를 쓰므로 그 "
           "기울기가 "
           "더해집니다. L = Σ O이면 ∂L/∂V = Aᵀ·1입니다.",
           "The loss reaches the encoder through K and V; as every decoder layer uses the same X, "
           "their gradients add up. With L = Σ O we have ∂L/∂V = Aᵀ·1."},
          "∂L/∂X = Σ_layers (∂L/∂K·W_kᵀ + ∂L/∂V·W_vᵀ)"});
  s.table("d_v", "∂L/∂V", "weights.T @ (0 * output + 1)", {.rows = n.source, .lines = 0});
}

void write(Sheet& s) {
  s.input("decoder", {{1, 0, 0.5}, {0, 1, 0.5}});
  s.input("encoder", {{1, 0.5, 0}, {0, 1, 0.5}, {0.5, 0, 1}});
  s.input("early", {{0.2, 0.1, 0.9}, {0.8, 0.1, 0.2}, {0.1, 0.9, 0.3}});
  s.input("w_q", {{1, 0}, {0, 1}, {0.5, 0.5}});
  s.input("w_k", {{1, 0}, {0, 2}, {0.5, 0}});
  s.input("w_v", {{1, 2}, {3, 0}, {0, 4}});
  const Names n{labels("y", s.of("decoder").rows), labels("x", s.of("encoder").rows),
                text_of("sqrt(", s.of("w_q").columns, ")")};
  s.tell(write_story, write_student, write_math, n);
  s.heatmap("weights", s.of("weights"),
            {{"크로스 어텐션의 가중치", "Weights of cross-attention"},
             {"원문(인코더)", "source (encoder)"},
             {"번역문(디코더)", "target (decoder)"}},
            n.target, n.source);
}

}  // namespace

const Topic& cross_topic() {
  static constexpr Topic topic{.name = "cross-attention",
                               .title = {"크로스 어텐션: 번역문이 원문을 볼 때",
                                         "Cross-attention: the target looks at the source"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
