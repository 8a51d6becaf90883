// The attention lesson as Python.
#pragma once

#include "explain/topic.h"

namespace jogak::attention_code {

// #0# #1# #2# are Q, K and V, #3# is the mask.
inline constexpr CodeBlock kInputs{{"질의, 키, 값", "queries, keys, values"},
                                   R"(q = np.array(#0#, dtype=float)
k = np.array(#1#, dtype=float)
v = np.array(#2#, dtype=float)
d_k = q.shape[1]
show("q", q)
show("k", k)
show("v", v))",
                                   R"(q = torch.tensor(#0#, dtype=torch.float64, requires_grad=True)
k = torch.tensor(#1#, dtype=torch.float64, requires_grad=True)
v = torch.tensor(#2#, dtype=torch.float64, requires_grad=True)
d_k = q.shape[1]
show("q", q)
show("k", k)
show("v", v))"};

inline constexpr CodeBlock kFunctions{{"마스크를 쓴 소프트맥스: 모두 가린 행은 0",
                                       "softmax under a mask: a row with nothing visible is 0"},
                                      R"(def exponentials(scores):
    top = scores.max(axis=1, keepdims=True)
    return np.exp(scores - np.where(np.isinf(top), 0, top))


def softmax(scores):
    e = exponentials(scores)
    s = e.sum(axis=1, keepdims=True)
    return e / np.where(s == 0, 1, s)


def hide(scores, mask):
    return np.where(mask == 0, -np.inf, scores))",
                                      R"(def exponentials(scores):
    top = scores.max(dim=1, keepdim=True).values
    return torch.exp(scores - torch.where(torch.isinf(top), 0.0, top))


def softmax(scores):
    e = exponentials(scores)
    s = e.sum(dim=1, keepdim=True)
    return e / torch.where(s == 0, 1.0, s)


def hide(scores, mask):
    return scores.masked_fill(mask == 0, -torch.inf))"};

inline constexpr CodeBlock kScores{{"점수, √d_k로 나누기", "scores, divided by √d_k"},
                                   R"(show("k_t", k.T)
scores = q @ k.T
show("scores", scores)
scaled = scores / np.sqrt(d_k)
show("scaled", scaled)
masked = scaled)",
                                   R"(show("k_t", k.T)
scores = q @ k.T
show("scores", scores)
scaled = scores / d_k**0.5
show("scaled", scaled)
masked = scaled)"};

inline constexpr CodeBlock kMask{{"마스크", "mask"},
                                 R"(mask = np.array(#3#)
show("mask", mask))",
                                 R"(mask = torch.tensor(#3#)
show("mask", mask))"};

inline constexpr CodeBlock kNoMask{{"아무것도 가리지 않음", "nothing hidden"},
                                   R"(mask = np.ones((len(q), len(k))))",
                                   R"(mask = torch.ones(len(q), len(k)))"};

inline constexpr CodeBlock kMasked{{"가린 점수", "hidden scores"},
                                   R"(masked = hide(scaled, mask)
show("masked", masked))"};

inline constexpr CodeBlock kOutput{{"소프트맥스, 값을 섞기", "softmax, blend the values"},
                                   R"(e = exponentials(masked)
show("exp", e)
show("row_sums", e.sum(axis=1))
weights = softmax(masked)
show("weights", weights)
output = weights @ v
show("output", output))",
                                   R"(e = exponentials(masked)
show("exp", e)
show("row_sums", e.sum(dim=1))
weights = softmax(masked)
show("weights", weights)
output = weights @ v
show("output", output)
if torch.isfinite(masked).any(dim=1).all():
    bias = torch.where(torch.isinf(masked), masked, 0.0)
    library = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=bias[None])
    assert torch.allclose(output, library[0]))"};

inline constexpr CodeBlock kWithCausal{
    {"인과 마스크를 쓰면", "with a causal mask"},
    R"(causal_weights = softmax(hide(scaled, np.tril(np.ones_like(scaled))))
show("causal_weights", causal_weights)
show("causal_output", causal_weights @ v))",
    R"(causal_weights = softmax(hide(scaled, torch.tril(torch.ones_like(scaled))))
show("causal_weights", causal_weights)
show("causal_output", causal_weights @ v))"};

inline constexpr CodeBlock kWithoutMask{{"마스크가 없다면", "without the mask"},
                                        R"(full_weights = softmax(scaled)
show("full_weights", full_weights)
show("full_output", full_weights @ v))"};

inline constexpr CodeBlock kEmptyRow{{"모두 가린 행", "a row with nothing to see"},
                                     R"(empty = np.full_like(scaled[:1], -np.inf)
show("empty_masked", empty)
show("empty_weights", softmax(empty))
show("empty_output", softmax(empty) @ v))",
                                     R"(empty = torch.full_like(scaled[:1], -torch.inf)
show("empty_masked", empty)
show("empty_weights", softmax(empty))
show("empty_output", softmax(empty) @ v))"};

inline constexpr CodeBlock kWhy{
    {"왜 나누는가", "why divide"},
    R"(s = np.array([[10, 5, 2], [3, 12, 4], [1, 4, 15]], dtype=float)
p = softmax(s)
p8 = softmax(s / np.sqrt(64))
show("why_scores", s)
show("why_plain", p)
show("why_divided", p8)
show("why_slope_plain", p * (1 - p))
show("why_slope_divided", p8 * (1 - p8)))",
    R"(s = torch.tensor([[10, 5, 2], [3, 12, 4], [1, 4, 15]], dtype=torch.float64)
p = F.softmax(s, dim=1)
p8 = F.softmax(s / 64**0.5, dim=1)
show("why_scores", s)
show("why_plain", p)
show("why_divided", p8)
show("why_slope_plain", p * (1 - p))
show("why_slope_divided", p8 * (1 - p8)))"};

inline constexpr CodeBlock kMath{{"앞으로, 그리고 거꾸로", "forward and backward"},
                                 R"(weights = softmax(hide(q @ k.T / np.sqrt(d_k), mask))
output = weights @ v
show("weights", weights)
show("output", output)
d_output = output
d_weights = d_output @ v.T
along = (weights * d_weights).sum(axis=1, keepdims=True)
d_scores = weights * (d_weights - along)
show("d_v", weights.T @ d_output)
show("d_weights", d_weights)
show("d_scores", d_scores)
show("d_q", d_scores @ k / np.sqrt(d_k))
show("d_k", d_scores.T @ q / np.sqrt(d_k)))",
                                 R"(scores = q @ k.T / d_k**0.5
weights = softmax(hide(scores, mask))
output = weights @ v
show("weights", weights)
show("output", output)
loss = 0.5 * (output**2).sum()
found = torch.autograd.grad(loss, [v, weights, scores, q, k])
for name, gradient in zip(["d_v", "d_weights", "d_scores", "d_q", "d_k"], found):
    show(name, gradient))"};

}  // namespace jogak::attention_code
