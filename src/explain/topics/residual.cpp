#include <cmath>

#include "explain/gradient_depth.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"w", TopicInput::Kind::vector, {"층마다 곱하는 수", "the factor of each layer"}, "1,n"},
};

constexpr Wiring kWirings[] = {Wiring::plain, Wiring::residual, Wiring::norm_before,
                               Wiring::norm_after};
constexpr int64_t kDepths[] = {6, 24, 48};

constexpr std::string_view kWeights = R"(D = 16


def noise(layer, which):
    i, j = np.arange(D)[:, None], np.arange(D)[None]
    wave = np.sin(1.0 + i * 131 + j * 17 + layer * 7919 + which * 104729) * 1e4
    return np.sqrt(3 / D) * (2 * (wave - np.floor(wave)) - 1)


)";
constexpr std::string_view kNumpy = R"(def norm(x):
    centred = x - x.mean()
    deviation = np.sqrt((centred**2).mean() + 1e-5)
    return centred / deviation, deviation


def norm_back(h, deviation, d):
    return (d - d.mean() - h * (d * h).mean()) / deviation


def first_gradient(wiring, depth):
    x, tape = np.cos(np.arange(D)), []
    for layer in range(depth):
        w1, w2 = noise(layer, 0), noise(layer, 1)
        h, deviation = norm(x) if wiring == "before" else (x, 1.0)
        inner = h @ w1
        y = np.maximum(inner, 0) @ w2
        if wiring != "plain":
            y = x + y
        if wiring == "after":
            y, deviation = norm(y)
            h = y
        tape.append((w1, w2, inner, h, deviation))
        x = y
    d = np.where(np.arange(D) % 2, -1.0, 1.0)
    for w1, w2, inner, h, deviation in reversed(tape):
        if wiring == "after":
            d = norm_back(h, deviation, d)
        back = ((d @ w2.T) * (inner > 0)) @ w1.T
        if wiring == "before":
            back = norm_back(h, deviation, back)
        d = back if wiring == "plain" else d + back
    return np.log10(np.linalg.norm(d))


)";
constexpr std::string_view kTorch = R"(D = 16


def noise(layer, which):
    i, j = torch.arange(D)[:, None], torch.arange(D)[None]
    wave = torch.sin(1.0 + i * 131 + j * 17 + layer * 7919 + which * 104729) * 1e4
    return math.sqrt(3 / D) * (2 * (wave - torch.floor(wave)) - 1)


def first_gradient(wiring, depth):
    start = torch.cos(torch.arange(D) * 1.0).requires_grad_()
    x = start
    for layer in range(depth):
        h = F.layer_norm(x, [D]) if wiring == "before" else x
        y = torch.relu(h @ noise(layer, 0)) @ noise(layer, 1)
        x = y if wiring == "plain" else x + y
        if wiring == "after":
            x = F.layer_norm(x, [D])
    (x * torch.tensor([1.0, -1.0] * (D // 2))).sum().backward()
    return torch.log10(start.grad.norm()).item()


)";
constexpr std::string_view kTable =
    "[[first_gradient(wiring, depth) for depth in (6, 24, 48)]\n"
    "    for wiring in (\"plain\", \"residual\", \"before\", \"after\")]";

Parts wiring_names(const Sheet& s) {
  return {s.in({"잔차 없음", "no residual"}), s.in({"잔차", "residual"}),
          s.in({"잔차, 앞 정규화", "residual, norm before"}),
          s.in({"잔차, 뒤 정규화", "residual, norm after"})};
}

void add_depths(Sheet& s) {
  Matrix table(4, 3);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j)
      table.at(i, j) = std::log10(gradient_norms(kWirings[i], kDepths[j]).front());
  s.coded("depths", s.in({"첫 층 기울기의 log10 ‖∂L/∂x‖", "log10 ‖∂L/∂x‖ at the first layer"}),
          table, text_of(kWeights, kNumpy, "depths = np.array(", kTable, ")"),
          text_of(kTorch, "depths = torch.tensor(", kTable, ")"),
          {.rows = wiring_names(s),
           .columns = {s.in({"6층", "depth 6"}), s.in({"24층", "depth 24"}),
                       s.in({"48층", "depth 48"})},
           .digits = 4});
}

// Products of the factors up to each layer; without residual w, with it 1 + w.
void add_chain(Sheet& s) {
  const int64_t n = s.of("w").columns;
  const Parts names = labels("w", n);
  std::string plain = "w[:, 0:1]", kept = "(1 + w[:, 0:1])";
  for (int64_t i = 1; i < n; ++i) {
    plain += text_of(" * w[:, ", i, ":", i + 1, "]");
    kept += text_of(" * (1 + w[:, ", i, ":", i + 1, "])");
  }
  s.show("w", "w", {{}, names});
  s.table("plain", "Π w_l", plain);
  s.table("kept", "Π (1 + w_l)", kept);
}

void write_story(Sheet& s) {
  s.step({"whisper",
          {"귓속말 전하기", "Passing a whisper"},
          {"스무 명이 줄을 서서 귓속말을 전하면 끝에서는 알아듣지 못합니다. 잔차 연결은 원래 "
           "쪽지를 함께 "
           "건네는 것입니다. 저마다 쪽지에 한마디씩 덧붙일 뿐이라, 처음 말이 끝까지 남습니다.",
           "Whisper a message down a line of twenty people and the last will not understand it. A "
           "residual hands on the note itself: everyone only adds a word, so the first words "
           "arrive."}});
  add_chain(s);
  s.step(
      {"deep",
       {"깊어질수록", "The deeper, the clearer"},
       {"아래는 첫 층까지 돌아온 기울기의 크기를 로그로 적은 것입니다. -11은 천억분의 1보다 작다는 "
        "뜻입니다. 잔차가 없으면 깊은 모델의 앞쪽 층은 배우지 못합니다.",
        "Below, in logarithms, how much gradient comes back to the first layer. -11 means less "
        "than "
        "a hundred-billionth: without residuals the first layers of a deep model do not learn."}});
  add_depths(s);
}

void write_student(Sheet& s) {
  s.step({"chain",
          {"한 줄로 쌓은 층", "A chain of layers"},
          {"층마다 w_l을 곱하는 가장 단순한 모델입니다. 기울기는 곱을 따라 내려오므로, 잔차가 "
           "없으면 Π "
           "w_l, 있으면 Π (1 + w_l)입니다.",
           "The simplest model multiplies by w_l in every layer. Gradients come back along the "
           "product: Π w_l without residuals, Π (1 + w_l) with them."},
          "x_(l+1) = w_l·x_l;   x_(l+1) = x_l + w_l·x_l"});
  add_chain(s);
  s.step(
      {"depths",
       {"6, 24, 48층에서", "At depth 6, 24 and 48"},
       {"너비 16인 작은 피드포워드를 쌓아 첫 층의 기울기를 잽니다. 가중치는 사인으로 만든 정해진 "
        "수입니다. 잔차가 없으면 깊이에 따라 사라지고, 잔차만 있으면 커지며, 정규화를 함께 쓰면 "
        "크기가 "
        "지켜집니다. 앞 정규화는 조금 커지고 뒤 정규화는 조금 줄어듭니다.",
        "Small feed-forwards of width 16 are stacked and the gradient at the first layer is "
        "measured; the weights are fixed numbers made from sines. Without residuals it vanishes "
        "with depth, with residuals alone it grows, and with norms it keeps its size: a little "
        "larger with the norm before, a little smaller with the norm after."},
       "f(x) = ReLU(x·W_1)·W_2,  before: x + f(LN(x)),  after: LN(x + f(x))"});
  s.shape("[16] -> [16]");
  add_depths(s);
}

void write_math(Sheet& s) {
  s.step(
      {"jacobians",
       {"야코비 행렬의 곱", "A product of Jacobians"},
       {"잔차가 있으면 곱을 펼칠 때 항 I가 남아, 어느 층에서든 손실까지 곧바로 가는 길이 있습니다. "
        "앞 "
        "정규화에서는 이 길에 정규화가 없고, 뒤 정규화에서는 층마다 LN의 야코비 행렬이 곱해집니다.",
        "With residuals the expanded product keeps the term I: a straight way from every layer to "
        "the loss. With the norm before, that way has no norm on it; with the norm after, every "
        "layer multiplies by a Jacobian of LN."},
       "∂L/∂x_0 = ∂L/∂x_N·Π_l (I + J_l);   ∂L/∂x_N·Π_l J_l"});
  add_chain(s);
  s.step({"depths",
          {"재어 보면", "Measured"},
          {"첫 층 기울기의 노름을 log10으로 적었습니다.",
           "Norms of the gradient at the first layer, as log10."},
          "log10 ‖∂L/∂x_0‖"});
  add_depths(s);
}

void write(Sheet& s) {
  const Matrix& w = s.input("w", {{0.5, -0.2, 0.3, 0.1}});
  ensure<UsageError>(w.columns <= kTermsByHand, "residual: w: found ", w.columns,
                     " numbers, wanted at most ", kTermsByHand);
  s.tell(write_story, write_student, write_math);
  constexpr int64_t kDeepest = 48;
  Matrix curves(4, kDeepest);
  for (int64_t i = 0; i < 4; ++i) {
    const std::vector<double> norms = gradient_norms(kWirings[i], kDeepest);
    for (int64_t l = 0; l < kDeepest; ++l)
      curves.at(i, l) = std::log10(norms[static_cast<size_t>(l)]);
  }
  s.chart(Picture::Kind::lines, "norms", curves,
          {{"48층에서 층마다의 기울기", "Gradient by layer, 48 layers deep"},
           {"층", "layer"},
           {"log10 노름", "log10 of the norm"}},
          wiring_names(s), labels("", kDeepest));
}

}  // namespace

const Topic& residual_topic() {
  static constexpr Topic topic{
      .name = "residual",
      .title = {"잔차 연결: 기울기가 지나갈 길", "Residuals: a way for gradients"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
