#include "explain/sheet.h"

namespace jogak {
namespace {

using Kind = TopicInput::Kind;
constexpr TopicInput kInputs[] = {
    {"x", Kind::matrix, {"토큰 벡터, 한 행에 하나", "the tokens' vectors, one a row"}, "n,d"},
    {"w1", Kind::matrix, {"넓히는 행렬", "the matrix that widens"}, "d,h"},
    {"w2", Kind::matrix, {"좁히는 행렬", "the matrix that narrows"}, "h,d"},
};

void show_given(Sheet& s) {
  s.show("x", "X", {labels("x", s.of("x").rows)});
  s.show("w_in", "W_1");
  s.show("w_out", "W_2");
}

void add_pass(Sheet& s) {
  const Parts rows = labels("x", s.of("x").rows);
  s.table("hidden", "X·W_1", "x @ w_in", {rows});
  s.table("bent", "ReLU(X·W_1)", "relu(hidden)", {rows});
  s.table("y", "Y", "bent @ w_out", {rows});
}

void add_counts(Sheet& s) {
  s.table("ffn", s.in({"피드포워드", "feed-forward"}), "512 * 2048 + 2048 + 2048 * 512 + 512");
  s.table("attention", s.in({"어텐션", "attention"}), "4 * (512 * 512 + 512)");
  s.table("ratio", s.in({"몇 배", "how many times"}), "ffn / attention");
}

void write_story(Sheet& s) {
  s.step(
      {"desk",
       {"넓은 책상", "A wide desk"},
       {"어텐션이 다른 단어에게서 이야기를 모아 오면, 피드포워드는 단어마다 혼자 앉아 그 이야기를 "
        "넓은 책상에 펼쳐 놓고 쓸 것만 남긴 다음 다시 접어 넣습니다. 펼치고, 구부리고, 접기입니다.",
        "Attention gathers what other words have to say. Feed-forward then sits down with each "
        "word alone: it spreads everything out on a wide desk, keeps what is of use and folds it "
        "up again. Widen, bend, narrow."}});
  show_given(s);
  add_pass(s);
  s.step({"alone",
          {"혼자서", "Alone"},
          {"다른 단어는 보지 않습니다. 같은 책상을 모든 단어가 돌아가며 씁니다. 매개변수의 3분의 "
           "2가 이 "
           "책상에 있습니다.",
           "It never looks at other words; all words use the same desk in turn. Two thirds of a "
           "layer's parameters are in that desk."}});
  add_counts(s);
}

void write_student(Sheet& s) {
  const std::string d = std::to_string(s.of("x").columns), n = std::to_string(s.of("x").rows),
                    h = std::to_string(s.of("w_in").columns);
  s.step(
      {"input",
       {"입력과 두 행렬", "The input and two matrices"},
       {"작게, 너비 {0}{을} {1}{으로} 넓혔다 다시 좁힙니다. 논문에서는 512 → 2048 → 512입니다. "
        "편향은 "
        "0으로 "
        "둡니다.",
        "Small: from width {0} to {1} and back. In the paper it is 512 → 2048 → 512. Biases are 0 "
        "here."}},
      {d, h});
  s.shape(text_of("X [", n, ",", d, "]  W_1 [", d, ",", h, "]  W_2 [", h, ",", d, "]"));
  show_given(s);
  s.step({"pass",
          {"펼치고, 구부리고, 접기", "Widen, bend, narrow"},
          {"행마다 따로 계산합니다. 토큰끼리는 섞이지 않습니다.",
           "Every row on its own: tokens do not mix."},
          "Y = ReLU(X·W_1 + b_1)·W_2 + b_2"});
  s.shape(text_of("[", n, ",", d, "]·[", d, ",", h, "] -> [", n, ",", h, "]·[", h, ",", d, "] -> [",
                  n, ",", d, "]"));
  add_pass(s);
  s.step({"alone",
          {"토큰 하나만 넣어도", "One token alone"},
          {"첫 토큰만 넣어도 같은 결과가 나옵니다. 어텐션과 다른 점입니다.",
           "The first token by itself gives the same result, unlike in attention."},
          "ffn(x_1) = ffn(X)_1"});
  s.table("first", "ffn(x_1)", "relu(x[0:1, :] @ w_in) @ w_out", {.lines = 0});
  s.step(
      {"straight",
       {"구부리지 않으면", "Without the bend"},
       {"ReLU를 빼면 두 행렬은 미리 곱해 둔 행렬 하나와 같습니다. 넓힌 것이 소용없어집니다.",
        "Without ReLU the two matrices equal one that was multiplied in advance, and widening was "
        "for nothing."},
       "(X·W_1)·W_2 = X·(W_1·W_2)"});
  s.table("w_both", "W_1·W_2", "w_in @ w_out", {.lines = 1});
  s.table("straight", "(X·W_1)·W_2", "hidden @ w_out", {.lines = 1});
  s.table("straight_once", "X·(W_1·W_2)", "x @ w_both", {.lines = 1});
  s.step(
      {"counts",
       {"512와 2048에서", "At 512 and 2048"},
       {"모양은 [16,128,512] -> [16,128,2048] -> [16,128,512]이고, 매개변수의 수는 어텐션의 약 두 "
        "배입니다.",
        "Shapes go [16,128,512] -> [16,128,2048] -> [16,128,512], and there are about twice as "
        "many parameters as in attention."},
       "512·2048 + 2048 + 2048·512 + 512"});
  s.shape("[16,128,512] -> [16,128,2048] -> [16,128,512]");
  add_counts(s);
}

void write_math(Sheet& s) {
  s.step({"memory",
          {"키와 값으로 읽기", "Read as keys and values"},
          {"W_1의 열은 패턴, W_2의 행은 그 패턴이 보일 때 더할 벡터로 읽을 수 있습니다. 소프트맥스 "
           "대신 "
           "ReLU를 쓰는, 토큰 밖의 기억에 대한 어텐션인 셈입니다.",
           "Columns of W_1 are patterns, rows of W_2 what to add when a pattern is seen: attention "
           "over "
           "a fixed memory with ReLU in place of softmax."},
          "ffn(x) = Σ_j max(0, x·w_1j)·w_2j,  ∂ffn/∂x = W_1·diag(1(x·W_1 > 0))·W_2"});
  show_given(s);
  add_pass(s);
  s.step({"derivative",
          {"도함수", "Derivative"},
          {"첫 토큰에서의 야코비 행렬입니다. 열린 문(양수인 성분)만 지나갑니다.",
           "The Jacobian at the first token: only open doors (positive entries) let it pass."},
          "J = (W_1∘1(x_1·W_1 > 0))·W_2"});
  s.table("open", "1(x_1·W_1 > 0)", "positive(hidden[0:1, :])", {.lines = 0});
  s.table("jacobian", "J", "(w_in * open) @ w_out", {.lines = 0});
  add_counts(s);
}

void write(Sheet& s) {
  s.input("x", {{1, 2}, {-1, 0.5}, {0, -2}});
  s.constant("w_in", s.input("w1", {{1, -1, 0.5, 0}, {0.5, 1, -1, 1}}));
  s.constant("w_out", s.input("w2", {{1, 0}, {0, 1}, {2, -1}, {0.5, 0.5}}));
  s.tell(write_story, write_student, write_math);
  const auto rows = labels("x", s.of("x").rows);
  const Parts names = labels("h", s.of("hidden").columns);
  s.heatmap(
      "hidden", s.of("hidden"),
      {{"넓힌 뒤, 구부리기 전", "Widened, before the bend"}, {"성분", "entry"}, {"토큰", "token"}},
      rows, names);
  s.heatmap("bent", s.of("bent"),
            {{"구부린 뒤", "After the bend"}, {"성분", "entry"}, {"토큰", "token"}}, rows, names);
}

}  // namespace

const Topic& feedforward_topic() {
  static constexpr Topic topic{
      .name = "feedforward",
      .title = {"피드포워드: 펼치고, 구부리고, 접기", "Feed-forward: widen, bend, narrow"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
