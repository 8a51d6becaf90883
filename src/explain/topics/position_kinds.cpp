#include "explain/sheet.h"

namespace jogak {
namespace {

using Kind = TopicInput::Kind;
constexpr TopicInput kInputs[] = {
    {"x", Kind::matrix, {"단어 벡터 셋", "the vectors of three words"}, "3,2"},
    {"q", Kind::vector, {"RoPE의 쿼리, 수 둘", "RoPE's query, two numbers"}, "1,2"},
    {"k", Kind::vector, {"RoPE의 키, 수 둘", "RoPE's key, two numbers"}, "1,2"},
};

const Parts kWords = {"x1", "x2", "x3"};

void add_learned(Sheet& s, int64_t lines) {
  s.show("x", "X", {kWords});
  s.show("learned", s.in({"배운 표", "the learned table"}), {labels("p = ", 4, 0)});
  s.table("added", "X + E[0..2]", "x + learned[0:3, :]", {.rows = kWords, .lines = lines});
}

void add_naive(Sheet& s, int64_t lines) {
  s.show("index", "p", {kWords});
  s.table("naive", "[X, p]", "concat(x, index)", {.rows = kWords, .lines = 0});
  s.table("naive_scores", "[X, p]·[X, p]ᵀ", "naive @ naive.T", {kWords, kWords, 6, lines});
  s.table("later", "[X, p + 100]", "concat(x, index + 100)", {.rows = kWords, .lines = 0});
  s.table("later_scores", "[X, p+100]·[X, p+100]ᵀ", "later @ later.T", {kWords, kWords, 6, lines});
  s.table("word_scores", "X·Xᵀ", "x @ x.T", {kWords, kWords, 6, lines});
}

void add_rope(Sheet& s, int64_t lines) {
  s.show("q", "q");
  s.show("k", "k");
  s.show("quarter", s.in({"4분의 1 바퀴", "a quarter turn"}));
  s.table("q_near", "q, p = 1", "q * cos(1) + q @ quarter * sin(1)", {.lines = lines});
  s.table("k_near", "k, p = 3", "k * cos(3) + k @ quarter * sin(3)", {.lines = lines});
  s.table("score_near", "q(1)·k(3)", "q_near @ k_near.T", {.lines = lines});
  s.table("q_far", "q, p = 101", "q * cos(101) + q @ quarter * sin(101)", {.lines = 0});
  s.table("k_far", "k, p = 103", "k * cos(103) + k @ quarter * sin(103)", {.lines = 0});
  s.table("score_far", "q(101)·k(103)", "q_far @ k_far.T", {.lines = lines});
}

void add_alibi(Sheet& s, int64_t lines) {
  const Parts keys = labels("k", 4);
  s.show("scores", "q4·k_j", {{}, keys});
  s.show("back", s.in({"거리", "distance"}), {{}, keys});
  s.table("gentle", "m = 1/16", "scores - back / 16", {.columns = keys, .lines = lines});
  s.table("steep", "m = 1/2", "scores - back / 2", {.columns = keys, .lines = lines});
  s.table("gentle_weights", "softmax, m = 1/16", "softmax(gentle)",
          {.columns = keys, .lines = lines});
  s.table("steep_weights", "softmax, m = 1/2", "softmax(steep)", {.columns = keys, .lines = lines});
}

void add_relative(Sheet& s, int64_t lines) {
  s.show("bias", "b", {{}, {"-2", "-1", "0", "1", "2"}});
  s.table("spread", "B_ij = b[j - i]", "stack(bias[:, 2:5], bias[:, 1:4], bias[:, 0:3])",
          {kWords, kWords, 6, 0});
  s.table("biased", "X·Xᵀ + B", "x @ x.T + spread", {kWords, kWords, 6, lines});
}

void add_joined(Sheet& s, int64_t lines) {
  s.show("w_word", "W_x");
  s.show("w_place", "W_p");
  s.table("sum_way", "(X + E)·W_x", "(x + learned[0:3, :]) @ w_word",
          {.rows = kWords, .lines = lines});
  s.table("joined_way", "[X, E]·[W_x; W_p]", "concat(x, learned[0:3, :]) @ stack(w_word, w_place)",
          {.rows = kWords, .lines = 0});
  s.table("parts_way", "X·W_x + E·W_p", "x @ w_word + learned[0:3, :] @ w_place",
          {.rows = kWords, .lines = lines});
}

constexpr StepWords kLearned{"learned",
                             {"배운 표와 그 한계", "A learned table and its limit"},
                             {"위치마다 벡터 하나를 배워 더합니다(GPT-2, BERT). 표에 행이 네 개면 "
                              "다섯째 위치에 더할 것이 없습니다. "
                              "더 긴 입력은 오류입니다.",
                              "One learned vector for every position is added (GPT-2, BERT). With "
                              "four rows in the table there is "
                              "nothing to add at the fifth position: a longer input is an error."},
                             "X + E[p],  p = 0 … L-1"};
constexpr StepWords kNaive{
    "naive",
    {"번호를 그대로 붙이면", "Appending the bare index"},
    {"벡터 끝에 위치 번호 p를 붙이는 순진한 방법입니다. 점수에 p_i·p_j가 더해져서, 백 번째쯤에서는 "
     "그 "
     "항이 10,000이 넘어 단어가 무엇인지는 거의 보이지 않습니다.",
     "The naive way: put the number p at the end of the vector. Scores then contain p_i·p_j, and "
     "around "
     "the hundredth word that term exceeds 10,000: what the words are hardly shows."},
    "[x_i, i]·[x_j, j] = x_i·x_j + i·j"};
constexpr StepWords kRope{"rope",
                          {"RoPE: 더하지 않고 돌리기", "RoPE: turn instead of adding"},
                          {"쿼리와 키를 위치만큼 돌립니다(각도 p, 짝 하나). 1번과 3번의 점수는 "
                           "101번과 103번의 점수와 같습니다. "
                           "점수가 거리만 봅니다.",
                           "Query and key are turned by their position (angle p, one pair). The "
                           "score of positions 1 and 3 is "
                           "that of 101 and 103: scores see the distance alone."},
                          "q(p) = q·cos p + q⊥·sin p,  q(p)·k(r) = g(q, k, r - p)"};
constexpr StepWords kAlibi{
    "alibi",
    {"ALiBi: 멀수록 깎기", "ALiBi: a fee for distance"},
    {"점수에서 거리 x 기울기 m을 뺍니다. 헤드마다 m이 달라서(1/2, 1/4, … 1/256) 어떤 헤드는 가까운 "
     "곳만, 어떤 "
     "헤드는 멀리까지 봅니다. 넷째 단어의 쿼리입니다.",
     "Distance times a slope m is subtracted from the score. Heads have different slopes (1/2, "
     "1/4, … "
     "1/256): some look near, some far. Below the query of the fourth word."},
    "s_ij - m·(i - j)"};
constexpr StepWords kRelative{
    "relative",
    {"상대 위치 편향 (T5)", "A bias for relative positions (T5)"},
    {"두 위치의 차이 j - i마다 수 하나를 배워 점수에 더합니다. 대각선을 따라 같은 수가 놓입니다.",
     "For every difference j - i one learned number is added to the score: the same number along "
     "each "
     "diagonal."},
    "s_ij + b[j - i]"};
constexpr StepWords kJoined{"joined",
                            {"더하기와 이어 붙이기", "Added against concatenated"},
                            {"이어 붙인 뒤 섞는 행렬을 곱하면 X·W_x + E·W_p입니다. 더하기는 두 "
                             "행렬이 같은(W_p = W_x) 경우이므로 "
                             "이어 붙이기의 특수한 경우입니다. 대신 너비가 늘지 않습니다.",
                             "Concatenated and then mixed, the result is X·W_x + E·W_p. Adding is "
                             "the case W_p = W_x, so a special "
                             "one; in return nothing gets wider."},
                            "[X, E]·[W_x; W_p] = X·W_x + E·W_p"};
constexpr StepWords kStory{"ways",
                           {"자리를 알려 주는 여러 방법", "Many ways to tell places"},
                           {"극장 자리를 알려 주는 방법을 떠올려 봅시다. 의자마다 다른 방석을 "
                            "놓거나(배운 표), 번호를 크게 "
                            "적거나(순진한 번호), 의자를 조금씩 돌려 놓거나(RoPE), 먼 자리에는 "
                            "돈을 더 받거나(ALiBi), '옆의 옆자리'라고 "
                            "말할 수 있습니다(상대 위치). 번호를 크게 적으면 뒷자리 번호가 너무 "
                            "커서 얼굴이 보이지 않습니다.",
                            "Think of seats in a theatre. Put a different cushion on each (a "
                            "learned table), write the number in "
                            "large figures (the bare index), turn every chair a little further "
                            "(RoPE), charge for distance (ALiBi), "
                            "or say \"two seats to the left\" (relative). Large figures have a "
                            "fault: far back the numbers hide the "
                            "faces."}};
constexpr StepWords kStoryTurn{"turned",
                               {"돌려 놓은 의자", "Turned chairs"},
                               {"RoPE에서 중요한 것은 두 의자 사이의 각도뿐입니다. 1번과 3번, "
                                "101번과 103번의 사이가 같습니다.",
                                "With RoPE only the angle between two chairs counts: 1 and 3 stand "
                                "to each other as 101 and 103."}};

void write(Sheet& s) {
  s.input("x", {{1, 0}, {0, 1}, {1, 1}});
  s.input("q", {{1, 0.5}});
  s.input("k", {{0.5, 1}});
  s.constant("learned", {{0.1, -0.2}, {0.3, 0}, {-0.1, 0.2}, {0.2, 0.4}});
  s.constant("index", {{0}, {1}, {2}});
  s.constant("quarter", {{0, 1}, {-1, 0}});
  s.constant("scores", {{2, 1, 1, 1}});
  s.constant("back", {{3, 2, 1, 0}});
  s.constant("bias", {{-1, -0.5, 0, 0.5, 0.2}});
  s.constant("w_word", {{1, 2}, {0, 1}});
  s.constant("w_place", {{0.5, 0}, {0, -1}});
  if (s.story()) {
    s.step(kStory);
    add_learned(s, 0);
    add_naive(s, 0);
    s.step(kStoryTurn);
    add_rope(s, 0);
  } else {
    const int64_t lines = s.math() ? 0 : 2;
    s.step(kLearned);
    add_learned(s, lines);
    s.step(kNaive);
    add_naive(s, lines);
    s.step(kRope);
    add_rope(s, lines);
    s.step(kAlibi);
    add_alibi(s, lines);
    s.step(kRelative);
    add_relative(s, lines);
    s.step(kJoined);
    add_joined(s, lines);
  }
  constexpr int64_t kSide = 16;
  Matrix alibi(kSide, kSide);
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j <= i; ++j) alibi.at(i, j) = -static_cast<double>(i - j) / 4;
  s.heatmap("alibi", alibi,
            {{"ALiBi가 점수에 더하는 수 (m = 1/4)", "What ALiBi adds to scores (m = 1/4)"},
             {"키의 위치", "position of the key"},
             {"쿼리의 위치", "position of the query"}},
            labels("", kSide, 0), labels("", kSide, 0));
}

}  // namespace

const Topic& position_kinds_topic() {
  static constexpr Topic topic{
      .name = "position-kinds",
      .title = {"위치를 알려 주는 여러 방법", "Kinds of positions: learned, naive, RoPE, ALiBi"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
