// The lesson on a whole model as two files of Python. #0# is the token ids.
#pragma once

#include <string_view>

namespace jogak {

inline constexpr std::string_view kModelPytorch =
    R"(# A Transformer in one file: a GPT-2, its weights by their names in a GPT-2 file.
#   python model.py                 the lesson's small model, weights made of sines
#   python model.py DIR 5 17 42     a GPT-2 directory (config.json, model.safetensors) and token ids
import json
import math
import os
import struct
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


class Linear(nn.Module):  # of row vectors: the weight is [in, out]
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = Linear(width, 3 * width)  # queries, keys and values at once
        self.c_proj = Linear(width, width)

    def forward(self, x):  # [T, C] -> [T, C]
        tokens, width = x.shape
        d_k = width // self.heads
        q, k, v = (
            part.view(tokens, self.heads, d_k).transpose(0, 1)  # [T, C] -> [H, T, d_k]
            for part in self.c_attn(x).split(width, dim=1)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)  # [H, T, T]
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        weights = F.softmax(scores.masked_fill(later, -torch.inf), dim=-1)
        joined = (weights @ v).transpose(0, 1).contiguous().view(tokens, width)
        return self.c_proj(joined)


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.c_fc = Linear(width, inner)
        self.c_proj = Linear(inner, width)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, width, heads, inner, eps):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps)
        self.attn = Attention(width, heads)
        self.ln_2 = nn.LayerNorm(width, eps)
        self.mlp = FeedForward(width, inner)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Transformer(nn.Module):
    def __init__(self, vocab, context, width, heads, layers, inner=None, eps=1e-5):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads, inner or 4 * width, eps) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width, eps)

    def forward(self, ids):  # [T] -> [T, V]
        x = self.wte(ids) + self.wpe(torch.arange(len(ids)))
        self.seen = [x]
        for block in self.h:
            x = block(x)
            self.seen.append(x)
        return self.ln_f(x) @ self.wte.weight.T  # the output layer is the embedding


def from_sines():
    model = Transformer(vocab=12, context=8, width=8, heads=2, layers=2)
    with torch.no_grad():
        for number, (name, weight) in enumerate(model.named_parameters()):
            values = 0.5 * torch.sin(1.7 * torch.arange(weight.numel()) + number)
            scale = ".ln_" in "." + name and name.endswith("weight")
            weight.copy_(values.view(weight.shape) + (1 if scale else 0))
    return model


def from_directory(path):
    with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
        c = json.load(file)
    inner, eps = c.get("n_inner"), c.get("layer_norm_epsilon", 1e-5)
    model = Transformer(c["vocab_size"], c["n_positions"], c["n_embd"], c["n_head"], c["n_layer"], inner, eps)
    with open(os.path.join(path, "model.safetensors"), "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "BF16": torch.bfloat16}
    weights = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        name = name.removeprefix("transformer.")
        if name == "__metadata__" or name.startswith("lm_head") or name.endswith((".attn.bias", "masked_bias")):
            continue
        first, last = (8 + size + at for at in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[first:last]), dtype=kinds[entry["dtype"]])
        weights[name] = numbers.view(entry["shape"]).double()
    model.load_state_dict(weights)
    return model


def show(name, value):
    print(name, "=", torch.round(value.detach().double(), decimals=6).tolist())


if len(sys.argv) > 2 and os.path.isdir(sys.argv[1]):
    show("logits", from_directory(sys.argv[1])(torch.tensor([int(one) for one in sys.argv[2:]])))
else:
    ids = torch.tensor(#0#)
    model = from_sines()
    logits = model(ids)
    show("ids", ids)
    show("embedded", model.seen[0])
    show("block_1", model.seen[1])
    show("block_2", model.seen[2])
    show("logits", logits)
    show("probabilities", F.softmax(logits[-1:], dim=1))
)";

inline constexpr std::string_view kModelNumpy = R"(import math

import numpy as np

vocab, context, width, heads, layers = 12, 8, 8, 2, 2
ids = np.array(#0#)
made = 0


def sines(shape, about=0):  # the next weight
    global made
    values = 0.5 * np.sin(1.7 * np.arange(math.prod(shape)) + made) + about
    made += 1
    return values.reshape(shape)


def norm_weights():
    return sines((width,), 1), sines((width,))


def linear_weights(inputs, outputs):
    return sines((inputs, outputs)), sines((outputs,))


def norm(x, weights):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * weights[0] + weights[1]


def linear(x, weights):
    return x @ weights[0] + weights[1]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(x, c_attn, c_proj):
    tokens, d_k = len(x), width // heads
    parts = np.split(linear(x, c_attn), 3, axis=1)
    q, k, v = (part.reshape(tokens, heads, d_k).transpose(1, 0, 2) for part in parts)
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(d_k)
    later = np.triu(np.ones((tokens, tokens)), 1) == 1
    weights = softmax(np.where(later, -np.inf, scores))
    return linear((weights @ v).transpose(1, 0, 2).reshape(tokens, width), c_proj)


def show(name, value):
    print(name, "=", np.round(value, 6).tolist())


wte, wpe = sines((vocab, width)), sines((context, width))
x = wte[ids] + wpe[: len(ids)]
show("ids", ids)
show("embedded", x)
for layer in range(layers):
    ln_1 = norm_weights()
    c_attn, c_proj = linear_weights(width, 3 * width), linear_weights(width, width)
    x = x + attention(norm(x, ln_1), c_attn, c_proj)
    ln_2 = norm_weights()
    c_fc, c_proj = linear_weights(width, 4 * width), linear_weights(4 * width, width)
    x = x + linear(gelu(linear(norm(x, ln_2), c_fc)), c_proj)
    show("block_" + str(layer + 1), x)
logits = norm(x, norm_weights()) @ wte.T
show("logits", logits)
show("probabilities", softmax(logits[-1:]))
)";

}  // namespace jogak
