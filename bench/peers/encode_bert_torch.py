"""A pass of BERT's encoder in plain PyTorch (eager, float32, CPU), timed.

    python encode_bert_torch.py --layers 12 --heads 12 --width 768 --vocab 30522 --batch 32 --context 128

Embeddings, layers with norms after the sums, exact GELU, scaled_dot_product_attention, no gradients;
random tokens. Prints one line of JSON: ms_per_pass (median), ms_per_pass_best, examples_per_s (of the
median), peak_rss_mb.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

from measure import median_and_best, peak_rss_mb, print_json, time_ms


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm_1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm_2 = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x):  # [B, T, C]
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2)
                   for t in self.qkv(x).split(C, dim=2))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, C)
        x = self.norm_1(x + self.out(y))
        return self.norm_2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        self.places = nn.Embedding(args.context, args.width)
        self.types = nn.Embedding(2, args.width)
        self.norm = nn.LayerNorm(args.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(args.width, args.heads) for _ in range(args.layers))
        self.pooler = nn.Linear(args.width, args.width)

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]] + self.types.weight[0])
        for layer in self.layers:
            x = layer(x)
        return x, torch.tanh(self.pooler(x[:, 0]))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in dict(layers=12, heads=12, width=768, vocab=30522, batch=32, context=128,
                            steps=10, threads=2).items():
        p.add_argument(f"--{name}", type=int, default=value)
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = Bert(args).eval()
    ids = torch.randint(0, args.vocab, (args.batch, args.context))
    with torch.inference_mode():
        times = time_ms(lambda: model(ids), 3, args.steps)
    median, best = median_and_best(times)
    print_json({"ms_per_pass": median, "ms_per_pass_best": best,
                "examples_per_s": 1e3 * args.batch / median, "peak_rss_mb": peak_rss_mb()})


if __name__ == "__main__":
    main()
