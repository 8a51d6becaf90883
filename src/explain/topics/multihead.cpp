#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"q", TopicInput::Kind::matrix, {"질의, 너비 4", "queries, 4 wide"}, "n,4"},
    {"k", TopicInput::Kind::matrix, {"키, 너비 4", "keys, 4 wide"}, "n,4"},
    {"v", TopicInput::Kind::matrix, {"값, 너비 4", "values, 4 wide"}, "n,4"},
    {"w_o", TopicInput::Kind::matrix, {"출력 투영, 4×4", "output projection, 4 by 4"}, "4,4"},
};

struct Names {
  Parts tokens, heads = {"head 1", "head 2"};
};

void show_inputs(Sheet& s, const Names& n) {
  s.show("q", "Q", {.rows = n.tokens});
  s.show("k", "K", {.rows = n.tokens});
  s.show("v", "V", {.rows = n.tokens});
}

void add_heads(Sheet& s, const Names& n) {
  const TableStyle square{.rows = n.tokens, .columns = n.tokens, .lines = 0};
  s.table("weights_first", "A_1", "softmax(q[:, 0:2] @ k[:, 0:2].T / sqrt(2))", square);
  s.table("weights_second", "A_2", "softmax(q[:, 2:4] @ k[:, 2:4].T / sqrt(2))", square);
}

void write_story(Sheet& s, const Names& n) {
  s.step(
      {"eyes",
       {"여러 쌍의 눈", "Several pairs of eyes"},
       {"한 문장을 여럿이 나누어 읽는다고 합시다. 한 사람은 누가 했는지를, 한 사람은 언제 했는지를 "
        "살핍니다. 벡터를 도막 내어 한 사람에게 한 도막씩 줍니다.",
        "Say several people read one sentence together: one looks for who did it, another for "
        "when. The vectors are cut into pieces, one piece a reader."}});
  show_inputs(s, n);
  add_heads(s, n);
  s.step({"join",
          {"본 것을 이어 붙이기", "Joining what was seen"},
          {"저마다 본 것을 나란히 이어 붙이고, 마지막에 한 번 섞어 하나의 이야기로 만듭니다.",
           "What each has seen is laid side by side, and mixed once into a single account."}});
  s.show("w_o", "W_o");
  s.table("output", "O", "concat(weights_first @ v[:, 0:2], weights_second @ v[:, 2:4]) @ w_o",
          {.rows = n.tokens});
}

void add_split(Sheet& s, const Names& n) {
  s.step({"split",
          {"나누기", "Split"},
          {"너비 4를 헤드 2개로 나누면 헤드 하나의 너비는 2입니다. 앞의 두 열이 첫 헤드, 뒤의 두 "
           "열이 둘째 헤드입니다. 새로 계산하는 것은 없습니다.",
           "A width of 4 split among 2 heads leaves 2 for each: the first two columns are head 1, "
           "the last two head 2. Nothing is computed."},
          "d_k = d_model / heads"});
  s.shape(text_of("[", s.of("q").rows, ",4] -> [", s.of("q").rows, ",2,2] -> [2,", s.of("q").rows,
                  ",2]"));
  s.table("q_first", "Q_1", "q[:, 0:2]", {.rows = n.tokens});
  s.table("q_second", "Q_2", "q[:, 2:4]", {.rows = n.tokens});
  s.table("k_first", "K_1", "k[:, 0:2]", {.rows = n.tokens});
  s.table("k_second", "K_2", "k[:, 2:4]", {.rows = n.tokens});
  s.table("v_first", "V_1", "v[:, 0:2]", {.rows = n.tokens});
  s.table("v_second", "V_2", "v[:, 2:4]", {.rows = n.tokens});
}

void add_attend(Sheet& s, const Names& n) {
  const TableStyle square{.rows = n.tokens, .columns = n.tokens, .lines = 2};
  s.step({"attend",
          {"헤드마다 어텐션", "Attend, head by head"},
          {"헤드마다 따로 점수를 내고 소프트맥스를 합니다. 나누는 수는 √4가 아니라 헤드의 너비인 "
           "√2입니다. 두 헤드가 서로 다른 곳을 봅니다.",
           "Each head has its own scores and its own softmax. The divisor is √2, from the head's "
           "width, not √4. The two heads look at different places."},
          "A_h = softmax(Q_h·K_hᵀ / √d_k),  O_h = A_h·V_h"});
  s.table("scores_first", "Q_1·K_1ᵀ", "q_first @ k_first.T", square);
  s.table("scores_second", "Q_2·K_2ᵀ", "q_second @ k_second.T", square);
  s.table("weights_first", "A_1", "softmax(scores_first / sqrt(2))", square);
  s.table("weights_second", "A_2", "softmax(scores_second / sqrt(2))", square);
  s.table("out_first", "A_1·V_1", "weights_first @ v_first", {.rows = n.tokens, .lines = 2});
  s.table("out_second", "A_2·V_2", "weights_second @ v_second", {.rows = n.tokens, .lines = 2});
}

void add_join(Sheet& s, const Names& n) {
  const int64_t rows = s.of("q").rows;
  s.step({"concatenate",
          {"이어 붙이기", "Concatenate"},
          {"두 헤드의 출력을 옆으로 이어 붙이면 너비가 다시 4입니다.",
           "Side by side, the heads' outputs are 4 wide again."},
          "C = [O_1, O_2]"});
  s.shape(text_of("[", rows, ",2], [", rows, ",2] -> [", rows, ",4]"));
  s.table("joined", "C", "concat(out_first, out_second)", {.rows = n.tokens});
  s.step(
      {"project",
       {"출력 투영", "Project"},
       {"여기까지는 헤드끼리 남남입니다. W_o를 곱해야 한 헤드가 본 것이 다른 열에도 섞입니다.",
        "So far the heads know nothing of each other. Multiplying by W_o mixes what one has seen "
        "into the columns of the others."},
       "O = C·W_o"});
  s.show("w_o", "W_o");
  s.product_shape("joined", "w_o");
  s.table("output", "O", "joined @ w_o", {.rows = n.tokens});
}

void add_slip(Sheet& s, const Names& n) {
  s.step(
      {"no_transpose",
       {"전치를 잊으면", "Without the transpose"},
       {"[16,128,8,64]를 [16,8,128,64]로 바꾸지 않고 그대로 곱하면 [16,128,8,64]·[16,128,64,8] = "
        "[16,128,8,8]입니다. 오류 없이 돌아가지만, 한 토큰 안에서 헤드가 헤드를 보게 됩니다. 첫 "
        "토큰의 수로 보면 이렇습니다. 다른 토큰은 아예 나오지 않습니다.",
        "Leave out the swap from [16,128,8,64] to [16,8,128,64] and the product is "
        "[16,128,8,64]·[16,128,64,8] = [16,128,8,8]. It runs without error, but within one "
        "token heads attend to heads. Here it is for the first token; no other token appears."},
       "[B,T,H,D]·[B,T,D,H] -> [B,T,H,H]"});
  s.shape("[2,2]·[2,2] -> [2,2]");
  s.table("token_q", "q_1", "stack(q[0:1, 0:2], q[0:1, 2:4])", {.rows = n.heads});
  s.table("token_k", "k_1", "stack(k[0:1, 0:2], k[0:1, 2:4])", {.rows = n.heads});
  s.table("wrong_scores", "q_1·k_1ᵀ", "token_q @ token_k.T", {.rows = n.heads, .columns = n.heads});
}

void write_student(Sheet& s, const Names& n) {
  s.step(
      {"inputs",
       {"질의, 키, 값", "Queries, keys, values"},
       {"토큰마다 너비 4인 벡터 셋입니다. 512를 8개의 헤드로 나누면 하나가 64인 것과 똑같은 일을 "
        "작게 해 봅니다.",
        "Three vectors of width 4 for every token: on a small scale what 512 = 8 heads × 64 is "
        "in the original model."}});
  show_inputs(s, n);
  add_split(s, n);
  add_attend(s, n);
  add_join(s, n);
  add_slip(s, n);
}

void write_math(Sheet& s, const Names& n) {
  s.step(
      {"definition",
       {"정의", "Definition"},
       {"헤드의 수를 늘려도 계산량은 늘지 않습니다. 너비가 그만큼 줄기 때문입니다. 헤드는 더 많은 "
        "소프트맥스를 줄 뿐이며, 비선형성은 소프트맥스와 피드포워드에서 나옵니다.",
        "More heads cost no more: each is so much narrower. What they add is further softmaxes; "
        "nonlinearity comes from softmax and the feed-forward, not from the split."},
       "head_h = softmax(Q_h·K_hᵀ / √d_k)·V_h,  O = [head_1, …, head_H]·W_o"});
  s.shape("[B,T,d] -> [B,T,H,d_k] -> [B,H,T,d_k] -> [B,H,T,T] -> [B,H,T,d_k] -> [B,T,d]");
  show_inputs(s, n);
  add_heads(s, n);
  s.show("w_o", "W_o");
  s.table("output", "O", "concat(weights_first @ v[:, 0:2], weights_second @ v[:, 2:4]) @ w_o",
          {.rows = n.tokens});
  s.step({"sum",
          {"이어 붙이기는 합", "Concatenation is a sum"},
          {"이어 붙인 뒤 투영하는 것은 헤드마다 W_o의 제 몫을 곱해 더하는 것과 같습니다.",
           "Joining and projecting equals the sum of the heads, each times its own rows of W_o."},
          "O = Σ_h head_h·W_o^(h)"});
  s.table("summed", "Σ_h",
          "weights_first @ v[:, 0:2] @ w_o[0:2, :] + weights_second @ v[:, 2:4] @ w_o[2:4, :]",
          {.rows = n.tokens, .lines = 0});
}

void write(Sheet& s) {
  s.input("q", {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  s.input("k", {{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 1, 0}});
  s.input("v", {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
  s.input("w_o", {{1, 0, 0, 0.5}, {0, 1, 0.5, 0}, {0, 0.5, 1, 0}, {0.5, 0, 0, 1}});
  const Names n{labels("t", s.of("q").rows)};
  s.tell(write_story, write_student, write_math, n);
  const Words key{"키(보이는 쪽)", "key (the one looked at)"},
      query{"질의(보는 쪽)", "query (the one that looks)"};
  s.heatmap("weights_first", s.of("weights_first"),
            {{"헤드 1의 가중치", "Weights of head 1"}, key, query}, n.tokens, n.tokens);
  s.heatmap("weights_second", s.of("weights_second"),
            {{"헤드 2의 가중치", "Weights of head 2"}, key, query}, n.tokens, n.tokens);
}

}  // namespace

const Topic& multihead_topic() {
  static constexpr Topic topic{.name = "multihead",
                               .title = {"멀티헤드 어텐션: 나누고, 보고, 잇고, 섞기",
                                         "Multi-head attention: split, attend, join, project"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
