// Everything the layer normalisation lesson says, in words and in Python.
#pragma once

#include "explain/topic.h"

namespace jogak::layernorm_words {

inline constexpr Words kTitle{"층 정규화: 벡터의 눈금 맞추기",
                              "Layer normalisation: putting a vector to scale"};
inline constexpr Words kPicture{"정규화 전과 후", "Before and after"};
inline constexpr Words kFeature{"성분", "feature"}, kValue{"값", "value"};
inline constexpr Words kBefore{"x (전)", "x (before)"}, kAfter{"x̂ (후)", "x̂ (after)"};
inline constexpr Words kMeanName{"평균", "mean"}, kMedianName{"중앙값", "median"};
inline constexpr Words kMiddle{"가운데", "the middle"};

// Story.
inline constexpr StepWords kStoryVolume{
    "volume",
    {"소리 크기 맞추기", "Turning the volume"},
    {"여러 사람이 이어 말하면 누구는 속삭이고 누구는 소리칩니다. 층이 쌓일수록 벡터도 그렇게 "
     "됩니다. 어떤 "
     "것은 아주 커지고 어떤 것은 사라집니다.",
     "When many people speak one after another, some whisper and some shout. Vectors that pass "
     "through many layers do the same: some grow huge, some fade."}};
inline constexpr StepWords kStoryNorm{
    "norm",
    {"가운데로, 그리고 같은 크기로", "To the middle, and to one size"},
    {"층 정규화는 벡터 하나를 보고 평균을 빼 가운데를 0으로 맞춘 다음, 흩어진 정도로 나누어 크기를 "
     "맞춥니다. 누가 크고 누가 작은지, 곧 모양은 그대로 남습니다.",
     "Layer normalisation looks at one vector, subtracts its mean so that the middle is 0, and "
     "divides by its spread so that the size is 1. The shape stays: who is larger and who is "
     "smaller."}};
inline constexpr StepWords kStoryKnobs{
    "knobs",
    {"손잡이 두 개", "Two knobs"},
    {"마지막으로 성분마다 손잡이가 둘 있습니다. 감마는 크기를, 베타는 높이를 조절하고, 모델이 "
     "스스로 "
     "배웁니다.",
     "Finally every feature has two knobs that the model learns itself: gamma sets its size, beta "
     "its height."}};

// Student.
inline constexpr StepWords kInput{
    "input",
    {"입력", "The input"},
    {"토큰 하나의 벡터입니다. 층 정규화는 이 벡터의 성분들만 봅니다. 다른 토큰이나 다른 문장은 "
     "보지 "
     "않습니다.",
     "The vector of one token. Layer normalisation looks at the features of this vector alone, not "
     "at other tokens or other sentences."}};
inline constexpr StepWords kMean{
    "mean",
    {"평균", "Mean"},
    {"성분을 모두 더해 개수로 나눕니다.", "Add the features and divide by how many there are."},
    "μ = (1/n)·Σ_i x_i"};
inline constexpr StepWords kCentre{"centre",
                                   {"평균 빼기", "Subtract the mean"},
                                   {"가운데가 0이 됩니다.", "Now the middle is 0."},
                                   "c_i = x_i - μ"};
inline constexpr StepWords kVariance{
    "variance",
    {"분산", "Variance"},
    {"차이를 제곱해 평균을 냅니다. n으로 나눕니다(n-1이 아닙니다).",
     "Square the differences and take their mean: divide by n, not by n-1."},
    "σ² = (1/n)·Σ_i c_i²"};
inline constexpr StepWords kNormalise{
    "normalise",
    {"표준편차로 나누기", "Divide by the deviation"},
    {"분산에 아주 작은 ε = {0}을 더해 제곱근을 구하고 나눕니다. ε 덕분에 모든 성분이 같아 분산이 "
     "0이어도 "
     "0으로 나누지 않습니다.",
     "Add a tiny ε = {0} to the variance, take the square root and divide. Thanks to ε nothing is "
     "divided by 0 even when all features are equal."},
    "x̂_i = c_i / √(σ² + ε)"};
inline constexpr StepWords kScale{"scale",
                                  {"감마와 베타", "Gamma and beta"},
                                  {"배우는 수 두 벡터입니다. 성분마다 감마를 곱하고 베타를 "
                                   "더합니다. 처음에는 감마가 1, 베타가 0이라 "
                                   "아무것도 바꾸지 않습니다.",
                                   "Two learned vectors: each feature is multiplied by gamma, then "
                                   "beta is added. They start at 1 "
                                   "and 0, which changes nothing."},
                                  "y_i = γ_i·x̂_i + β_i"};
inline constexpr StepWords kSlip{
    "slip",
    {"흔한 실수: n-1", "A common slip: n-1"},
    {"표본분산처럼 n-1로 나누면 다른 답이 나옵니다. 층 정규화의 분산은 n으로 나눕니다.",
     "Dividing by n-1, as for a sample variance, gives another answer. Layer normalisation divides "
     "by n."},
    "s² = (1/(n-1))·Σ_i c_i²"};
inline constexpr StepWords kMedian{
    "median",
    {"평균은 중앙값이 아니다", "The mean is not the median"},
    {"2, 4, 6은 둘이 같아 헷갈리기 쉽습니다. 2, 4, 9에서는 다릅니다. 층 정규화가 빼는 것은 "
     "평균입니다.",
     "For 2, 4, 6 the two agree, which misleads. For 2, 4, 9 they differ. Layer normalisation "
     "subtracts the mean."}};

// Mathematics.
inline constexpr StepWords kDefinition{
    "definition",
    {"정의", "Definition"},
    {"x̂는 합이 0이고 길이의 제곱이 n·σ²/(σ² + ε)인 벡터, 곧 1에 수직인 초평면 위의 공 껍질에 "
     "놓입니다.",
     "x̂ has sum 0 and squared length n·σ²/(σ² + ε): it lies on a sphere in the hyperplane "
     "orthogonal to the vector of ones."},
    "x̂ = (x - μ) / √(σ² + ε),  y = γ∘x̂ + β,  Σ x̂_i = 0,  ‖x̂‖² = n·σ²/(σ² + ε)"};
inline constexpr StepWords kInvariance{
    "invariance",
    {"불변성", "Invariance"},
    {"모두에 같은 수를 더해도 바뀌지 않고, 양수를 곱해도 (ε을 빼면) 바뀌지 않습니다. 아래는 2x + "
     "10을 넣은 "
     "결과입니다.",
     "Adding the same number to all changes nothing, and neither does a positive factor (but for "
     "ε). Below, the result for 2x + 10."},
    "LN(a·x + b) ≈ LN(x),  a > 0"};
inline constexpr StepWords kJacobian{
    "jacobian",
    {"야코비 행렬", "Jacobian"},
    {"1과 x̂의 방향을 없애는 사영을 1/√(σ² + ε)만큼 늘린 것입니다. 그래서 평균과 크기를 바꾸는 "
     "기울기는 "
     "흐르지 않습니다.",
     "A projection that removes the directions of 1 and of x̂, scaled by 1/√(σ² + ε): gradients "
     "that would change the mean or the size do not pass."},
    "∂x̂_i/∂x_j = (δ_ij - 1/n - x̂_i·x̂_j/n) / √(σ² + ε)"};
inline constexpr StepWords kBackward{
    "backward",
    {"거꾸로 가는 계산", "Backward"},
    {"손실이 L = Σ_i i·y_i라면 위에서 오는 기울기는 g = (1, 2, …, n)입니다.",
     "With the loss L = Σ_i i·y_i the gradient from above is g = (1, 2, …, n)."},
    "dγ = g∘x̂,  dβ = g,  h = g∘γ,  dx = (h - mean(h) - x̂·mean(h∘x̂)) / √(σ² + ε)"};

// Python: #0# x, #1# gamma, #2# beta, #3# eps.
inline constexpr CodeBlock kCodeInput{
    {"입력", "input"},
    R"(x = np.array(#0#, dtype=float)
gamma = np.array(#1#, dtype=float)
beta = np.array(#2#, dtype=float)
eps = #3#
n = len(x)
show("x", x)
show("gamma", gamma)
show("beta", beta))",
    R"(x = torch.tensor(#0#, dtype=torch.float64, requires_grad=True)
gamma = torch.tensor(#1#, dtype=torch.float64, requires_grad=True)
beta = torch.tensor(#2#, dtype=torch.float64, requires_grad=True)
eps = #3#
n = len(x)
show("x", x)
show("gamma", gamma)
show("beta", beta))"};
inline constexpr CodeBlock kCodeSteps{{"평균, 분산, 정규화", "mean, variance, normalise"},
                                      R"(mean = x.sum() / n
show("mean", mean)
centred = x - mean
show("centred", centred)
show("squares", centred**2)
variance = (centred**2).sum() / n
show("variance", variance)
deviation = np.sqrt(variance + eps)
show("deviation", deviation)
normalised = centred / deviation
show("normalised", normalised)
show("y", gamma * normalised + beta))",
                                      R"(mean = x.sum() / n
show("mean", mean)
centred = x - mean
show("centred", centred)
show("squares", centred**2)
variance = (centred**2).sum() / n
show("variance", variance)
deviation = torch.sqrt(variance + eps)
show("deviation", deviation)
normalised = centred / deviation
show("normalised", normalised)
y = gamma * normalised + beta
show("y", y)
assert torch.allclose(y, F.layer_norm(x, [n], gamma, beta, eps)))"};
inline constexpr CodeBlock kCodeSlip{{"흔한 실수: n-1", "a common slip: n-1"},
                                     R"(sample = (centred**2).sum() / (n - 1)
show("sample_variance", sample)
show("slip", centred / (sample + eps) ** 0.5))"};
inline constexpr CodeBlock kCodeMedian{{"평균과 중앙값", "mean and median"},
                                       R"(other = np.array([2.0, 4.0, 9.0])
show("other", other)
show("other_middle", [other.mean(), np.median(other)]))",
                                       R"(other = torch.tensor([2.0, 4.0, 9.0])
show("other", other)
show("other_middle", [other.mean(), other.median()]))"};
inline constexpr CodeBlock kCodeMath{
    {"불변성, 야코비 행렬, 거꾸로", "invariance, Jacobian, backward"},
    R"(def norm(x):
    centred = x - x.mean()
    return centred / np.sqrt((centred**2).mean() + eps)


deviation = np.sqrt(x.var() + eps)
h = norm(x)
show("deviation", deviation)
show("normalised", h)
show("y", gamma * h + beta)
show("moved", norm(2 * x + 10))
show("jacobian", (np.eye(n) - 1 / n - np.outer(h, h) / n) / deviation)
g = np.arange(1, n + 1)
show("d_gamma", g * h)
show("d_beta", g)
g = g * gamma
show("d_x", (g - g.mean() - h * (g * h).mean()) / deviation))",
    R"(def norm(x):
    return F.layer_norm(x, [n], eps=eps)


h = norm(x)
y = gamma * h + beta
show("deviation", torch.sqrt(x.var(unbiased=False) + eps))
show("normalised", h)
show("y", y)
show("moved", norm(2 * x + 10))
show("jacobian", torch.autograd.functional.jacobian(norm, x))
(torch.arange(1, n + 1) * y).sum().backward()
show("d_gamma", gamma.grad)
show("d_beta", beta.grad)
show("d_x", x.grad))"};

}  // namespace jogak::layernorm_words
