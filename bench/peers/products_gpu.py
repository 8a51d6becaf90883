#!/usr/bin/env python3
"""A table of matrix products of a GPU, for `jogak plan --gpu FILE`: bf16, by PyTorch.

    bench/peers/products_gpu.py --name h200 --tflops 989 --memory-gb 141 --memory-gb-s 4800
                                --link-gb-s 450 --network-gb-s 50 >h200.json

The layers of the nine models of docs/scale.md's table, 1.7B to 462B, as tensor-parallel parts of
them: y = x W^T of 4,096 rows and both gradients, each by its own shape. Each share is of --tflops,
from the fastest of five rounds of some milliseconds, after warming up; shapes take turns, so that
the clock of a hot GPU is every shape's. Prints the description of a GPU, of which `moved` is still
the fitted number of the built-in ones.
"""

import argparse
import json
import sys

import torch

# Width, and how many GPUs share a layer.
MODELS = [(2048, 1), (4096, 2), (6144, 4), (8192, 8), (12288, 8), (16384, 8), (18432, 8)]
ROWS, WORDS = 4096, 131072


def shapes():
    """Rows, columns and inner sides of every layer and of its gradients, each once."""
    out = {}
    for width, parts in MODELS:
        layers = [(3 * width // parts, width), (width, width // parts), (4 * width // parts, width),
                  (width, 4 * width // parts), (WORDS // parts, width)]  # fmt: skip
        for columns, inner in layers:
            for shape in ((ROWS, columns, inner), (ROWS, inner, columns), (columns, inner, ROWS)):
                out[shape] = None
    return list(out)


def seconds(rows, columns, inner, budget=0.004):
    """Of one product, by a run of them that takes some milliseconds."""
    a = torch.randn(rows, inner, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(columns, inner, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16)
    times = max(1, int(budget / (2 * rows * columns * inner / 6e14)))
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.mm(a, b.t(), out=out)
    begin.record()
    for _ in range(times):
        torch.mm(a, b.t(), out=out)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", default="gpu")
    for key, value in {"tflops": 989, "memory-gb": 141, "memory-gb-s": 4800, "link-gb-s": 450,
                       "network-gb-s": 50}.items():  # fmt: skip
        parser.add_argument(f"--{key}", type=float, default=value)
    parser.add_argument("--per-machine", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    a = parser.parse_args()
    best = {shape: float("inf") for shape in shapes()}
    for turn in range(a.rounds + 1):
        for shape in best:
            took = seconds(*shape)
            if turn > 0:
                best[shape] = min(best[shape], took)
    gemm = []
    for (rows, columns, inner), took in best.items():
        share = 2e-12 * rows * columns * inner / took / a.tflops
        gemm.append([rows, columns, inner, round(share, 4)])
        print(f"{rows:7} {columns:7} {inner:7}  {share * a.tflops:6.0f} TFLOP/s", file=sys.stderr)
    print(json.dumps({"name": a.name, "tflops": a.tflops, "memory_gb": a.memory_gb, "memory_gb_s": a.memory_gb_s,
                      "link_gb_s": a.link_gb_s, "network_gb_s": a.network_gb_s, "per_machine": a.per_machine,
                      "gemm": gemm}))  # fmt: skip


main()
