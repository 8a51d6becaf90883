#include <algorithm>

#include "draw/outline.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"batch",
     TopicInput::Kind::integer,
     {"한 번에 넣는 문장 수", "sentences at a time"},
     "",
     1,
     4096},
    {"tokens", TopicInput::Kind::integer, {"문장의 토큰 수", "tokens of a sentence"}, "", 1, 65536},
    {"heads", TopicInput::Kind::integer, {"헤드 수", "heads"}, "", 1, 256},
    {"d_k", TopicInput::Kind::integer, {"헤드 하나의 너비", "width of one head"}, "", 1, 1024},
    {"inner",
     TopicInput::Kind::integer,
     {"피드포워드의 너비", "width of the feed-forward"},
     "",
     1,
     262144},
    {"vocab", TopicInput::Kind::integer, {"어휘 수", "words of the vocabulary"}, "", 1, 1000000},
};

// Shapes as text: "[16,128,512]".
struct Shapes {
  int64_t B, T, H, G, D, C, F, V;
  std::string largest() const {  // of what a forward pass holds
    const std::pair<int64_t, std::string> boxes[] = {{B * T * C, of(B, T, C)},
                                                     {B * H * T * T, of(B, H, T, T)},
                                                     {B * T * F, of(B, T, F)},
                                                     {B * T * V, of(B, T, V)}};
    return std::max_element(std::begin(boxes), std::end(boxes))->second;
  }
  template <class... Sizes>
  static std::string of(Sizes... sizes) {
    std::string out;
    for (const int64_t size : {static_cast<int64_t>(sizes)...})
      out += (out.empty() ? "[" : ",") + std::to_string(size);
    return out + "]";
  }
};

int64_t whole(const Sheet& s, const char* name) {
  return static_cast<int64_t>(s.of(name).at(0, 0));
}

Shapes read(Sheet& s) {
  const ModelOutline* model = s.request().outline.get();
  const auto set = [&](const char* name, int64_t example, int64_t of_model) {
    if (!model) {
      s.input(name, Matrix(1, 1, static_cast<double>(example)));
      return;
    }
    ensure<UsageError>(!s.request().inputs.count(name), "shapes: found --", name,
                       " and --model, wanted one of them");
    s.constant(name, Matrix(1, 1, static_cast<double>(of_model)));
  };
  s.input("batch", {{16}});
  s.input("tokens",
          Matrix(1, 1, static_cast<double>(model ? std::min<int64_t>(model->context, 128) : 128)));
  const ModelOutline::Stack stack = model ? model->main() : ModelOutline::Stack{};
  set("heads", 8, stack.heads);
  set("d_k", 64, model ? model->head_width : 0);
  set("inner", 2048, stack.inner);
  set("vocab", 37000, model ? model->outputs : 0);
  const int64_t H = whole(s, "heads"), D = whole(s, "d_k");
  const int64_t C = model ? model->width : H * D;
  s.constant("width", Matrix(1, 1, static_cast<double>(C)));
  return {whole(s, "batch"), whole(s, "tokens"), H, model ? stack.kv_heads : H, D, C,
          whole(s, "inner"), whole(s, "vocab")};
}

void add_sizes(Sheet& s, const Shapes& n) {
  s.show("batch", "B");
  s.show("tokens", "T");
  s.show("heads", "H");
  s.show("d_k", "d_k");
  s.table("d_model", "H·d_k", "heads * d_k");
  if (n.C != n.H * n.D) s.show("width", "d_model");
}

std::string width_name(const Shapes& n) { return n.C == n.H * n.D ? "d_model" : "width"; }

void write_story(Sheet& s, const Shapes& n) {
  s.step({"boxes",
          {"상자에 담긴 수", "Numbers in boxes"},
          {"모델 안을 흐르는 것은 모두 수를 담은 상자입니다. 상자의 크기만 알면 무슨 일이 "
           "일어나는지 반은 "
           "안 것입니다. 문장 여러 개, 토큰 여러 개, 토큰마다 수 여러 개입니다.",
           "All that flows through a model is boxes of numbers. Know their sizes and you know half "
           "of what happens: so many sentences, so many tokens, so many numbers a token."}});
  s.shape(Shapes::of(n.B, n.T, n.C));
  add_sizes(s, n);
  s.table("embedded", "B·T·d_model", "batch * tokens * " + width_name(n));
  s.step(
      {"cut",
       {"자르고 다시 붙이기", "Cut and joined again"},
       {"어텐션은 토큰의 수를 헤드 수만큼 잘라 나누어 보고, 다시 붙입니다. 가장 빨리 커지는 상자는 "
        "모든 토큰이 모든 토큰을 보는 표입니다. 문장이 두 배로 길어지면 이 표는 네 배가 됩니다. 이 "
        "크기에서 가장 큰 상자는 {0}입니다.",
        "Attention cuts each token's numbers into heads, looks, and joins them again. The box that "
        "grows fastest is the table in which every token looks at every token: a sentence twice "
        "as long makes it four times as large. At this size the largest box is {0}."}},
      {n.largest()});
  s.shape(Shapes::of(n.B, n.H, n.T, n.T));
  s.table("score_count", "B·H·T·T", "batch * heads * tokens * tokens");
}

void add_attention(Sheet& s, const Shapes& n) {
  s.step(
      {"split",
       {"헤드로 나누기", "Split into heads"},
       {"d_model을 헤드 수로 나눈 것이 d_k입니다. 나눈 뒤에는 헤드 축을 토큰 축 앞으로 옮깁니다. "
        "그래야 "
        "헤드마다 토큰끼리 곱할 수 있습니다. 토큰 10개만 보면 [10,512] -> [10,8,64] -> "
        "[8,10,64]입니다.",
        "d_model divided by the heads is d_k. Then the axis of heads moves before that of tokens, "
        "so that within each head tokens meet tokens. For ten tokens alone: [10,512] -> "
        "[10,8,64] -> [8,10,64]."},
       "d_model = H·d_k"});
  s.shape(Shapes::of(n.B, n.T, n.H * n.D) + " -> " + Shapes::of(n.B, n.T, n.H, n.D) + " -> " +
          Shapes::of(n.B, n.H, n.T, n.D) +
          (n.G == n.H ? "" : ",  K, V " + Shapes::of(n.B, n.G, n.T, n.D)));
  s.table("split_count", "B·H·T·d_k", "batch * heads * tokens * d_k");
  s.step({"scores",
          {"점수", "Scores"},
          {"모든 토큰이 모든 토큰을 보므로 T가 두 번 나옵니다. 문장 길이의 제곱으로 커지는 것은 "
           "이것뿐입니다.",
           "Every token looks at every token, so T stands there twice. Nothing else grows with the "
           "square of the length."},
          "Q·Kᵀ / √d_k"});
  s.shape(Shapes::of(n.B, n.H, n.T, n.D) + "·" + Shapes::of(n.B, n.H, n.D, n.T) + " -> " +
          Shapes::of(n.B, n.H, n.T, n.T));
  s.table("score_count", "B·H·T·T", "batch * heads * tokens * tokens");
  s.step({"join",
          {"값을 섞고 다시 붙이기", "Blend and join"},
          {"가중치에 V를 곱하면 다시 너비 d_k이고, 헤드를 이어 붙이면 처음 모양이 됩니다.",
           "Weights times V are d_k wide again; the heads side by side have the first shape."},
          "A·V"});
  s.shape(Shapes::of(n.B, n.H, n.T, n.T) + "·" + Shapes::of(n.B, n.H, n.T, n.D) + " -> " +
          Shapes::of(n.B, n.H, n.T, n.D) + " -> " + Shapes::of(n.B, n.T, n.H * n.D) +
          (n.C == n.H * n.D ? "" : " -> " + Shapes::of(n.B, n.T, n.C)));
  s.table("joined_count", "B·T·H·d_k", "batch * tokens * d_model");
}

void write_student(Sheet& s, const Shapes& n) {
  s.step({"sizes",
          {"크기", "Sizes"},
          {"B는 한 번에 넣는 문장 수, T는 토큰 수, H는 헤드 수, d_k는 헤드 하나의 너비입니다.",
           "B sentences at a time, T tokens each, H heads, each d_k wide."}});
  add_sizes(s, n);
  s.step({"embedding",
          {"임베딩", "Embedding"},
          {"토큰 번호마다 벡터 하나를 찾아 옵니다. 위치를 더해도 모양은 그대로입니다.",
           "Each token's number fetches one vector. Adding positions leaves the shape as it is."},
          "x = E[id] + PE"});
  s.shape(Shapes::of(n.B, n.T) + " -> " + Shapes::of(n.B, n.T, n.C));
  s.table("embedded", "B·T·d_model", "batch * tokens * " + width_name(n));
  add_attention(s, n);
  s.step({"feed_forward",
          {"피드포워드", "Feed-forward"},
          {"토큰마다 따로 넓혔다가 좁힙니다.", "Each token by itself is widened and narrowed."},
          "act(x·W_1)·W_2"});
  s.shape(Shapes::of(n.B, n.T, n.C) + " -> " + Shapes::of(n.B, n.T, n.F) + " -> " +
          Shapes::of(n.B, n.T, n.C));
  s.show("inner", "d_ff");
  s.table("wide_count", "B·T·d_ff", "batch * tokens * inner");
  if (n.V == 0) return;
  s.step({"output",
          {"출력층", "Output layer"},
          {"마지막 벡터에서 가능한 답마다 점수를 하나씩 냅니다.",
           "From the last vector comes one score for every possible answer."},
          "logits = x·W_out"});
  s.shape(Shapes::of(n.B, n.T, n.C) + "·" + Shapes::of(n.C, n.V) + " -> " +
          Shapes::of(n.B, n.T, n.V));
  s.show("vocab", "V");
  s.table("logit_count", "B·T·V", "batch * tokens * vocab");
}

void write_math(Sheet& s, const Shapes& n) {
  s.step(
      {"axes",
       {"축", "Axes"},
       {"모든 선형층은 마지막 축에만, 소프트맥스는 열(키) 축에만 작용합니다. 나머지 축은 따라갈 "
        "뿐입니다.",
        "Every linear layer acts on the last axis alone, softmax on the axis of keys alone; the "
        "others only come along."},
       "[B,T,C] -> [B,H,T,d_k] -> [B,H,T,T] -> [B,H,T,d_k] -> [B,T,C] -> [B,T,d_ff] -> [B,T,C]"});
  add_sizes(s, n);
  s.show("inner", "d_ff");
  const std::string width = width_name(n);
  s.step({"parameters",
          {"층 하나의 매개변수", "Parameters of a layer"},
          {"편향과 정규화를 빼고 센 것입니다. 어텐션에 네 행렬, 피드포워드에 두 행렬입니다. "
           "게이트가 있는 "
           "피드포워드는 세 행렬입니다.",
           "Without biases and norms: four matrices in attention and two in the feed-forward; a "
           "gated feed-forward has three."},
          "4·d² + 2·d·d_ff"});
  const bool gated = s.request().outline && s.request().outline->gated;
  const std::string kv = text_of("2 * ", width, " * ", n.G, " * d_k");
  s.table("attention_weights", "W_q, W_k, W_v, W_o", "2 * " + width + " * d_model + " + kv);
  s.table("feed_forward_weights", gated ? "W_1, W_2, W_3" : "W_1, W_2",
          text_of(gated ? 3 : 2, " * ", width, " * inner"));
  s.table("layer_weights", "Σ", "attention_weights + feed_forward_weights");
  s.step({"work",
          {"곱셈의 수", "Multiplications"},
          {"토큰이 짧으면 행렬의 몫이, 길면 T²의 몫이 큽니다.",
           "For short texts the matrices dominate, for long ones T²."},
          "B·T·(weights) + 2·B·H·T²·d_k"});
  s.table("by_weights", "B·T·Σ", "batch * tokens * layer_weights");
  s.table("by_scores", "2·B·H·T²·d_k", "2 * batch * heads * tokens ** 2 * d_k");
}

void write(Sheet& s) {
  const Shapes n = read(s);
  s.tell(write_story, write_student, write_math, n);
  Matrix sizes(1, 4);
  const int64_t counts[] = {n.B * n.T * n.C, n.B * n.H * n.T * n.T, n.B * n.T * n.F,
                            n.B * n.T * n.V};
  for (int64_t i = 0; i < 4; ++i) sizes.at(0, i) = static_cast<double>(counts[i]) / 1e6;
  s.chart(Picture::Kind::bars, "counts", sizes,
          {{"단계마다 담긴 수(백만 개)", "Numbers held at each step (millions)"},
           {"단계", "step"},
           {"백만 개", "millions"}},
          {"n"}, {"[B,T,d]", "[B,H,T,T]", "[B,T,d_ff]", "[B,T,V]"});
  if (s.request().outline)
    s.lesson().pictures.push_back(diagram_of(*s.request().outline, s.lesson().lang));
}

}  // namespace

const Topic& shapes_topic() {
  static constexpr Topic topic{
      .name = "shapes",
      .title = {"모양: 단계마다 몇 곱하기 몇인가", "Shapes: how large at every step"},
      .inputs = kInputs,
      .write = write,
      .takes_outline = true};
  return topic;
}

}  // namespace jogak
