#include <cmath>

#include "explain/arithmetic.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

using Kind = TopicInput::Kind;
constexpr TopicInput kInputs[] = {
    {"q", Kind::matrix, {"쿼리", "queries"}, "n,d"},
    {"k", Kind::matrix, {"키", "keys"}, "m,d"},
    {"v",
     Kind::matrix,
     {"값: 어텐션의 결과가 곧 로짓", "values; attention's result is the logits"},
     "m,c"},
};

constexpr double kStep = 1e-4;

struct Given {
  Matrix q, k, v, target;
};

double loss_of(const Given& x) {
  const Matrix logits = plain::attention(x.q, x.k, x.v, {}).output;
  const Matrix p = plain::softmax(logits);
  double total = 0;
  for (int64_t i = 0; i < p.rows; ++i)
    for (int64_t j = 0; j < p.columns; ++j)
      if (x.target.at(i, j) != 0) total -= std::log(p.at(i, j));
  return total / static_cast<double>(p.rows);
}

// Central differences: each entry moved by kStep either way.
Matrix differences(Given x, Matrix Given::*part) {
  Matrix out = x.*part;
  for (size_t i = 0; i < out.values.size(); ++i) {
    double& entry = (x.*part).values[i];
    const double before = entry;
    entry = before + kStep;
    const double up = loss_of(x);
    entry = before - kStep;
    const double down = loss_of(x);
    entry = before;
    out.values[i] = (up - down) / (2 * kStep);
  }
  return out;
}

Matrix targets(int64_t rows, int64_t columns) {  // token i answers class i
  Matrix out(rows, columns);
  for (int64_t i = 0; i < rows; ++i) out.at(i, i % columns) = 1;
  return out;
}

constexpr std::string_view kNumpy = R"(def loss_of(q, k, v):
    p = softmax(softmax(q @ k.T / math.sqrt(q.shape[1])) @ v)
    return -(target * np.log(p)).sum() / len(q)


def differences(which):
    parts = {"q": q.copy(), "k": k.copy(), "v": v.copy()}
    out = np.zeros_like(parts[which])
    for place in np.ndindex(out.shape):
        before = parts[which][place]
        parts[which][place] = before + 1e-4
        up = loss_of(**parts)
        parts[which][place] = before - 1e-4
        out[place] = (up - loss_of(**parts)) / 2e-4
        parts[which][place] = before
    return out


)";
constexpr std::string_view kTorch = R"(def differences(which):
    parts = {"q": q.clone(), "k": k.clone(), "v": v.clone()}
    x, out = parts[which].reshape(-1), torch.zeros(parts[which].numel())

    def loss_of(q, k, v):
        logits = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        return F.cross_entropy(logits, target.argmax(dim=1))

    for i in range(len(x)):
        before = x[i].item()
        x[i] = before + 1e-4
        up = loss_of(**parts)
        x[i] = before - 1e-4
        out[i] = (up - loss_of(**parts)) / 2e-4
        x[i] = before
    return out.reshape(parts[which].shape)


)";

void show_given(Sheet& s) {
  s.show("q", "Q");
  s.show("k", "K");
  s.show("v", "V");
  s.show("target", s.in({"정답", "the right answers"}));
}

void add_forward(Sheet& s) {
  const std::string d = std::to_string(s.of("q").columns);
  s.table("scores", "S = Q·Kᵀ / √d", "q @ k.T / sqrt(" + d + ")", {.lines = 1});
  s.table("weights", "A = softmax(S)", "softmax(scores)", {.lines = 1});
  s.table("logits", "O = A·V", "weights @ v", {.lines = 1});
  s.table("p", "p = softmax(O)", "softmax(logits)", {.lines = 1});
  s.table("loss", "L", text_of("-sum(target * log(p)) / ", s.of("q").rows), {.lines = 0});
}

void add_outputs(Sheet& s) {
  s.table("d_logits", "∂L/∂O", text_of("(p - target) / ", s.of("q").rows));
}

void add_weights(Sheet& s) {
  s.table("d_v", "∂L/∂V", "weights.T @ d_logits", {.lines = 2});
  s.table("d_weights", "∂L/∂A", "d_logits @ v.T", {.lines = 2});
}

void add_scores(Sheet& s) {
  s.table("along", "Σ_j A∘∂L/∂A", "row_sum(weights * d_weights)", {.lines = 1});
  s.table("d_scores", "∂L/∂S", "weights * (d_weights - along)", {.lines = 2});
  const std::string root = " / sqrt(" + std::to_string(s.of("q").columns) + ")";
  s.table("d_q", "∂L/∂Q", "d_scores @ k" + root, {.lines = 2});
  s.table("d_k", "∂L/∂K", "d_scores.T @ q" + root, {.lines = 2});
}

void add_checks(Sheet& s) {
  const Given given{s.of("q"), s.of("k"), s.of("v"), s.of("target")};
  const auto add = [&](const std::string& name, const std::string& which, const char* caption,
                       Matrix Given::*part, bool first) {
    const std::string call = name + " = differences(\"" + which + "\")";
    s.coded(name, caption, differences(given, part), (first ? std::string(kNumpy) : "") + call,
            (first ? std::string(kTorch) : "") + call);
  };
  add("check_q", "q", "ΔL/ΔQ", &Given::q, true);
  add("check_k", "k", "ΔL/ΔK", &Given::k, false);
  add("check_v", "v", "ΔL/ΔV", &Given::v, false);
  s.table("gap", "max |∂L - ΔL|, Q, K", "max(stack(abs(d_q - check_q), abs(d_k - check_k)))",
          {.digits = 8, .lines = 0});
  s.table("gap_v", "max |∂L - ΔL|, V", "max(abs(d_v - check_v))", {.digits = 8, .lines = 0});
}

void write_story(Sheet& s) {
  s.step(
      {"blame",
       {"누구 탓인가", "Who is to blame"},
       {"답이 틀리면 손실이 생깁니다. 거꾸로 가는 계산은 그 탓을 마지막 계산부터 차례로 앞 계산에 "
        "나누어 줍니다. 어텐션 가중치가 컸던 값은 탓도 크게 나누어 받습니다.",
        "A wrong answer makes a loss. Going backward, the blame is passed from the last "
        "computation "
        "to those before it; a value that got much attention gets much of the blame."}});
  show_given(s);
  add_forward(s);
  s.step({"nudge",
          {"살짝 밀어 확인하기", "Nudge to make sure"},
          {"정말 그런지는 수 하나를 살짝 밀어 보면 압니다. 손실이 바뀐 만큼을 민 만큼으로 나누면 "
           "거꾸로 "
           "계산한 수와 같습니다.",
           "Whether that is right shows when one number is nudged a little: how much the loss "
           "changed, "
           "divided by the nudge, is the same number."}});
  add_outputs(s);
  add_weights(s);
  add_scores(s);
  add_checks(s);
}

void write_student(Sheet& s) {
  s.step({"input",
          {"쿼리, 키, 값, 정답", "Queries, keys, values, answers"},
          {"어텐션의 결과를 바로 로짓으로 씁니다. 정답 행렬은 맞는 자리만 1입니다.",
           "The result of attention serves as logits. The matrix of answers is 1 in the right "
           "place."}});
  show_given(s);
  s.step({"forward",
          {"앞으로", "Forward"},
          {"어텐션, 소프트맥스, 교차 엔트로피의 평균입니다.",
           "Attention, softmax, and the mean cross-entropy."},
          "L = -(1/n)·Σ_i log p_i,t(i)"});
  add_forward(s);
  s.step({"outputs",
          {"손실에서 로짓으로", "From the loss to the logits"},
          {"확률 빼기 정답, 나누기 토큰의 수입니다.",
           "Probability minus truth, divided by the number of tokens."},
          "∂L/∂O = (p - t) / n"});
  add_outputs(s);
  s.step({"weights",
          {"값과 가중치로", "To values and weights"},
          {"O = A·V이므로, V로는 Aᵀ를 곱해, A로는 Vᵀ를 곱해 내려갑니다.",
           "As O = A·V, multiply by Aᵀ towards V and by Vᵀ towards A."},
          "∂L/∂V = Aᵀ·∂L/∂O,  ∂L/∂A = ∂L/∂O·Vᵀ"});
  add_weights(s);
  s.step(
      {"scores",
       {"소프트맥스를 지나 쿼리와 키로", "Through the softmax to queries and keys"},
       {"소프트맥스는 행의 평균(가중치로 잰)을 빼고 가중치를 곱합니다. 그다음 √d로 나누고 K와 Q를 "
        "곱합니다.",
        "Softmax subtracts the row's weighted mean and multiplies by the weights. Then divide "
        "by √d "
        "and multiply by K and by Q."},
       "∂L/∂S = A∘(∂L/∂A - Σ_j A∘∂L/∂A),  ∂L/∂Q = ∂L/∂S·K / √d,  ∂L/∂K = ∂L/∂Sᵀ·Q / √d"});
  add_scores(s);
  s.step(
      {"check",
       {"유한 차분과 나란히", "Beside finite differences"},
       {"성분 하나를 h = 0.0001만큼 늘리고 줄여 손실의 변화를 잽니다. 위의 기울기와 여섯 자리까지 "
        "같습니다.",
        "Move one entry by h = 0.0001 either way and measure the loss: the same as the gradients "
        "above, to six digits."},
       "ΔL/Δx = (L(x + h) - L(x - h)) / (2h)"});
  add_checks(s);
}

void write_math(Sheet& s) {
  s.step(
      {"chain",
       {"연쇄 법칙", "The chain rule"},
       {"행마다 소프트맥스의 야코비 행렬 diag(a) - a·aᵀ를 곱합니다. 대칭이므로 전치가 필요 "
        "없습니다.",
        "Each row is multiplied by the Jacobian of softmax, diag(a) - a·aᵀ, which is symmetric."},
       "dO = (p - t)/n,  dV = Aᵀ·dO,  dA = dO·Vᵀ,  dS = A∘(dA - (A∘dA)·1·1ᵀ),  dQ = dS·K/√d,  dK = "
       "dSᵀ·Q/√d"});
  show_given(s);
  add_forward(s);
  add_outputs(s);
  add_weights(s);
  add_scores(s);
  s.step({"check",
          {"중앙 차분", "Central differences"},
          {"h = 0.0001에서 오차는 O(h²)으로, 반올림을 빼면 1e-8쯤입니다.",
           "At h = 0.0001 the error is O(h²), about 1e-8."},
          "(L(x + h) - L(x - h)) / (2h) = ∂L/∂x + O(h²)"});
  add_checks(s);
}

void write(Sheet& s) {
  const Matrix& q = s.input("q", {{1, 0}, {0.5, 1}});
  s.input("k", {{1, 0}, {0, 1}});
  const Matrix& v = s.input("v", {{1, -1}, {0.5, 2}});
  s.constant("target", targets(q.rows, v.columns));
  s.tell(write_story, write_student, write_math);
  s.heatmap("weights", s.of("weights"),
            {{"어텐션 가중치", "Weights"}, {"키", "key"}, {"쿼리", "query"}}, labels("q", q.rows),
            labels("k", s.of("k").rows));
  s.heatmap("d_scores", s.of("d_scores"),
            {{"점수의 기울기", "Gradient of the scores"}, {"키", "key"}, {"쿼리", "query"}},
            labels("q", q.rows), labels("k", s.of("k").rows));
}

}  // namespace

const Topic& backward_topic() {
  static constexpr Topic topic{.name = "backward",
                               .title = {"역전파: 어텐션과 교차 엔트로피를 거꾸로",
                                         "Backward through attention and cross-entropy"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
