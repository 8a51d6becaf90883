"""One training step of GPT-2 in plain PyTorch (eager, CPU), timed: float32, or bf16 by autocast.

    python train_gpt2_torch.py --layers 4 --heads 4 --width 128 --vocab 65 --context 64 --batch 12

Forward, backward, clipping by the global norm, AdamW; random tokens, no dropout. Prints one line of
JSON: ms_per_step (median), ms_per_step_best, tokens_per_s (of the median), peak_rss_mb.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

from measure import median_and_best, peak_rss_mb, print_json, time_ms


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.attn_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.c_fc = nn.Linear(width, 4 * width)
        self.mlp_proj = nn.Linear(4 * width, width)

    def forward(self, x):  # [B, T, C]
        B, T, C = x.shape
        qkv = self.c_attn(self.ln_1(x)).split(C, dim=2)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in qkv)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # [B, H, T, D]
        x = x + self.attn_proj(y.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.wte = nn.Embedding(args.vocab, args.width)
        self.wpe = nn.Embedding(args.positions, args.width)
        self.h = nn.ModuleList(Block(args.width, args.heads) for _ in range(args.layers))
        self.ln_f = nn.LayerNorm(args.width)
        for p in self.parameters():
            if p.dim() >= 2:
                nn.init.normal_(p, std=0.02)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for block in self.h:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)  # the head is the embedding
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def make_optimizer(model, kind):
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=3e-4, betas=(0.9, 0.95), **{kind: True})


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in dict(layers=12, heads=12, width=768, vocab=50257, context=64, batch=4,
                              steps=5, threads=2, warmup=2).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--positions", type=int, help="rows of wpe (default: the context)")
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--adamw", choices=("fused", "foreach"), default="fused")
    args = parser.parse_args()
    args.positions = args.positions or args.context
    if args.positions < args.context:
        parser.error("--positions is less than --context")
    return args


def main():
    args = parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = Gpt2(args)
    params = list(model.parameters())
    optimizer = make_optimizer(model, args.adamw)

    def step():
        tokens = torch.randint(0, args.vocab, (args.batch, args.context + 1))
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=args.dtype == "bf16"):
            loss = model(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()

    median, best = median_and_best(time_ms(step, args.warmup, args.steps))
    print_json({
        "ms_per_step": median,
        "ms_per_step_best": best,
        "tokens_per_s": 1e3 * args.batch * args.context / median,
        "peak_rss_mb": peak_rss_mb(),
        "parameters": sum(p.numel() for p in params),
    })


if __name__ == "__main__":
    main()
