#include "explain/exercise_plans.h"

namespace jogak {
namespace {

ChapterPlan vectors() {
  return {{"벡터와 행렬", "Vectors and matrices"},
          {{"dot",
            {"내적", "Dot product"},
            {"a와 b의 내적을 구하십시오.", "Find the dot product of a and b."},
            {{"a", 1, 3, -4, 5, 1}, {"b", 1, 3, -4, 5, 1}},
            {{"dot", "a @ b.T"}}},
           {"dot",
            {"코사인", "Cosine"},
            {"a와 b의 코사인을 소수 셋째 자리까지 구하십시오.",
             "Find the cosine of a and b, to three decimals."},
            {{"a", 1, 2, 1, 6, 1}, {"b", 1, 2, 1, 6, 1}},
            {{"dot", "a @ b.T"},
             {"lengths", "sqrt(sum(a * a)) * sqrt(sum(b * b))"},
             {"cosine", "dot / lengths"}}},
           {"matmul",
            {"행렬 곱", "Matrix product"},
            {"a·b를 구해 네 수를 행부터 차례로 적으십시오.",
             "Find a·b and write its four numbers, row by row."},
            {{"a", 2, 2, -3, 5, 1}, {"b", 2, 2, -3, 5, 1}},
            {{"product", "a @ b"}}},
           {"sentence-matrix",
            {"문장의 행렬", "A sentence as a matrix"},
            {"세 단어의 벡터가 x의 행입니다. x·xᵀ의 첫 행을 구하십시오.",
             "The rows of x are the vectors of three words. Find the first row of x·xᵀ."},
            {{"x", 3, 2, -2, 3, 1}},
            {{"row", "x[0:1, :] @ x.T"}}},
           {"matmul",
            {"곱셈의 수", "How many multiplications"},
            {"[n,d] 행렬과 [d,m] 행렬의 곱에는 곱셈이 몇 번 들어갑니까?",
             "How many multiplications does the product of an [n,d] and a [d,m] matrix take?"},
            {{"n", 1, 1, 2, 9, 1}, {"d", 1, 1, 4, 64, 4}, {"m", 1, 1, 2, 9, 1}},
            {{"count", "n * d * m"}}}}};
}

ChapterPlan probability() {
  return {{"확률과 손실", "Softmax and loss"},
          {{"softmax",
            {"소프트맥스", "Softmax"},
            {"softmax(x)를 소수 셋째 자리까지 구하십시오.", "Find softmax(x), to three decimals."},
            {{"x", 1, 3, -2, 3, 1}},
            {{"powers", "exp(x)"}, {"total", "sum(powers)"}, {"p", "powers / total"}}},
           {"softmax",
            {"모두 더해도 그대로", "Shifted together"},
            {"x의 모든 수에 100을 더한 뒤의 소프트맥스에서 첫 수를 소수 셋째 자리까지 구하십시오.",
             "Add 100 to every number of x. What is the first number of the softmax, to three "
             "decimals?"},
            {{"x", 1, 2, -2, 3, 1}},
            {{"p", "softmax(x)"}, {"first", "p[:, 0:1]"}}},
           {"cross-entropy",
            {"교차 엔트로피", "Cross-entropy"},
            {"정답의 확률이 p일 때의 손실을 소수 셋째 자리까지 구하십시오.",
             "The right answer has probability p. Find the loss, to three decimals."},
            {{"p", 1, 1, 0.05, 0.95, 0.05}},
            {{"loss", "-log(p)"}}},
           {"cross-entropy",
            {"퍼플렉시티", "Perplexity"},
            {"정답마다 확률이 p였습니다. 퍼플렉시티를 소수 셋째 자리까지 구하십시오.",
             "Every right answer had probability p. Find the perplexity, to three decimals."},
            {{"p", 1, 1, 0.1, 0.9, 0.1}},
            {{"loss", "-log(p)"}, {"perplexity", "exp(loss)"}}},
           {"smoothing",
            {"레이블 스무딩", "Label smoothing"},
            {"단어가 v개이고 ε = 0.1입니다. 정답과 다른 단어의 목표 확률을 차례로 구하십시오 (ε을 "
             "모든 단어에 "
             "고루 나눕니다).",
             "There are v words and ε = 0.1, shared evenly among all words. Find the target of the "
             "right word and of any other."},
            {{"v", 1, 1, 4, 20, 2}},
            {{"target", "concat(1 - 0.1 + 0.1 / v, 0.1 / v)"}}}}};
}

ChapterPlan attention() {
  return {{"어텐션", "Attention"},
          {{"attention",
            {"점수", "Scores"},
            {"q·kᵀ의 첫 행을 구하십시오.", "Find the first row of q·kᵀ."},
            {{"q", 3, 2, 1, 4, 1}, {"k", 3, 2, -1, 2, 1}},
            {{"scores", "q[0:1, :] @ k.T"}}},
           {"scale",
            {"나누고 소프트맥스", "Divide, then softmax"},
            {"d_k = 16입니다. 이 점수의 가중치를 소수 셋째 자리까지 구하십시오.",
             "With d_k = 16, find the weights of these scores, to three decimals."},
            {{"scores", 1, 3, 0, 12, 1}},
            {{"scaled", "scores / 4"}, {"weights", "softmax(scaled)"}}},
           {"attention",
            {"세 단어의 어텐션을 손으로", "Attention by hand on three words"},
            {"쿼리 q가 세 단어의 키 k와 값 v를 봅니다(d_k = 4라고 치고 2로 나눕니다). 결과 벡터를 "
             "소수 셋째 자리까지 "
             "구하십시오.",
             "The query q looks at three words with keys k and values v (divide by 2, as for d_k = "
             "4). Find the "
             "resulting vector, to three decimals."},
            {{"q", 1, 4, 0, 1, 1}, {"k", 3, 4, 0, 1, 1}, {"v", 3, 2, 1, 9, 1}},
            {{"scores", "q @ k.T / 2"}, {"weights", "softmax(scores)"}, {"output", "weights @ v"}}},
           {"scale",
            {"포화", "Saturation"},
            {"가중치가 p일 때 기울기 p(1 - p)를 소수 넷째 자리까지 구하십시오.",
             "At a weight p, find the slope p(1 - p), to four decimals."},
            {{"p", 1, 1, 0.9, 0.99, 0.01}},
            {{"slope", "p * (1 - p)"}},
            4},
           {"masks",
            {"인과 마스크", "Causal mask"},
            {"세 토큰 가운데 둘째 토큰의 점수입니다. 인과 마스크를 씌운 가중치 셋을 소수 셋째 "
             "자리까지 구하십시오.",
             "Scores of the second of three tokens. Find its three weights under a causal mask, to "
             "three decimals."},
            {{"scores", 1, 3, -1, 3, 1}},
            {{"visible", "softmax(scores[:, 0:2])"}, {"weights", "concat(visible, 0)"}}}}};
}

ChapterPlan heads() {
  return {{"여러 헤드와 마스크", "Heads and masks"},
          {{"multihead",
            {"512를 8개의 헤드로", "512 split into 8 heads"},
            {"토큰 n개의 [n,512] 행렬을 헤드 8개로 나누어 헤드를 앞에 둡니다. 모양의 세 수를 "
             "적으십시오.",
             "The [n,512] matrix of n tokens is split into 8 heads, heads first. Write the three "
             "numbers of its shape."},
            {{"n", 1, 1, 5, 30, 1}},
            {{"width", "512 / 8"}, {"shape", "concat(8, n, width)"}}},
           {"multihead",
            {"매개변수", "Parameters"},
            {"너비 d인 어텐션의 W_q, W_k, W_v, W_o에는(편향 없이) 수가 모두 몇 개 있습니까?",
             "How many numbers do W_q, W_k, W_v and W_o of attention of width d hold (without "
             "biases)?"},
            {{"d", 1, 1, 64, 512, 64}},
            {{"count", "4 * d * d"}}},
           {"masks",
            {"보이는 자리", "Visible places"},
            {"토큰 n개의 인과 마스크에서 보이는(1인) 자리는 몇 개입니까?",
             "How many places of a causal mask of n tokens are visible (1)?"},
            {{"n", 1, 1, 4, 40, 1}},
            {{"count", "n * (n + 1) / 2"}}},
           {"masks",
            {"패딩 마스크", "Padding mask"},
            {"마지막 토큰은 패딩입니다. 가중치 넷을 소수 셋째 자리까지 구하십시오.",
             "The last token is padding. Find the four weights, to three decimals."},
            {{"scores", 1, 4, -1, 3, 1}},
            {{"visible", "softmax(scores[:, 0:3])"}, {"weights", "concat(visible, 0)"}}},
           {"multihead",
            {"이어 붙이고 섞기", "Concatenate and mix"},
            {"두 헤드의 결과 a와 b를 이어 붙여 w를 곱하십시오.",
             "Concatenate the results a and b of two heads and multiply by w."},
            {{"a", 1, 2, -2, 3, 1}, {"b", 1, 2, -2, 3, 1}, {"w", 4, 2, -1, 2, 1}},
            {{"joined", "concat(a, b)"}, {"output", "joined @ w"}}}}};
}

}  // namespace

std::vector<ChapterPlan> first_chapters() {
  return {vectors(), probability(), attention(), heads()};
}

}  // namespace jogak
