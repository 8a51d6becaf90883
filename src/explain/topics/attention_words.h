// Everything the attention lesson says.
#pragma once

#include "explain/topic.h"

namespace jogak::attention_words {

inline constexpr Words kTitle{"어텐션: 누가 누구를 얼마나 보는가",
                              "Attention: who looks at whom, and how much"};
inline constexpr Words kPicture{"어텐션 가중치", "Attention weights"};
inline constexpr Words kQuery{"질의(보는 쪽)", "query (the one that looks)"};
inline constexpr Words kKey{"키(보이는 쪽)", "key (the one looked at)"};

// Story.
inline constexpr StepWords kStoryLibrary{
    "library",
    {"도서관에서", "In a library"},
    {"문장 속의 단어마다 도서관에 온 손님이라고 합시다. 손님은 찾는 것을 적은 쪽지(질의, Q)를 들고 "
     "있습니다. 책마다 등에 붙은 이름표(키, K)가 있고, 속에는 내용(값, V)이 있습니다.",
     "Think of every word of a sentence as a visitor to a library. The visitor carries a note of "
     "what is wanted (the query, Q). Every book has a label on its back (the key, K) and its "
     "contents inside (the value, V)."}};
inline constexpr StepWords kStoryMatch{
    "match",
    {"쪽지와 이름표 맞춰 보기", "Note against label"},
    {"손님은 쪽지를 모든 이름표와 맞춰 봅니다. 잘 맞을수록 점수가 높고, 소프트맥스가 그 점수를 "
     "몫으로 "
     "바꿉니다. 한 줄이 손님 한 명이고, 한 줄을 더하면 1입니다.",
     "The visitor holds the note against every label. The better the match, the higher the score, "
     "and softmax turns the scores into shares. Each row is one visitor, and each row adds up to "
     "1."}};
inline constexpr StepWords kStoryMix{
    "mix",
    {"한 권이 아니라 섞어서", "Not one book but a blend"},
    {"한 권만 고르지 않고, 모든 책의 내용을 몫만큼 섞어 가져갑니다. 그렇게 문맥을 아는 새 벡터가 "
     "됩니다. 글을 이어 쓸 때는 아직 쓰이지 않은 책을 보면 안 되므로 마스크로 가립니다.",
     "Instead of choosing one book, the visitor takes home a blend of all contents, each by its "
     "share: a new vector that knows its context. When text is being written, books that are not "
     "written yet must not be seen; a mask hides them."}};

// Student.
inline constexpr StepWords kInputs{
    "inputs",
    {"질의, 키, 값", "Queries, keys, values"},
    {"토큰마다 벡터가 셋입니다. 질의(Q)는 무엇을 찾는지, 키(K)는 자기가 무엇인지, 값(V)은 무엇을 "
     "줄지를 "
     "나타냅니다. 한 행이 토큰 하나입니다.",
     "Every token has three vectors: the query (Q) says what it looks for, the key (K) what it is, "
     "the value (V) what it gives. One row is one token."}};
inline constexpr StepWords kScores{
    "scores",
    {"점수", "Scores"},
    {"질의와 키의 내적이 점수입니다. Q의 행에 Kᵀ의 열을 곱해 더합니다. 키를 전치해야 길이 {0}인 "
     "행과 "
     "길이 {0}인 열이 만납니다.",
     "The dot product of query and key is the score: a row of Q times a column of Kᵀ. The keys are "
     "transposed so that rows of length {0} meet columns of length {0}."},
    "scores = Q·Kᵀ"};
inline constexpr StepWords kScale{
    "scale",
    {"√d_k로 나누기", "Divide by √d_k"},
    {"내적은 벡터가 길수록 커지므로 길이의 제곱근으로 나눕니다. 여기서는 √{0} = {1}입니다.",
     "Dot products grow with the length of the vectors, so they are divided by its square root: "
     "here √{0} = {1}."},
    "scaled = scores / √d_k"};
inline constexpr StepWords kMask{
    "mask",
    {"마스크", "The mask"},
    {"1은 보아도 되는 자리, 0은 가린 자리입니다. 가린 점수는 -∞가 되고, exp(-∞) = 0이므로 몫이 "
     "없습니다.",
     "1 marks what may be seen, 0 what is hidden. A hidden score becomes -∞, and as exp(-∞) = 0 it "
     "gets no share."},
    "masked_ij = scaled_ij  (mask_ij = 1),  -∞  (mask_ij = 0)"};
inline constexpr StepWords kSoftmax{
    "softmax",
    {"행마다 소프트맥스", "Softmax, row by row"},
    {"행마다 가장 큰 점수를 빼고 지수를 구한 뒤 그 행의 합으로 나눕니다. 가중치 한 행을 더하면 "
     "1입니다. "
     "모두 가린 행은 0으로 둡니다.",
     "In every row subtract the largest score, take exponentials and divide by the sum of the row. "
     "A row of weights adds up to 1. A row in which all is hidden stays 0."},
    "weights_ij = exp(s_ij - max_j s_ij) / Σ_j exp(s_ij - max_j s_ij)"};
inline constexpr StepWords kOutput{
    "output",
    {"값을 섞기", "Blend the values"},
    {"가중치로 값을 섞습니다. 출력의 한 행은 V의 행들의 가중 평균입니다.",
     "The weights blend the values: each row of the output is a weighted mean of the rows of V."},
    "output = weights·V"};
inline constexpr StepWords kWithCausal{"causal",
                                       {"인과 마스크를 쓰면", "With a causal mask"},
                                       {"글을 왼쪽부터 쓸 때는 i번째 토큰이 i번째까지만 봅니다. 첫 "
                                        "행은 자기만 보고, 마지막 행은 그대로입니다.",
                                        "When text is written from left to right, token i sees "
                                        "only tokens up to i. The first row sees "
                                        "itself alone; the last row is as before."},
                                       "mask_ij = 1  (j ≤ i)"};
inline constexpr StepWords kWithoutMask{
    "full",
    {"마스크가 없다면", "Without the mask"},
    {"견주어 보도록, 같은 수를 아무것도 가리지 않고 계산한 결과입니다.",
     "To compare: the same numbers with nothing hidden."},
    "weights = softmax(Q·Kᵀ / √d_k)"};
inline constexpr StepWords kEmptyRow{
    "empty_row",
    {"모두 가린 행", "A row with nothing to see"},
    {"첫 질의에게 모든 키를 가리면 점수가 모두 -∞이고 합이 0이라, 그대로 나누면 0 / 0 = NaN입니다. "
     "그런 "
     "행은 가중치도 출력도 0으로 정합니다. 다른 행은 달라지지 않습니다.",
     "Hide every key from the first query and all its scores are -∞, their exponentials add up to "
     "0, and dividing would give 0 / 0 = NaN. Such a row is defined to have weights 0 and output "
     "0. "
     "Other rows are not touched."},
    "Σ_j exp(-∞) = 0  ->  weights_1j = 0"};
inline constexpr StepWords kWhy{
    "why_divide",
    {"왜 √d_k로 나누는가", "Why divide by √d_k"},
    {"길이 64인 벡터의 점수 세 행입니다. 그대로 소프트맥스에 넣으면 첫 행은 거의 한 칸에 몰립니다. "
     "8로 "
     "나누면 고르게 나뉩니다. 기울기 p(1-p)를 보십시오. 몰린 쪽은 0에 가까워 배우기를 멈춥니다. "
     "이것을 "
     "포화라고 합니다.",
     "Three rows of scores from vectors of length 64. Put into softmax as they are, the first row "
     "gives nearly all to one place; divided by 8 it spreads. Look at the slope p(1-p): where all "
     "is in one place it is near 0, and learning stops. This is saturation."},
    "softmax(s)  |  softmax(s / √64),  ∂p/∂s = p·(1 - p)"};

// Mathematics.
inline constexpr StepWords kDefinition{
    "definition",
    {"정의", "Definition"},
    {"M_ij는 보이는 자리에서 0, 가린 자리에서 -∞입니다. 토큰의 순서를 바꾸면 출력도 같은 순서로 "
     "바뀔 "
     "뿐이며, 순서는 위치 인코딩과 마스크만이 알려 줍니다. 시간은 n·m·(d_k + d_v), 가중치의 기억 "
     "장소는 "
     "n·m에 비례합니다.",
     "M_ij is 0 where visible and -∞ where hidden. Permuting the tokens permutes the output: order "
     "enters only through positions and masks. Time grows as n·m·(d_k + d_v), the weights take n·m "
     "numbers."},
    "A = softmax(Q·Kᵀ / √d_k + M),  O = A·V"};
inline constexpr StepWords kVariance{
    "variance",
    {"나누는 까닭", "The reason for the divisor"},
    {"q와 k의 성분이 서로 독립이고 평균 0, 분산 1이면 내적의 분산은 항의 수와 같습니다. √d_k로 "
     "나누면 "
     "분산이 다시 1이 되어 소프트맥스가 포화하지 않습니다.",
     "If the entries of q and k are independent with mean 0 and variance 1, their dot product has "
     "as much variance as it has terms. Divided by √d_k the variance is 1 again and softmax does "
     "not saturate."},
    "Var(q·k) = Σ_c Var(q_c·k_c) = d_k,  Var(q·k / √d_k) = 1"};
inline constexpr StepWords kGradient{
    "gradient",
    {"거꾸로 가는 계산", "Backward"},
    {"손실을 L = ½·Σ O²로 두면 ∂L/∂O = O입니다. 연쇄 법칙을 뒤에서부터 따라갑니다. 가린 자리와 "
     "모두 가린 "
     "행은 A가 0이므로 기울기도 0입니다.",
     "With the loss L = ½·Σ O² we have ∂L/∂O = O. Follow the chain rule from the back. Hidden "
     "places "
     "and rows with nothing to see have A = 0, hence no gradient."},
    "dV = Aᵀ·dO,  dA = dO·Vᵀ,  dS = A∘(dA - Σ_j A∘dA),  dQ = dS·K / √d_k,  dK = dSᵀ·Q / √d_k"};

}  // namespace jogak::attention_words
