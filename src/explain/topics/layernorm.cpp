#include "draw/numbers.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x", TopicInput::Kind::vector, {"정규화할 벡터", "the vector to normalise"}, "1,n"},
    {"gamma", TopicInput::Kind::vector, {"성분마다 곱할 수", "factor of each feature"}, "1,n"},
    {"beta", TopicInput::Kind::vector, {"성분마다 더할 수", "summand of each feature"}, "1,n"},
    {"eps",
     TopicInput::Kind::number,
     {"분산에 더하는 작은 수", "small number added to the variance"},
     "1,1",
     1e-12,
     1},
};

struct Vector {
  TableStyle style;  // the names of the features
  std::string eps, count;
};

void show_knobs(Sheet& s, const Vector& x) {
  s.show("gamma", "γ", x.style);
  s.show("beta", "β", x.style);
}

void write_story(Sheet& s, const Vector& x) {
  s.step({"volume",
          {"소리 크기 맞추기", "Turning the volume"},
          {"여러 사람이 이어 말하면 누구는 속삭이고 누구는 소리칩니다. 층이 쌓일수록 벡터도 그렇게 "
           "됩니다. 어떤 것은 아주 커지고 어떤 것은 사라집니다.",
           "When many people speak one after another, some whisper and some shout. Vectors that "
           "pass through many layers do the same: some grow huge, some fade."}});
  s.show("x", "x", x.style);
  s.step({"norm",
          {"가운데로, 그리고 같은 크기로", "To the middle, and to one size"},
          {"층 정규화는 벡터 하나를 보고 평균을 빼 가운데를 0으로 맞춘 다음, 흩어진 정도로 나누어 "
           "크기를 맞춥니다. 누가 크고 누가 작은지, 곧 모양은 그대로 남습니다.",
           "Layer normalisation looks at one vector, subtracts its mean so that the middle is 0, "
           "and divides by its spread so that the size is 1. The shape stays: who is larger and "
           "who is smaller."}});
  s.let("centred", "x - mean(x)");
  s.table("normalised", "x̂", "centred / sqrt(mean(centred * centred) + " + x.eps + ")", x.style);
  s.step(
      {"knobs",
       {"손잡이 두 개", "Two knobs"},
       {"마지막으로 성분마다 손잡이가 둘 있습니다. 감마는 크기를, 베타는 높이를 조절하고, 모델이 "
        "스스로 배웁니다.",
        "Finally every feature has two knobs that the model learns itself: gamma sets its "
        "size, beta its height."}});
  show_knobs(s, x);
  s.table("y", "y", "gamma * normalised + beta", x.style);
}

void add_moments(Sheet& s, const Vector& x) {
  s.step({"input",
          {"입력", "The input"},
          {"토큰 하나의 벡터입니다. 층 정규화는 이 벡터의 성분들만 봅니다. 다른 토큰이나 다른 "
           "문장은 보지 않습니다.",
           "The vector of one token. Layer normalisation looks at the features of this vector "
           "alone, not at other tokens or other sentences."}});
  s.shape(shape_text(s.of("x")));
  s.show("x", "x", x.style);
  s.step(
      {"mean",
       {"평균", "Mean"},
       {"성분을 모두 더해 개수로 나눕니다.", "Add the features and divide by how many there are."},
       "μ = (1/n)·Σ_i x_i"});
  s.table("mean", "μ", "mean(x)");
  s.step({"centre",
          {"평균 빼기", "Subtract the mean"},
          {"가운데가 0이 됩니다.", "Now the middle is 0."},
          "c_i = x_i - μ"});
  s.table("centred", "c = x - μ", "x - mean", x.style);
  s.step({"variance",
          {"분산", "Variance"},
          {"차이를 제곱해 평균을 냅니다. n으로 나눕니다(n-1이 아닙니다).",
           "Square the differences and take their mean: divide by n, not by n-1."},
          "σ² = (1/n)·Σ_i c_i²"});
  s.shape(shape_text(s.of("x")) + " -> []");
  s.table("squares", "c²", "centred * centred", x.style);
  s.table("variance", "σ²", "mean(squares)");
}

void add_normalised(Sheet& s, const Vector& x) {
  s.step({"normalise",
          {"표준편차로 나누기", "Divide by the deviation"},
          {"분산에 아주 작은 ε = {0}{을} 더해 제곱근을 구하고 나눕니다. ε 덕분에 모든 성분이 같아 "
           "분산이 0이어도 0으로 나누지 않습니다.",
           "Add a tiny ε = {0} to the variance, take the square root and divide. Thanks to ε "
           "nothing is divided by 0 even when all features are equal."},
          "x̂_i = c_i / √(σ² + ε)"},
         {x.eps});
  const std::string shape = shape_text(s.of("x"));
  s.shape(shape + " / [] -> " + shape);
  s.table("deviation", "√(σ² + ε)", "sqrt(variance + " + x.eps + ")");
  s.table("normalised", "x̂", "centred / deviation", x.style);
  s.step({"scale",
          {"감마와 베타", "Gamma and beta"},
          {"배우는 수 두 벡터입니다. 성분마다 감마를 곱하고 베타를 더합니다. 처음에는 감마가 1, "
           "베타가 0이라 아무것도 바꾸지 않습니다.",
           "Two learned vectors: each feature is multiplied by gamma, then beta is added. They "
           "start at 1 and 0, which changes nothing."},
          "y_i = γ_i·x̂_i + β_i"});
  s.shape(shape + "∘" + shape + " + " + shape + " -> " + shape);
  show_knobs(s, x);
  s.table("y", "y", "gamma * normalised + beta", x.style);
  s.library(text_of("library = F.layer_norm(x, [", x.count, "], gamma[0], beta[0], ", x.eps,
                    ")\nassert torch.allclose(y, library)"));
}

void add_slips(Sheet& s, const Vector& x) {
  const int64_t n = s.of("x").columns;
  if (n > 1) {  // one number alone has no sample variance
    s.step({"slip",
            {"흔한 실수: n-1", "A common slip: n-1"},
            {"표본분산처럼 n-1로 나누면 다른 답이 나옵니다. 층 정규화의 분산은 n으로 나눕니다.",
             "Dividing by n-1, as for a sample variance, gives another answer. Layer "
             "normalisation divides by n."},
            "s² = (1/(n-1))·Σ_i c_i²"});
    s.table("sample_variance", "s²", text_of("sum(squares) / ", n - 1));
    TableStyle style = x.style;
    style.digits = 4;  // for 2, 4, 6 the point is -1, 0, 1; eps shows in the sixth digit
    style.lines = 0;
    s.table("slip", "c / √(s² + ε)", "centred / sqrt(sample_variance + " + x.eps + ")", style);
  }
  s.step({"median",
          {"평균은 중앙값이 아니다", "The mean is not the median"},
          {"2, 4, 6은 둘이 같아 헷갈리기 쉽습니다. 2, 4, 9에서는 다릅니다. 층 정규화가 빼는 것은 "
           "평균입니다.",
           "For 2, 4, 6 the two agree, which misleads. For 2, 4, 9 they differ. Layer "
           "normalisation subtracts the mean."}});
  s.constant("other", {{2, 4, 9}});
  s.show("other", "x", {.columns = labels("x", 3)});
  s.table("other_middle", s.in({"가운데", "the middle"}),
          "concat(row_mean(other), row_median(other))",
          {.columns = {s.in({"평균", "mean"}), s.in({"중앙값", "median"})}});
}

void write_student(Sheet& s, const Vector& x) {
  add_moments(s, x);
  add_normalised(s, x);
  add_slips(s, x);
}

void add_jacobian(Sheet& s, const Vector& x) {
  s.step(
      {"jacobian",
       {"야코비 행렬", "Jacobian"},
       {"1과 x̂의 방향을 없애는 사영을 1/√(σ² + ε)만큼 늘린 것입니다. 그래서 평균과 크기를 바꾸는 "
        "기울기는 흐르지 않습니다.",
        "A projection that removes the directions of 1 and of x̂, scaled by 1/√(σ² + ε): "
        "gradients that would change the mean or the size do not pass."},
       "∂x̂_i/∂x_j = (δ_ij - 1/n - x̂_i·x̂_j/n) / √(σ² + ε)"});
  s.table("jacobian", "∂x̂/∂x",
          text_of("(identity(x) - 1 / ", x.count, " - normalised.T * normalised / ", x.count,
                  ") / deviation"),
          {.rows = labels("x̂", s.of("x").columns), .columns = x.style.columns, .lines = 2});
  s.step({"backward",
          {"역전파", "Backward"},
          {"손실이 L = Σ_i i·y_i라면 위에서 오는 기울기는 g = (1, 2, …, n)입니다.",
           "With the loss L = Σ_i i·y_i the gradient from above is g = (1, 2, …, n)."},
          "dγ = g∘x̂,  dβ = g,  h = g∘γ,  dx = (h - mean(h) - x̂·mean(h∘x̂)) / √(σ² + ε)"});
  s.table("d_beta", "dβ", "count(" + x.count + ") + 1", {.columns = x.style.columns, .lines = 0});
  s.table("d_gamma", "dγ", "d_beta * normalised", x.style);
  s.let("h", "d_beta * gamma");
  s.table("d_x", "dx", "(h - mean(h) - normalised * mean(h * normalised)) / deviation",
          {.columns = x.style.columns, .lines = 0});
}

void write_math(Sheet& s, const Vector& x) {
  TableStyle quiet = x.style;
  quiet.lines = 0;
  s.step({"definition",
          {"정의", "Definition"},
          {"x̂는 합이 0이고 길이의 제곱이 n·σ²/(σ² + ε)인 벡터, 곧 1에 수직인 초평면 위의 공 껍질에 "
           "놓입니다.",
           "x̂ has sum 0 and squared length n·σ²/(σ² + ε): it lies on a sphere in the hyperplane "
           "orthogonal to the vector of ones."},
          "x̂ = (x - μ) / √(σ² + ε),  y = γ∘x̂ + β,  Σ x̂_i = 0,  ‖x̂‖² = n·σ²/(σ² + ε)"});
  const std::string shape = shape_text(s.of("x"));
  s.shape(shape + " -> " + shape);
  s.show("x", "x", x.style);
  show_knobs(s, x);
  s.let("centred", "x - mean(x)");
  s.table("deviation", "√(σ² + ε)", "sqrt(mean(centred * centred) + " + x.eps + ")", {.lines = 0});
  s.table("normalised", "x̂", "centred / deviation", quiet);
  s.table("y", "y", "gamma * normalised + beta", x.style);
  s.step({"invariance",
          {"불변성", "Invariance"},
          {"모두에 같은 수를 더해도 바뀌지 않고, 양수를 곱해도 (ε을 빼면) 바뀌지 않습니다. 아래는 "
           "2x + 10을 넣은 결과입니다.",
           "Adding the same number to all changes nothing, and neither does a positive factor "
           "(but for ε). Below, the result for 2x + 10."},
          "LN(a·x + b) ≈ LN(x),  a > 0"});
  s.let("other", "2 * x + 10 - mean(2 * x + 10)");
  s.table("moved", "LN(2x + 10)", "other / sqrt(mean(other * other) + " + x.eps + ")", quiet);
  add_jacobian(s, x);
}

void write(Sheet& s) {
  const bool own = s.request().inputs.count("x") > 0;
  const Matrix& x = s.input("x", {{2, 4, 6}});
  const int64_t n = x.columns;
  s.input("gamma", own ? Matrix(1, n, 1) : Matrix{{2, 1, 0.5}});
  s.input("beta", own ? Matrix(1, n, 0) : Matrix{{0, 1, -1}});
  const Parts names = labels("x", n);
  const Vector vector{{.columns = names}, exact_text(s.number("eps", 1e-5)), std::to_string(n)};
  s.tell(write_story, write_student, write_math, vector);
  Matrix both = x;
  both.rows = 2;
  const Matrix& after = s.of("normalised");
  both.values.insert(both.values.end(), after.values.begin(), after.values.end());
  s.chart(Picture::Kind::bars, "before_after", both,
          {{"정규화 전과 후", "Before and after"}, {"성분", "feature"}, {"값", "value"}},
          {s.in({"x (전)", "x (before)"}), s.in({"x̂ (후)", "x̂ (after)"})}, names);
}

}  // namespace

const Topic& layernorm_topic() {
  static constexpr Topic topic{
      .name = "layernorm",
      .title = {"층 정규화: 벡터의 눈금 맞추기", "Layer normalisation: putting a vector to scale"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
