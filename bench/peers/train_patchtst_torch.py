"""One training step of transformers' PatchTST (PyTorch, eager, CPU), timed: float32, or bf16 by
autocast.

    python train_patchtst_torch.py --batch 128 --series 7 --width 128 --heads 16 --dropout 0.2

As published: BatchNorm after each sub-layer, learned positions, all patches to the head. Forward,
backward, clipping by the global norm, AdamW; random series. Prints one line of JSON: ms_per_step
(median), ms_per_step_best, examples_per_s (of the median), peak_rss_mb.
"""

import argparse

import torch
from torch import nn
from transformers import PatchTSTConfig, PatchTSTForPrediction

from measure import median_and_best, peak_rss_mb, print_json, time_ms


def make_model(a):
    return PatchTSTForPrediction._from_config(PatchTSTConfig(
        num_input_channels=a.series, context_length=a.context, prediction_length=a.horizon,
        patch_length=a.patch, patch_stride=a.stride, num_hidden_layers=a.layers, d_model=a.width,
        num_attention_heads=a.heads, ffn_dim=a.inner, norm_type="batchnorm", pre_norm=False,
        positional_encoding_type="random", pooling_type=None, activation_function="gelu",
        positional_dropout=a.dropout, path_dropout=a.dropout, ff_dropout=a.dropout,
        attention_dropout=0.0, head_dropout=0.0, loss="mse", do_mask_input=False),
        attn_implementation=a.attention)  # fmt: skip


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in dict(series=7, context=344, horizon=96, patch=16, stride=8, layers=3,
                              width=128, heads=16, inner=256, batch=128, steps=5, threads=2,
                              warmup=2).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--attention", choices=("sdpa", "eager"), default="eager",
                        help="of transformers; on CPUs eager was the faster one")
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--adamw", choices=("fused", "foreach"), default="fused")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = make_model(args).train()
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(params, lr=1e-4, weight_decay=0.1, **{args.adamw: True})
    past = torch.randn(args.batch, args.context, args.series)
    future = torch.randn(args.batch, args.horizon, args.series)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=args.dtype == "bf16"):
            loss = model(past_values=past, future_values=future).loss
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()

    median, best = median_and_best(time_ms(step, args.warmup, args.steps))
    print_json({
        "ms_per_step": median,
        "ms_per_step_best": best,
        "examples_per_s": 1e3 * args.batch / median,
        "peak_rss_mb": peak_rss_mb(),
        "parameters": sum(p.numel() for p in params),
    })


if __name__ == "__main__":
    main()
