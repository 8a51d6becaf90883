#include "explain/sheet.h"

namespace jogak {
namespace {

struct Erratum {
  StepWords words;
  void (*numbers)(Sheet& s);
};

void dot_numbers(Sheet& s) {
  s.constant("long_one", {{10, 0}});
  s.constant("short_one", {{1, 1}});
  s.show("long_one", "a");
  s.show("short_one", "b");
  s.table("dot_long", "a·b", "long_one @ short_one.T");
  s.table("cos_long", "cos(a, b)", "dot_long / sqrt(sum(long_one ** 2) * sum(short_one ** 2))");
  s.table("dot_same", "b·b", "short_one @ short_one.T");
  s.table("cos_same", "cos(b, b)", "dot_same / sum(short_one ** 2)");
}

void product_numbers(Sheet& s) {
  s.constant("q", {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  s.constant("k", {{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 1, 0}});
  s.show("q", "Q");
  s.show("k", "K");
  s.table("claimed_scores", s.in({"틀린 답: 같은 자리 세기", "wrong: places that agree, counted"}),
          "q @ k.T + (1 - q) @ (1 - k).T", {.lines = 1});
  s.table("scores", "Q·Kᵀ", "q @ k.T");
}

void scale_numbers(Sheet& s) {
  s.constant("raw", {{10, 5, 2}});
  s.constant("claimed", {{0.85, 0.1, 0.05}});
  s.show("raw", s.in({"점수", "scores"}));
  s.show("claimed", s.in({"흔한 답", "often printed"}));
  s.table("divided", "softmax(S / √64)", "softmax(raw / 8)");
  s.table("undivided", "softmax(S)", "softmax(raw)");
}

void cross_numbers(Sheet& s) {
  s.constant("decoder", {{1, 2, 3, 4, 5, 6}});
  s.show("decoder", s.in({"디코더 층", "decoder layer"}));
  s.table("claimed_layer", s.in({"흔한 답: 읽는 인코더 층", "often said: encoder layer it reads"}),
          "decoder * 1");
  s.table("layer", s.in({"실제로 읽는 인코더 층", "encoder layer it reads"}), "decoder * 0 + 6");
}

void heads_numbers(Sheet& s) {
  s.table("weights", "A = softmax(Q·Kᵀ / 2)", "softmax(scores / 2)");
  s.table("previous", s.in({"앞 토큰에 주는 가중치", "weight on the previous token"}),
          "(weights[1:2, 0:1] + weights[2:3, 1:2]) / 2");
  s.table("entropy", s.in({"엔트로피", "entropy"}), "-row_sum(weights * log(weights))",
          {.lines = 0});
}

void wave_numbers(Sheet& s) {
  s.constant("pair", {{0, 255}});
  s.show("pair", "i");
  s.table("waves", "2π·10000^(2i/512)", "2 * pi * 10000 ** (2 * pair / 512)", {.digits = 4});
}

void cosine_numbers(Sheet& s) {
  s.constant("angle", {{0.01}});
  s.show("angle", s.in({"각도", "angle"}));
  s.table("cosine", "cos 0.01", "cos(angle)", {.digits = 7});
}

void beyond_numbers(Sheet& s) {
  s.constant("place", {{31, 63}});
  s.show("place", "p");
  s.table("slow", "p / 1000", "place / 1000");
  s.table("sine", "sin(p / 1000)", "sin(slow)");
}

void norm_numbers(Sheet& s) {
  s.constant("x", {{2, 4, 6}});
  s.show("x", "x");
  s.table("centred", "c = x - μ", "x - mean(x)");
  s.table("biased", "c / √(Σc²/3 + ε)", "centred / sqrt(sum(centred ** 2) / 3 + 0.00001)");
  s.table("slip", "c / √(Σc²/2 + ε)", "centred / sqrt(sum(centred ** 2) / 2 + 0.00001)");
}

void mean_numbers(Sheet& s) {
  s.constant("other", {{2, 4, 9}});
  s.show("other", "x");
  s.table("middle", s.in({"평균", "mean"}), "mean(other)");
  s.table("median", s.in({"중앙값 (가운데 수)", "median (the number in the middle)"}),
          "other[:, 1:2]", {.lines = 0});
}

void gelu_numbers(Sheet& s) {
  s.constant("again", {{1, 1, 1}});
  s.show("again", "x");
  s.table("gelu", "x·Φ(x)", "again * 0.5 * (1 + erf(again / sqrt(2)))");
}

void warmup_numbers(Sheet& s) {
  s.constant("step", {{4000, 8000, 16000}});
  s.show("step", "s");
  s.table("rate", "512^(-0.5)·s^(-0.5)", "512 ** -0.5 * step ** -0.5", {.digits = 10});
  s.constant("claimed_share", {{1, 1, 1}});
  s.show("claimed_share", s.in({"흔한 답: lr(s) / lr(4000)", "often said: lr(s) / lr(4000)"}));
  s.table("share", "lr(s) / lr(4000)", "rate / rate[:, 0:1]");
}

void dropout_numbers(Sheet& s) {
  s.constant("weight", {{0.5}});
  s.constant("drop", {{0.1}});
  s.show("weight", "a");
  s.show("drop", "p");
  s.table("spread", s.in({"부를 때의 분산", "variance when called"}),
          "weight ** 2 * drop / (1 - drop)");
  s.table("no_spread", s.in({"부르지 않을 때의 분산", "variance when never called"}),
          "weight - weight");
}

void linear_numbers(Sheet& s) {
  s.constant("y", {{1, 0}, {0, 1}});
  s.constant("still", {{0.75, 0.25}, {0.5, 0.5}});
  s.show("y", "X");
  s.show("still", s.in({"고정한 가중치 A", "fixed weights A"}));
  s.table("still_twice", "A·(2X)", "still @ (2 * y)", {.lines = 0});
  s.table("twice_still", "2·(A·X)", "2 * (still @ y)", {.lines = 0});
  s.table("soft_twice", "softmax(2X·2Xᵀ)·2X", "softmax(4 * (y @ y.T)) @ (2 * y)", {.lines = 0});
  s.table("twice_soft", "2·softmax(X·Xᵀ)·X", "2 * (softmax(y @ y.T) @ y)", {.lines = 0});
}

constexpr Erratum kErrata[] = {
    {{"dot",
      {"내적이 크면 닮았다?", "A large dot product means alike?"},
      {"주장: 내적이 클수록 두 벡터가 닮았다. 실제: 길이가 같을 때만 그렇습니다. 아래에서 내적은 "
       "a·b가 더 크지만, "
       "방향이 똑같은 것은 b와 b입니다.",
       "Claim: the larger the dot product, the more alike. In fact only at equal length: below, "
       "a·b is "
       "larger, yet it is b and b that point the same way."},
      "cos = a·b / (|a|·|b|)"},
     dot_numbers},
    {{"product",
      {"널리 베껴진 Q·Kᵀ", "A widely copied Q·Kᵀ"},
      {"주장: 이 Q와 K의 점수가 틀린 채로 여러 강의 노트에 베껴져 있습니다. 흔한 실수 하나가 앞의 "
       "표입니다. 쿼리와 키가 같은 자리를 0끼리까지 모두 셌습니다. 실제: 점수는 곱의 합이고 0·0은 "
       "아무것도 더하지 않으므로 뒤의 표가 맞습니다.",
       "Claim: scores of this Q and K are copied from note to note with mistakes. One slip gives "
       "the first table: the places where query and key agree, zeros too, are counted. In fact a "
       "score is a sum of products and 0·0 adds nothing: the second table."},
      "S_ij = Σ_c Q_ic·K_jc"},
     product_numbers},
    {{"scale",
      {"[10, 5, 2]의 가중치가 0.85, 0.10, 0.05?", "Weights 0.85, 0.10, 0.05 for [10, 5, 2]?"},
      {"주장: 이 점수를 √64로 나누면 가중치가 0.85, 0.10, 0.05가 된다. 실제: 나누면 훨씬 고르고, "
       "나누지 않으면 훨씬 "
       "쏠립니다. 0.85는 어느 쪽도 아닙니다.",
       "Claim: divided by √64 these scores give 0.85, 0.10, 0.05. In fact dividing gives something "
       "much more "
       "even, not dividing something much more pointed; 0.85 is neither."},
      "p = softmax(S / √d_k)"},
     scale_numbers},
    {{"cross",
      {"디코더는 같은 층의 인코더를 읽는다?", "The decoder reads the encoder's same layer?"},
      {"주장: 디코더의 n번째 층은 인코더의 n번째 층에서 키와 값을 받는다. 실제: 2017년 모델에서는 "
       "모든 디코더 층이 "
       "인코더의 마지막 층을 읽습니다.",
       "Claim: layer n of the decoder takes keys and values from layer n of the encoder. In the "
       "2017 model "
       "every decoder layer reads the encoder's last layer."},
      "K, V = encoder_6(x)·W_K, encoder_6(x)·W_V"},
     cross_numbers},
    {{"heads",
      {"헤드마다 맡은 일이 정해져 있다?", "Heads are given their tasks?"},
      {"주장: 1번 헤드는 문법, 2번 헤드는 뜻을 본다. 실제: 아무도 일을 나누어 주지 않습니다. 배운 "
       "뒤에 앞 토큰을 "
       "얼마나 보는지, 얼마나 흩어지는지 재어 볼 뿐입니다. 위의 Q와 K로 재면 이렇습니다.",
       "Claim: head 1 does grammar, head 2 meaning. In fact nobody assigns tasks: after training "
       "one measures "
       "how much a head looks at the previous token, or how spread it is. For the Q and K above:"},
      "H_i = -Σ_j A_ij·log A_ij"},
     heads_numbers},
    {{"waves",
      {"작은 i가 긴 물결이다?", "Low i is the long wave?"},
      {"주장: i가 작은 차원이 천천히 물결친다. 실제: 거꾸로입니다. i = 0이 가장 빠르고(파장 6.28), "
       "i = 255가 가장 "
       "느립니다(파장 60,611).",
       "Claim: dimensions of low i wave slowly. In fact the other way round: i = 0 is fastest "
       "(wavelength "
       "6.28), i = 255 slowest (60,611)."},
      "λ_i = 2π·10000^(2i/d)"},
     wave_numbers},
    {{"cosine",
      {"cos 0.01이 0.99라고?", "cos 0.01 = 0.99?"},
      {"주장: PE(1)의 마지막 수는 0.99이다. 실제: cos 0.01은 0.99995입니다. cos x ≈ 1 - x²/2이므로 "
       "1과의 차이는 0.01이 "
       "아니라 그 제곱의 절반입니다.",
       "Claim: the last number of PE(1) is 0.99. In fact cos 0.01 is 0.99995: as cos x ≈ 1 - x²/2, "
       "it falls "
       "short of 1 by half the square of 0.01."},
      "cos x ≈ 1 - x²/2"},
     cosine_numbers},
    {{"beyond",
      {"사인이니 어떤 길이에서도 된다?", "Sines work at any length?"},
      {"주장: 사인 인코딩은 배운 것보다 긴 문장에서도 잘 된다. 실제: 값이 정의될 뿐입니다. 32까지 "
       "배운 모델은 느린 "
       "차원이 0.031을 넘는 것을 본 적이 없습니다. jogak explain beyond가 재어 보입니다.",
       "Claim: sinusoids work for longer sentences than trained on. In fact they are only defined "
       "there: "
       "trained up to 32, a model never saw a slow dimension above 0.031. jogak explain beyond "
       "measures it."},
      "sin(p / 1000)"},
     beyond_numbers},
    {{"norm",
      {"층 정규화의 분산을 n-1로?", "LayerNorm with n-1?"},
      {"주장: LayerNorm([2,4,6]) = [-1,0,1]. 실제: n-1이 아니라 n으로 나누므로 ±1.224743입니다.",
       "Claim: LayerNorm([2,4,6]) = [-1,0,1]. In fact the variance divides by n, not n-1, and the "
       "ends are "
       "±1.224743."},
      "σ² = (1/n)·Σ_i (x_i - μ)²"},
     norm_numbers},
    {{"mean",
      {"평균이 곧 가운데 수다?", "The mean is the number in the middle?"},
      {"주장: μ는 가운데 값이다. 실제: [2,4,6]에서 우연히 같을 뿐, [2,4,9]에서는 5와 4입니다.",
       "Claim: μ is the middle value. That they agree for [2,4,6] is chance; for [2,4,9] they are "
       "5 and 4."},
      "μ = (1/n)·Σ_i x_i"},
     mean_numbers},
    {{"gelu",
      {"GELU는 확률적이다?", "GELU is probabilistic?"},
      {"주장: GELU는 값을 확률적으로 0으로 만든다. 실제: Φ(x)를 곱하는 정해진 함수입니다. 같은 x를 "
       "세 번 넣으면 세 번 "
       "같은 수가 나옵니다.",
       "Claim: GELU sets values to 0 at random. In fact it multiplies by Φ(x), a fixed function: "
       "the same x "
       "three times gives the same number three times."},
      "GELU(x) = x·Φ(x)"},
     gelu_numbers},
    {{"warmup",
      {"웜업이 끝나면 학습률이 유지된다?", "After warm-up the rate stays?"},
      {"주장: 4000스텝 뒤로 학습률이 일정하다(또는 천천히 오른다). 실제: 4000이 꼭대기이고 바로 "
       "내려갑니다. 8000에서 "
       "0.707배, 16000에서 절반입니다.",
       "Claim: after 4000 steps the rate is constant, or still rises. In fact 4000 is the peak and "
       "it falls at "
       "once: 0.707 of it at 8000, half at 16000."},
      "lr(s) = d^(-0.5)·s^(-0.5),  s ≥ w"},
     warmup_numbers},
    {{"dropout",
      {"만들어만 두고 부르지 않는 드롭아웃", "A dropout that is made and never called"},
      {"주장: __init__에 nn.Dropout이 있으니 드롭아웃을 쓴다. 실제: forward에서 부르지 않으면 "
       "가중치에 아무 일도 없습니다. "
       "부르면 가중치 a의 분산이 a²·p/(1-p)이고, 부르지 않으면 0입니다.",
       "Claim: there is an nn.Dropout in __init__, so dropout is used. Not called in forward, it "
       "does nothing: "
       "called, a weight a has variance a²·p/(1-p); never called, 0."},
      "Var = a²·p / (1 - p)"},
     dropout_numbers},
    {{"linear",
      {"헤드가 비선형을 만든다?", "Heads bring the nonlinearity?"},
      {"주장: 헤드가 여럿이라 비선형이 생긴다. 실제: 나누고 이어 붙이는 일은 선형입니다. 가중치를 "
       "고정하면 두 배를 넣을 때 "
       "두 배가 나옵니다. 비선형은 소프트맥스와 피드포워드에서 옵니다.",
       "Claim: several heads bring the nonlinearity. Splitting and concatenating are linear: with "
       "fixed weights "
       "twice the input gives twice the output. The nonlinearity comes from the softmax and the "
       "feed-forward."},
      "A·(2X) = 2·(A·X),   softmax(2X·2Xᵀ)·2X ≠ 2·softmax(X·Xᵀ)·X"},
     linear_numbers},
};

void write(Sheet& s) {
  for (const Erratum& erratum : kErrata) {
    StepWords words = erratum.words;
    if (s.story()) words.formula = {};
    s.step(words);
    erratum.numbers(s);
  }
  Matrix bars(2, 3);
  for (int64_t j = 0; j < 3; ++j) {
    bars.at(0, j) = s.of("claimed").at(0, j);
    bars.at(1, j) = s.of("divided").at(0, j);
  }
  s.chart(
      Picture::Kind::bars, "claimed", bars,
      {{"점수 10, 5, 2의 가중치 (√64로 나눔)", "Weights of the scores 10, 5, 2 (divided by √64)"},
       {"점수", "score"},
       {"가중치", "weight"}},
      {s.in({"흔한 답", "often printed"}), s.in({"계산한 값", "computed"})}, {"10", "5", "2"});
}

}  // namespace

const Topic& errata_topic() {
  static constexpr Topic topic{
      .name = "errata",
      .title = {"정오표: 자주 보는 틀린 말", "Errata: what is often said and is wrong"},
      .write = write};
  return topic;
}

}  // namespace jogak
