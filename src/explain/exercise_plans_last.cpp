#include "explain/exercise_plans.h"

namespace jogak {
namespace {

ChapterPlan positions() {
  return {{"위치", "Positions"},
          {{"positions",
            {"위치 인코딩", "Positional encoding"},
            {"d = 4일 때 위치 p의 네 수를 소수 셋째 자리까지 구하십시오.",
             "For d = 4, find the four numbers of position p, to three decimals."},
            {{"p", 1, 1, 1, 9, 1}},
            {{"encoding", "concat(sin(p), cos(p), sin(p / 100), cos(p / 100))"}}},
           {"positions",
            {"그림 읽기", "Reading the picture"},
            {"너비 d인 위치 인코딩의 히트맵에서 가장 빨리 물결치는 짝의 번호 i와 가장 느린 짝의 "
             "번호 i를 차례로 "
             "적으십시오 (짝은 0부터 셉니다).",
             "In the heat map of positional encodings of width d, which pair i waves fastest and "
             "which slowest? "
             "(Pairs count from 0.)"},
            {{"d", 1, 1, 8, 512, 8}},
            {{"pairs", "concat(0, d / 2 - 1)"}}},
           {"positions",
            {"파장", "Wavelength"},
            {"d = 8일 때 짝 i의 파장을 소수 첫째 자리까지 구하십시오.",
             "For d = 8, find the wavelength of pair i, to one decimal."},
            {{"i", 1, 1, 0, 3, 1}},
            {{"divisor", "10000 ** (2 * i / 8)"}, {"wavelength", "2 * pi * divisor"}},
            1},
           {"distance",
            {"거리만 남는다", "Only distance remains"},
            {"d = 4일 때 PE(p)·PE(p+k)를 소수 셋째 자리까지 구하십시오. p는 몰라도 됩니다.",
             "For d = 4, find PE(p)·PE(p+k), to three decimals. You need not know p."},
            {{"k", 1, 1, 1, 9, 1}},
            {{"dot", "cos(k) + cos(k / 100)"}}},
           {"position-kinds",
            {"ALiBi로 깎기", "ALiBi"},
            {"넷째 토큰의 점수입니다. 기울기 m = 0.5로 거리만큼 깎은 점수 넷을 구하십시오.",
             "Scores of the fourth token. Find the four scores after ALiBi with slope m = 0.5."},
            {{"scores", 1, 4, -1, 4, 1}},
            {{"penalty", "concat(1.5, 1, 0.5, 0)"}, {"output", "scores - penalty"}}}}};
}

ChapterPlan norms() {
  return {{"정규화, 잔차, 피드포워드", "Norm, residual, feed-forward"},
          {{"layernorm",
            {"층 정규화", "Layer normalisation"},
            {"x를 층 정규화하십시오 (감마 1, 베타 0, ε은 무시해도 됩니다). 소수 둘째 자리까지.",
             "Layer-normalise x (gamma 1, beta 0, ε may be neglected), to two decimals."},
            {{"x", 1, 3, 1, 12, 1}},
            {{"mean", "mean(x)"},
             {"centred", "x - mean"},
             {"variance", "mean(centred * centred)"},
             {"normalised", "centred / sqrt(variance + 0.00001)"}},
            2},
           {"batchnorm",
            {"두 가지 평균", "Two means"},
            {"x의 행은 예, 열은 성분입니다. 층 정규화가 첫 행에서 빼는 평균과 배치 정규화가 첫 "
             "열에서 빼는 평균을 차례로 "
             "소수 둘째 자리까지 구하십시오.",
             "Rows of x are examples, columns features. Find the mean LayerNorm subtracts from the "
             "first row and the mean "
             "BatchNorm subtracts from the first column, to two decimals."},
            {{"x", 3, 3, -3, 6, 1}},
            {{"means", "concat(mean(x[0:1, :]), mean(x[:, 0:1]))"}},
            2},
           {"feedforward",
            {"펼치고, 구부리고, 접기", "Widen, bend, narrow"},
            {"relu(x·a)·b를 구하십시오.", "Find relu(x·a)·b."},
            {{"x", 1, 2, -2, 3, 1}, {"a", 2, 3, -2, 2, 1}, {"b", 3, 2, -2, 2, 1}},
            {{"hidden", "x @ a"}, {"bent", "relu(hidden)"}, {"y", "bent @ b"}}},
           {"feedforward",
            {"피드포워드의 매개변수", "Parameters of feed-forward"},
            {"너비 d, 안쪽 너비 4d인 피드포워드의 매개변수는 편향까지 모두 몇 개입니까?",
             "How many parameters does a feed-forward of width d and inner width 4d have, biases "
             "included?"},
            {{"d", 1, 1, 64, 512, 64}},
            {{"count", "2 * d * 4 * d + 4 * d + d"}}},
           {"residual",
            {"잔차와 기울기", "Residuals and gradients"},
            {"층마다 w를 곱하는 층이 셋입니다. 잔차가 없을 때와 있을 때 기울기에 곱해지는 수를 "
             "차례로 소수 셋째 자리까지 "
             "구하십시오.",
             "Three layers each multiply by w. Find the factor of the gradient without and with "
             "residuals, to three decimals."},
            {{"w", 1, 1, 0.1, 0.9, 0.1}},
            {{"factors", "concat(w ** 3, (1 + w) ** 3)"}}}}};
}

ChapterPlan learning() {
  return {
      {"학습", "Learning"},
      {{"adam",
        {"Adam의 두 평균", "Adam's two averages"},
        {"첫 스텝의 기울기가 g입니다 (β1 = 0.9, β2 = 0.98). 첫 스텝 뒤의 m과 v를 소수 넷째 "
         "자리까지 "
         "구하십시오.",
         "The first gradient is g (β1 = 0.9, β2 = 0.98). Find m and v after the first step, to "
         "four decimals."},
        {{"g", 1, 1, 0.1, 0.9, 0.1}},
        {{"moments", "concat(0.1 * g, 0.02 * g * g)"}},
        4},
       {"adam",
        {"치우침 보정", "Bias correction"},
        {"위와 같은 첫 스텝에서 보정한 m̂과 v̂을 소수 셋째 자리까지 구하십시오.",
         "After the same kind of first step, find the corrected m̂ and v̂, to three decimals."},
        {{"g", 1, 1, 0.1, 0.9, 0.1}},
        {{"m", "0.1 * g"},
         {"v", "0.02 * g * g"},
         {"corrected", "concat(m / (1 - 0.9), v / (1 - 0.98))"}}},
       {"warmup",
        {"꼭대기의 몇 배", "How much of the peak"},
        {"웜업이 4000스텝입니다. 스텝 s의 학습률은 꼭대기의 몇 배입니까? 소수 셋째 자리까지.",
         "Warm-up is 4000 steps. What share of the peak is the rate at step s, to three decimals?"},
        {{"s", 1, 1, 8000, 64000, 8000}},
        {{"share", "sqrt(4000 / s)"}}},
       {"clipping",
        {"기울기 클리핑", "Clipping"},
        {"한계 1로 자르면 g에 몇을 곱합니까? 소수 넷째 자리까지.",
         "Clipped at 1, what is g multiplied by? To four decimals."},
        {{"g", 1, 3, 1, 9, 1}},
        {{"norm", "sqrt(sum(g * g))"}, {"factor", "1 / norm"}},
        4},
       {"softmax",
        {"손실의 기울기", "Gradient of the loss"},
        {"로짓이 x이고 정답은 첫째입니다. 교차 엔트로피의 x에 대한 기울기를 소수 셋째 자리까지 "
         "구하십시오.",
         "With logits x and the first class right, find the gradient of the cross-entropy by x, to "
         "three decimals."},
        {{"x", 1, 3, -1, 2, 1}},
        {{"p", "softmax(x)"}, {"gradient", "concat(p[:, 0:1] - 1, p[:, 1:3])"}}}}};
}

ChapterPlan translator() {
  return {
      {"번역기 전체", "The whole translator"},
      {{"cross-attention",
        {"어텐션의 수", "How many attentions"},
        {"인코더 n층, 디코더 n층인 번역기에 어텐션(셀프와 크로스)은 모두 몇 개입니까?",
         "How many attentions (self and cross) has a translator of n encoder and n decoder "
         "layers?"},
        {{"n", 1, 1, 2, 12, 1}},
        {{"count", "n + 2 * n"}}},
       {"positions",
        {"임베딩 키우기", "Scaling the embedding"},
        {"2017년 모델은 임베딩에 √d를 곱합니다. 그 수를 소수 둘째 자리까지 구하십시오.",
         "The 2017 model multiplies embeddings by √d. Find that number, to two decimals."},
        {{"d", 1, 1, 64, 1024, 64}},
        {{"factor", "sqrt(d)"}},
        2},
       {"sentence-matrix",
        {"어휘의 크기", "The size of the vocabulary"},
        {"단어 v개, 너비 d인 임베딩을 출력층과 함께 쓰면 수가 몇 개이고, 따로 쓰면 몇 개입니까?",
         "An embedding of v words and width d: how many numbers when shared with the output head, "
         "and how many when not?"},
        {{"v", 1, 1, 1000, 32000, 1000}, {"d", 1, 1, 64, 512, 64}},
        {{"counts", "concat(v * d, 2 * v * d)"}}},
       {"cross-entropy",
        {"문장의 점수", "The score of a sentence"},
        {"번역의 세 토큰이 확률 p로 나왔습니다. 로그 확률의 합과, 길이로 나눈 값을 소수 셋째 "
         "자리까지 구하십시오.",
         "The three tokens of a translation had probabilities p. Find the sum of their logarithms "
         "and the same divided by "
         "the length, to three decimals."},
        {{"p", 1, 3, 0.1, 0.9, 0.1}},
        {{"total", "sum(log(p))"}, {"scores", "concat(total, total / 3)"}}},
       {"forcing",
        {"맞을 확률", "The chance to get it right"},
        {"토큰 하나를 맞힐 확률이 p이고 앞이 틀리면 다 틀립니다. 토큰 넷을 모두 맞힐 확률을 소수 "
         "셋째 자리까지 "
         "구하십시오.",
         "Each token is right with probability p, and one mistake spoils the rest. Find the chance "
         "that four in a row are "
         "right, to three decimals."},
        {{"p", 1, 1, 0.5, 0.95, 0.05}},
        {{"chance", "p ** 4"}}}}};
}

}  // namespace

std::vector<ChapterPlan> last_chapters() {
  return {positions(), norms(), learning(), translator()};
}

}  // namespace jogak
