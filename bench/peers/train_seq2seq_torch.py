"""One training step of the encoder-decoder of 2017 in plain PyTorch (eager, float32, CPU), timed.

    python train_seq2seq_torch.py --layers 6 --heads 8 --width 512 --inner 2048 --vocab 8000 \
        --batch 32 --length 32 --dropout 0.1

Forward, backward, clipping by the global norm, AdamW; random tokens, as many read as written, no
padding. Norm after each sub-layer, ReLU, sinusoidal positions, one tied table. Prints one line of
JSON: ms_per_step (median), ms_per_step_best, tokens_per_s (both sides, of the median), peak_rss_mb.
"""

import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F

from measure import median_and_best, peak_rss_mb, print_json, time_ms


class Attention(nn.Module):
    def __init__(self, a, cross):
        super().__init__()
        self.heads, self.dropout, self.cross = a.heads, a.attention_dropout, cross
        C = a.width
        if cross:
            self.q, self.kv = nn.Linear(C, C), nn.Linear(C, 2 * C)
        else:
            self.qkv = nn.Linear(C, 3 * C)
        self.out = nn.Linear(C, C)

    def forward(self, x, memory=None, causal=False):
        C = x.shape[-1]
        parts = (self.q(x), *self.kv(memory).split(C, 2)) if self.cross else self.qkv(x).split(C, 2)
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal,
                                           dropout_p=self.dropout if self.training else 0.0)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, a, decoder):
        super().__init__()
        self.self_attn, self.norm_1 = Attention(a, False), nn.LayerNorm(a.width)
        self.cross = Attention(a, True) if decoder else None
        self.norm_2 = nn.LayerNorm(a.width) if decoder else None
        self.fc1, self.fc2 = nn.Linear(a.width, a.inner), nn.Linear(a.inner, a.width)
        self.norm_3, self.drop = nn.LayerNorm(a.width), nn.Dropout(a.dropout)

    def forward(self, x, memory=None):
        x = self.norm_1(x + self.drop(self.self_attn(x, causal=self.cross is not None)))
        if self.cross is not None:
            x = self.norm_2(x + self.drop(self.cross(x, memory)))
        return self.norm_3(x + self.drop(self.fc2(F.relu(self.fc1(x)))))


class Seq2Seq(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.table = nn.Embedding(a.vocab, a.width)
        self.encoder = nn.ModuleList(Layer(a, False) for _ in range(a.layers))
        self.decoder = nn.ModuleList(Layer(a, True) for _ in range(a.layers))
        self.drop, self.scale = nn.Dropout(a.dropout), math.sqrt(a.width)
        place = torch.arange(a.length).unsqueeze(1)
        angle = place / 10000 ** (torch.arange(0, a.width, 2) / a.width)
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1))
        for p in self.parameters():
            if p.dim() >= 2:
                nn.init.xavier_normal_(p)

    def embed(self, ids):
        return self.drop(self.table(ids) * self.scale + self.positions[: ids.shape[1]])

    def forward(self, source, ids, targets):
        memory, x = self.embed(source), self.embed(ids)
        for layer in self.encoder:
            memory = layer(memory)
        for layer in self.decoder:
            x = layer(x, memory)
        logits = F.linear(x, self.table.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in dict(layers=6, heads=8, width=512, inner=2048, vocab=8000, batch=32,
                              length=32, steps=5, threads=2, warmup=2).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--attention-dropout", type=float, default=0.0)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = Seq2Seq(args).train()
    params = list(model.parameters())
    groups = [{"params": [p for p in params if p.dim() >= 2], "weight_decay": 0.1},
              {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-4, fused=True)

    def step():
        source, ids, targets = torch.randint(0, args.vocab, (3, args.batch, args.length))
        optimizer.zero_grad(set_to_none=True)
        model(source, ids, targets).backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()

    median, best = median_and_best(time_ms(step, args.warmup, args.steps))
    print_json({
        "ms_per_step": median,
        "ms_per_step_best": best,
        "tokens_per_s": 1e3 * 2 * args.batch * args.length / median,
        "peak_rss_mb": peak_rss_mb(),
        "parameters": sum(p.numel() for p in params),
    })


if __name__ == "__main__":
    main()
