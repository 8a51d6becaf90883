#include "explain/topics/multihead_steps.h"

#include <functional>

namespace jogak {
namespace {

// A table of a head: shown, or only computed when there are many heads.
void put(Sheet& s, const HeadPlan& plan, int64_t head, const std::string& name,
         const std::string& caption, const std::string& rule, TableStyle style) {
  if (head <= plan.shown())
    s.table(name, caption, rule, std::move(style));
  else
    s.let(name, rule);
}

std::string joined_rule(const HeadPlan& plan, const char* function,
                        const std::function<std::string(int64_t)>& part) {
  Parts parts;
  for (int64_t h = 1; h <= plan.heads; ++h) parts.push_back(part(h));
  return text_of(function, "(", joined(parts, ", "), ")");
}

void show_inputs(Sheet& s, const HeadPlan& plan) {
  const TableStyle rows{.rows = plan.tokens, .lines = 1};
  s.show("x", "X", {.rows = plan.tokens});
  for (const char* one : {"q", "k", "v"}) {
    const std::string weight = text_of("w_", one);
    const char upper = static_cast<char>(one[0] - 'a' + 'A');
    s.show(weight, text_of("W_", one));
    s.table(one, std::string(1, upper), "x @ " + weight, rows);
  }
}

void add_weights(Sheet& s, const HeadPlan& plan) {
  for (int64_t h = 1; h <= plan.heads; ++h)
    put(s, plan, h, plan.name("weights", h), text_of("A_", h),
        text_of("softmax(", plan.columns("q", h), " @ ", plan.columns("k", h), ".T / ", plan.root(),
                ")"),
        {.rows = plan.tokens, .columns = plan.tokens, .lines = 0});
}

void add_output(Sheet& s, const HeadPlan& plan) {
  s.show("w_o", "W_o");
  s.table("output", "O",
          joined_rule(
              plan, "concat",
              [&](int64_t h) { return plan.name("weights", h) + " @ " + plan.columns("v", h); }) +
              " @ w_o",
          {.rows = plan.tokens, .lines = 0});
}

void add_split(Sheet& s, const HeadPlan& plan) {
  const int64_t n = s.of("x").rows, h = plan.heads, d = plan.head_width();
  s.step(
      {"split",
       {"나누기", "Split"},
       {"너비 {0}{을} 헤드 {1}개로 나누면 헤드 하나의 너비는 {2}입니다. 처음 {2}열이 첫 헤드, 다음 "
        "{2}열이 그다음 헤드입니다. 새로 계산하는 것은 없습니다.",
        "A width of {0} split among {1} heads leaves {2} for each: the first {2} columns are "
        "head 1, the next {2} the next head. Nothing is computed."},
       "d_k = d_model / heads"},
      {std::to_string(plan.width), std::to_string(h), std::to_string(d)});
  s.shape(text_of("[", n, ",", plan.width, "] -> [", n, ",", h, ",", d, "] -> [", h, ",", n, ",", d,
                  "]"));
  for (const char* one : {"q", "k", "v"})
    for (int64_t head = 1; head <= h; ++head)
      put(s, plan, head, plan.name(one, head),
          text_of(static_cast<char>(one[0] - 'a' + 'A'), "_", head), plan.columns(one, head),
          {.rows = plan.tokens, .lines = 0});
}

void add_attend(Sheet& s, const HeadPlan& plan) {
  const TableStyle square{.rows = plan.tokens, .columns = plan.tokens, .lines = 2};
  s.step(
      {"attend",
       {"헤드마다 어텐션", "Attend, head by head"},
       {"헤드마다 따로 점수를 내고 소프트맥스를 합니다. 나누는 수는 √{0}{이} 아니라 헤드의 너비인 "
        "√{1}입니다. 헤드마다 다른 곳을 볼 수 있습니다.",
        "Each head has its own scores and its own softmax. The divisor is √{1}, from the head's "
        "width, not √{0}. Heads can look at different places."},
       "A_h = softmax(Q_h·K_hᵀ / √d_k),  O_h = A_h·V_h"},
      {std::to_string(plan.width), std::to_string(plan.head_width())});
  for (int64_t h = 1; h <= plan.heads; ++h) {
    const auto of = [&](const char* table) { return plan.name(table, h); };
    put(s, plan, h, of("scores"), text_of("Q_", h, "·K_", h, "ᵀ"), of("q") + " @ " + of("k") + ".T",
        square);
    put(s, plan, h, of("weights"), text_of("A_", h),
        "softmax(" + of("scores") + " / " + plan.root() + ")", square);
    put(s, plan, h, of("out"), text_of("A_", h, "·V_", h), of("weights") + " @ " + of("v"),
        {.rows = plan.tokens, .lines = 2});
  }
}

void add_join(Sheet& s, const HeadPlan& plan) {
  s.step({"concatenate",
          {"이어 붙이기", "Concatenate"},
          {"헤드의 출력을 옆으로 이어 붙이면 너비가 다시 {0}입니다.",
           "Side by side, the heads' outputs are {0} wide again."},
          "C = [O_1, …, O_H]"},
         {std::to_string(plan.width)});
  const int64_t n = s.of("x").rows;
  s.shape(
      text_of(plan.heads, " × [", n, ",", plan.head_width(), "] -> [", n, ",", plan.width, "]"));
  s.table("joined", "C",
          joined_rule(plan, "concat", [&](int64_t h) { return plan.name("out", h); }),
          {.rows = plan.tokens, .lines = 0});
  s.step({"project",
          {"출력 투영", "Project"},
          {"여기까지는 헤드끼리 남남입니다. W_o를 곱해야 한 헤드가 본 것이 다른 열에도 섞입니다.",
           "So far the heads know nothing of each other. Multiplying by W_o mixes what one has "
           "seen into the columns of the others."},
          "O = C·W_o"});
  s.show("w_o", "W_o");
  s.product_shape("joined", "w_o");
  s.table("output", "O", "joined @ w_o", {.rows = plan.tokens});
}

void add_elsewhere(Sheet& s, const HeadPlan& plan) {
  s.step(
      {"elsewhere",
       {"다른 곳의 코드", "As code elsewhere has it"},
       {"라이브러리는 헤드를 하나씩 돌지 않고, view로 축을 하나 만들고 transpose로 헤드 축을 앞에 "
        "두어 한 번에 곱합니다. 결과는 위와 같고, 코드가 그것을 확인합니다. transpose 뒤에는 수가 "
        "놓인 순서가 달라졌으므로 view 앞에 contiguous가 필요합니다.",
        "Libraries do not go through the heads one by one: view makes an axis of heads, "
        "transpose puts it in front, and one product serves all. The result is the one above, "
        "and the code asserts it. After transpose the numbers lie in another order, hence "
        "contiguous before view."}});
  s.read(text_of("n, d = x.shape\n", "H, d_k = ", plan.heads, ", ", plan.head_width(),
                 "\n"
                 "def split(t):  # [n, d] -> [H, n, d_k]\n"
                 "    return t.view(n, H, d_k).transpose(0, 1)\n"
                 "s = split(q) @ split(k).transpose(-2, -1)\n"
                 "a = F.softmax(s / d_k**0.5, dim=-1)\n"
                 "c = (a @ split(v)).transpose(0, 1)\n"
                 "c = c.contiguous().view(n, d)\n"
                 "assert torch.allclose(c @ w_o, output)"));
}

void add_slip(Sheet& s, const HeadPlan& plan) {
  const Parts names = labels("head ", plan.heads);
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
  const auto first = [&](const char* table) {
    return joined_rule(plan, "stack", [&](int64_t h) {
      return text_of(table, "[0:1, ", (h - 1) * plan.head_width(), ":", h * plan.head_width(), "]");
    });
  };
  s.table("token_q", "q_1", first("q"), {.rows = names, .lines = 0});
  s.table("token_k", "k_1", first("k"), {.rows = names, .lines = 0});
  s.shape(text_of("[", plan.heads, ",", plan.head_width(), "]·[", plan.head_width(), ",",
                  plan.heads, "] -> [", plan.heads, ",", plan.heads, "]"));
  s.table("wrong_scores", "q_1·k_1ᵀ", "token_q @ token_k.T", {.rows = names, .columns = names});
}

}  // namespace

void write_multihead_story(Sheet& s, const HeadPlan& plan) {
  s.step(
      {"eyes",
       {"여러 쌍의 눈", "Several pairs of eyes"},
       {"한 문장을 여럿이 나누어 읽는다고 합시다. 한 사람은 누가 했는지를, 한 사람은 언제 했는지를 "
        "살핍니다. 벡터를 도막 내어 한 사람에게 한 도막씩 줍니다.",
        "Say several people read one sentence together: one looks for who did it, another for "
        "when. The vectors are cut into pieces, one piece a reader."}});
  show_inputs(s, plan);
  add_weights(s, plan);
  s.step({"join",
          {"본 것을 이어 붙이기", "Joining what was seen"},
          {"저마다 본 것을 나란히 이어 붙이고, 마지막에 한 번 섞어 하나의 이야기로 만듭니다.",
           "What each has seen is laid side by side, and mixed once into a single account."}});
  add_output(s, plan);
}

void write_multihead_steps(Sheet& s, const HeadPlan& plan) {
  s.step(
      {"inputs",
       {"쿼리, 키, 값", "Queries, keys, values"},
       {"토큰마다 너비 {0}의 벡터 셋입니다. 512를 8개의 헤드로 나누면 하나가 64인 것과 똑같은 일을 "
        "작게 해 봅니다.",
        "Three vectors of width {0} for every token: on a small scale what 512 = 8 heads × 64 "
        "is in the original model."},
       "Q = X·W_q,  K = X·W_k,  V = X·W_v"},
      {std::to_string(plan.width)});
  show_inputs(s, plan);
  add_split(s, plan);
  add_attend(s, plan);
  add_join(s, plan);
  add_elsewhere(s, plan);
  add_slip(s, plan);
}

void write_multihead_math(Sheet& s, const HeadPlan& plan) {
  s.step(
      {"definition",
       {"정의", "Definition"},
       {"헤드의 수를 늘려도 계산량은 늘지 않습니다. 너비가 그만큼 줄기 때문입니다. 헤드는 더 많은 "
        "소프트맥스를 줄 뿐이며, 비선형성은 소프트맥스와 피드포워드에서 나옵니다.",
        "More heads cost no more: each is so much narrower. What they add is further softmaxes; "
        "nonlinearity comes from softmax and the feed-forward, not from the split."},
       "head_h = softmax(Q_h·K_hᵀ / √d_k)·V_h,  O = [head_1, …, head_H]·W_o"});
  s.shape("[B,T,d] -> [B,T,H,d_k] -> [B,H,T,d_k] -> [B,H,T,T] -> [B,H,T,d_k] -> [B,T,d]");
  show_inputs(s, plan);
  add_weights(s, plan);
  add_output(s, plan);
  s.step({"sum",
          {"이어 붙이기는 합", "Concatenation is a sum"},
          {"이어 붙인 뒤 투영하는 것은 헤드마다 W_o의 제 몫을 곱해 더하는 것과 같습니다.",
           "Joining and projecting equals the sum of the heads, each times its own rows of W_o."},
          "O = Σ_h head_h·W_o^(h)"});
  Parts terms;
  for (int64_t h = 1; h <= plan.heads; ++h)
    terms.push_back(plan.name("weights", h) + " @ " + plan.columns("v", h) + " @ " +
                    plan.rows("w_o", h));
  s.table("summed", "Σ_h", joined(terms, " + "), {.rows = plan.tokens, .lines = 0});
}

}  // namespace jogak
