#include "draw/outline.h"
#include "explain/arithmetic.h"
#include "explain/python.h"
#include "explain/sheet.h"
#include "explain/small_gpt.h"
#include "explain/topics/model_code.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"ids",
     TopicInput::Kind::indices,
     {"토큰 번호, 0에서 11까지 여덟 개 안쪽", "token ids, 0 to 11, eight at most"},
     "1,n",
     0,
     SmallGpt::kVocab - 1},
};

struct Numbers {
  Parts tokens;
  SmallGptPass pass;
};

// All numbers come from the program that --as prints.
void put(Sheet& s, const char* name, const char* caption, const Matrix& values, Parts rows,
         Parts columns = {}) {
  s.coded(name, caption, values, "", "", {.rows = std::move(rows), .columns = std::move(columns)});
}

void put_embedded(Sheet& s, const Numbers& n) {
  s.show("ids", s.in({"토큰 번호", "ids"}));
  put(s, "embedded", "X = E[id] + P", n.pass.embedded, n.tokens);
}

void put_blocks(Sheet& s, const Numbers& n) {
  put(s, "block_1", "block_1(X)", n.pass.blocks[0], n.tokens);
  put(s, "block_2", "block_2(X)", n.pass.blocks[1], n.tokens);
}

void put_logits(Sheet& s, const Numbers& n) {
  const Parts ids = labels("", SmallGpt::kVocab, 0);
  const Matrix& logits = n.pass.logits;
  const auto last = logits.row(logits.rows - 1);
  put(s, "logits", "LN(X)·Eᵀ", logits, n.tokens, ids);
  put(s, "probabilities", "softmax", plain::softmax(Matrix::row_of({last.begin(), last.end()})), {},
      ids);
}

void write_story(Sheet& s, const Numbers& n) {
  s.step({"read",
          {"번호표를 벡터로", "Numbers become vectors"},
          {"모델은 글자를 모릅니다. 토큰마다 번호가 있고, 번호마다 벡터가 하나 있습니다. 거기에 몇 "
           "번째인지를 알리는 벡터를 더합니다.",
           "A model knows no letters. Every token has a number, every number a vector; one more "
           "vector is added that says where the token stands."}});
  put_embedded(s, n);
  s.step({"think",
          {"두 번 거듭 생각하기", "Thinking twice"},
          {"블록마다 토큰들이 앞의 토큰을 보고(어텐션), 저마다 생각합니다(피드포워드). 블록을 하나 "
           "더 쌓으면 한 번 더 생각합니다.",
           "In every block tokens look at those before them (attention), then each thinks for "
           "itself (feed-forward). Another block is another thought."}});
  put_blocks(s, n);
  s.step({"guess",
          {"다음 토큰 맞히기", "Guessing the next token"},
          {"마지막 벡터를 모든 토큰의 벡터와 견줍니다. 닮은 만큼이 점수이고, 소프트맥스가 확률로 "
           "바꿉니다. 파이썬 파일 하나로 된 전체 모델은 --as pytorch가 보여 줍니다.",
           "The last vector is held against the vector of every token: likeness is the score, and "
           "softmax makes it a probability. --as pytorch prints the whole model as one file."}});
  put_logits(s, n);
}

void write_student(Sheet& s, const Numbers& n) {
  s.step({"embed",
          {"임베딩과 위치", "Embedding and positions"},
          {"작지만 빠진 것이 없는 GPT-2입니다: 어휘 12, 너비 8, 헤드 2개, 블록 2개. 가중치는 "
           "사인에서 나온 수라서 누구나 똑같이 만들 수 있습니다.",
           "A GPT-2, small but with every part: 12 tokens, 8 wide, 2 heads, 2 blocks. Its weights "
           "are sines, so that anybody can make the same ones."},
          "X = E[id] + P"});
  s.shape(text_of("[", n.tokens.size(), "] -> [", n.tokens.size(), ",8]"));
  put_embedded(s, n);
  s.step({"blocks",
          {"블록", "Blocks"},
          {"정규화를 앞에 두고 잔차로 더합니다. 어텐션은 뒤의 토큰을 보지 않습니다.",
           "The norm stands before each part, the residual adds its result. Attention sees no "
           "later token."},
          "X ← X + Attention(LN_1(X)),  X ← X + FFN(LN_2(X))"});
  s.shape(text_of("[", n.tokens.size(), ",8] -> [", n.tokens.size(), ",8]"));
  put_blocks(s, n);
  s.step({"logits",
          {"로짓과 확률", "Logits and probabilities"},
          {"출력층은 임베딩을 다시 씁니다. 마지막 행의 소프트맥스가 다음 토큰의 확률입니다. --as "
           "pytorch는 이 모델을 nn.Module 파일 하나로 내놓고, 그 파일은 GPT-2 디렉터리도 읽습니다.",
           "The output layer is the embedding again. The softmax of the last row gives the next "
           "token's probabilities. --as pytorch prints this model as one nn.Module file, which "
           "also reads a GPT-2 directory."},
          "logits = LN_f(X)·Eᵀ,  p = softmax(logits_T)"});
  s.shape(text_of("[", n.tokens.size(), ",8]·[8,12] -> [", n.tokens.size(), ",12]"));
  put_logits(s, n);
}

void write_math(Sheet& s, const Numbers& n) {
  s.step({"definition",
          {"함수 하나", "One function"},
          {"모델은 토큰 번호의 열에서 R^(T×V)로 가는 함수이고, 인과 마스크 때문에 t행은 앞의 t개 "
           "토큰에만 달려 있습니다.",
           "The model is a function from sequences of ids to R^(T×V); by the causal mask row t "
           "depends on the first t tokens alone."},
          "logits = LN_f((B_2 ∘ B_1)(E[id] + P))·Eᵀ,  B(X) = Y + FFN(LN_2(Y)),  Y = X + "
          "MHA(LN_1(X))"});
  s.shape("[T] -> [T,C] -> [T,C] -> [T,V]");
  put_embedded(s, n);
  put_blocks(s, n);
  put_logits(s, n);
}

void write(Sheet& s) {
  const Matrix& given = s.input("ids", {{3, 1, 4, 1, 5}});
  ensure<UsageError>(given.columns <= SmallGpt::kContext, "model: ids: found ", given.columns,
                     " tokens, wanted at most ", SmallGpt::kContext);
  std::vector<int64_t> ids;
  Numbers n;
  for (const double x : given.values) {
    ids.push_back(static_cast<int64_t>(x));
    n.tokens.push_back(text_of("id ", ids.back()));
  }
  n.pass = run_small_gpt(SmallGpt(), ids);
  s.tell(write_story, write_student, write_math, n);
  const auto code = [&](std::string_view pattern) {
    std::string out(pattern);
    const size_t at = out.find("#0#");
    return out.replace(at, 3, python_vector(given));
  };
  s.replace_code(code(kModelNumpy), code(kModelPytorch));
  ModelOutline outline = example_outline(ModelOutline::Wiring::decoder);
  outline.decoder = {SmallGpt::kLayers, SmallGpt::kHeads, SmallGpt::kHeads, 4 * SmallGpt::kWidth};
  outline.name = "GPT-2";
  outline.width = SmallGpt::kWidth;
  outline.head_width = SmallGpt::kWidth / SmallGpt::kHeads;
  outline.vocab = outline.outputs = SmallGpt::kVocab;
  outline.context = SmallGpt::kContext;
  s.lesson().pictures.push_back(diagram_of(outline, s.lesson().lang));
}

}  // namespace

const Topic& model_topic() {
  static constexpr Topic topic{
      .name = "model",
      .title = {"모델 전체: 번호에서 확률까지", "A whole model: from ids to probabilities"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
