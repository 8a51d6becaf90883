#include "draw/outline.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"length", TopicInput::Kind::integer, {"토큰 수", "tokens"}, "", 1, 12},
    {"width", TopicInput::Kind::integer, {"모델의 너비 d", "width of the model, d"}, "", 1, 16384},
    {"inner",
     TopicInput::Kind::integer,
     {"피드포워드의 너비", "width of the feed-forward"},
     "",
     1,
     262144},
};

using Wiring = ModelOutline::Wiring;

struct Facts {
  Parts source, target;
  const ModelOutline* model;
  bool has(Wiring wiring) const { return !model || model->wiring == wiring; }
};

void read(Sheet& s, Facts& f) {
  const auto one = [](int64_t x) { return Matrix(1, 1, static_cast<double>(x)); };
  const auto n = static_cast<int64_t>(s.input("length", {{3}}).at(0, 0));
  if (f.model) {
    for (const char* name : {"width", "inner"})
      ensure<UsageError>(!s.request().inputs.count(name), "wirings: found --", name,
                         " and --model, wanted one of them");
    s.constant("width", one(f.model->width));
    s.constant("inner", one(f.model->main().inner));
  } else {
    s.input("width", {{512}});
    s.input("inner", {{2048}});
  }
  s.constant("full", Matrix(n, n, 1));
  s.constant("across", Matrix(n, n, 1));
  f.source = labels("x", n);
  f.target = labels("y", n);
}

void add_full(Sheet& s, const Facts& f) {
  s.show("full", s.in({"인코더: 모두 봄", "encoder: all see all"}),
         {.rows = f.source, .columns = f.source});
}
void add_causal(Sheet& s, const Facts& f) {
  s.table("masked", s.in({"디코더: 앞만 봄", "decoder: only what came before"}), "causal(full)",
          {.rows = f.target, .columns = f.target, .lines = 0});
}
void add_across(Sheet& s, const Facts& f) {
  s.show("across", s.in({"크로스: 원문을 모두 봄", "cross: the whole source"}),
         {.rows = f.target, .columns = f.source});
}

void write_story(Sheet& s, const Facts& f) {
  s.step(
      {"bricks",
       {"같은 블록, 세 가지 조립", "The same bricks, three ways"},
       {"어텐션, 더하고 정규화, 피드포워드. 블록은 이것뿐입니다. 읽기만 하는 사람처럼 조립하면 "
        "인코더(BERT, "
        "ViT), 말을 이어 가는 사람처럼 조립하면 디코더(GPT, LLaMA), 듣고 옮겨 말하는 통역사처럼 "
        "조립하면 "
        "인코더-디코더입니다.",
        "Attention, add and norm, feed-forward: there are no other bricks. Put together as a "
        "reader "
        "they are an encoder (BERT, ViT), as a speaker a decoder (GPT, LLaMA), as an interpreter "
        "who listens and then speaks an encoder-decoder."}});
  add_full(s, f);
  s.step(
      {"sight",
       {"누가 누구를 보나", "Who sees whom"},
       {"읽는 사람은 앞뒤를 다 봅니다. 말하는 사람은 이미 한 말만 압니다. 통역사는 원문은 다 듣고, "
        "자기 "
        "말은 이미 한 데까지만 압니다.",
        "A reader sees before and behind. A speaker knows only what has been said. An interpreter "
        "has heard the whole source and of the own words only those already spoken."}});
  add_causal(s, f);
  add_across(s, f);
  s.show("width", "d");
}

void add_counts(Sheet& s) {
  s.show("width", "d");
  s.show("inner", "d_ff");
  s.table("block", "4·d² + 2·d·d_ff", "4 * width ** 2 + 2 * width * inner");
  s.table("cross_block", "8·d² + 2·d·d_ff", "8 * width ** 2 + 2 * width * inner");
}

void write_student(Sheet& s, const Facts& f) {
  s.step(
      {"encoder",
       {"인코더만: 읽기", "Encoder only: reading"},
       {"모든 토큰이 모든 토큰을 봅니다. 문장 전체를 이해하는 일, 곧 분류, 빈칸 채우기, 그림 분류, "
        "시계열 "
        "예측에 씁니다. BERT, ViT, PatchTST가 이렇습니다.",
        "Every token sees every token. For understanding a whole: classes, missing words, images, "
        "forecasts. BERT, ViT and PatchTST are wired like this."},
       "mask_ij = 1"});
  s.shape(shape_text(s.of("full")));
  add_full(s, f);
  s.step(
      {"decoder",
       {"디코더만: 이어 쓰기", "Decoder only: writing on"},
       {"i번째 토큰은 i번째까지만 봅니다. 그래서 한 번의 계산으로 모든 자리에서 다음 토큰을 배울 "
        "수 있고, "
        "쓸 때는 하나씩 이어 갑니다. GPT, LLaMA, Falcon이 이렇습니다.",
        "Token i sees tokens up to i. So one pass learns the next token at every place, and in use "
        "the text grows token by token. GPT, LLaMA and Falcon are wired like this."},
       "mask_ij = 1  (j ≤ i)"});
  add_causal(s, f);
  s.step(
      {"encoder_decoder",
       {"인코더-디코더: 듣고 옮기기", "Encoder-decoder: listen, then speak"},
       {"인코더가 원문을 다 읽고, 디코더가 번역문을 이어 쓰면서 크로스 어텐션으로 원문을 봅니다. "
        "키와 값은 "
        "인코더의 마지막 층에서 옵니다. 2017년의 번역 모델이 이렇습니다.",
        "The encoder reads the whole source; the decoder writes on and looks at the source by "
        "cross-attention, with keys and values from the last encoder layer. The translator of "
        "2017 is wired like this."},
       "K, V = encoder_N,  Q = decoder_i"});
  add_across(s, f);
  s.step(
      {"cost",
       {"층 하나의 크기", "The weight of a layer"},
       {"블록이 같으니 매개변수도 같습니다. 인코더-디코더의 디코더 층만 크로스 어텐션의 네 행렬을 "
        "더 가집니다.",
        "The same bricks weigh the same. Only the decoder of an encoder-decoder has four more "
        "matrices, those of its cross-attention."},
       "4·d² + 2·d·d_ff;   8·d² + 2·d·d_ff"});
  add_counts(s);
}

void write_math(Sheet& s, const Facts& f) {
  s.step(
      {"masks",
       {"마스크만 다릅니다", "Only the mask differs"},
       {"인코더와 디코더의 블록은 같은 함수이고, 마스크 M만 다릅니다. 인코더-디코더는 P(y|x)를, "
        "디코더는 "
        "P(x)를 연쇄 법칙으로 나타내고, 인코더는 P(x_가린 것 | x_나머지)나 표현을 배웁니다.",
        "Encoder and decoder blocks are the same function with another mask M. An encoder-decoder "
        "factors P(y|x) by the chain rule, a decoder P(x); an encoder learns P(x_hidden | x_rest) "
        "or a representation."},
       "P(y | x) = Π_t P(y_t | y_<t, x),  P(x) = Π_t P(x_t | x_<t)"});
  add_full(s, f);
  add_causal(s, f);
  add_across(s, f);
  s.step(
      {"cost",
       {"매개변수", "Parameters"},
       {"편향과 정규화를 뺀 층 하나의 매개변수입니다.", "Of one layer, without biases and norms."},
       "4·d² + 2·d·d_ff,  8·d² + 2·d·d_ff"});
  add_counts(s);
}

void write(Sheet& s) {
  Facts f{{}, {}, s.request().outline.get()};
  read(s, f);
  s.tell(write_story, write_student, write_math, f);
  for (const Wiring wiring : {Wiring::encoder_decoder, Wiring::decoder, Wiring::encoder})
    if (f.has(wiring))
      s.lesson().pictures.push_back(
          diagram_of(f.model ? *f.model : example_outline(wiring), s.lesson().lang));
}

}  // namespace

const Topic& wirings_topic() {
  static constexpr Topic topic{.name = "wirings",
                               .title = {"세 가지 배선: 인코더, 디코더, 인코더-디코더",
                                         "Three wirings: encoder, decoder, encoder-decoder"},
                               .inputs = kInputs,
                               .write = write,
                               .takes_outline = true};
  return topic;
}

}  // namespace jogak
