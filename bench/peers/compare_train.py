"""Training speed of jogak and PyTorch (eager, CPU), in turn, best of the rounds.

    python compare_train.py [--rounds 3] [--threads 2] [--isa avx2] [--dtype bf16] [--only SETTING]
        [--jogak build/jogak]

Everything in float32, or with --dtype bf16 in bf16: PyTorch by autocast.

A ratio above 1 means that jogak is faster. Writes bench/results/train.json.
"""

import sys

from compare import HERE, ROOT, alternate, gpt2_flags, parser, print_table, write_results

# steps: enough for about ten seconds a run
SETTINGS = {
    "124M 4x64": dict(layers=12, heads=12, width=768, vocab=50257, positions=1024, batch=4,
                      context=64, steps=6),
    "6 layers 384 wide 8x256 vocab 65": dict(layers=6, heads=6, width=384, vocab=65, positions=256,
                                             batch=8, context=256, steps=8),
    "4 layers 128 wide 12x64 vocab 65": dict(layers=4, heads=4, width=128, vocab=65, positions=64,
                                             batch=12, context=64, steps=200),
}  # fmt: skip
# PatchTST as published for many measurements: 128 x 7 series of 42 patches.
SERIES = {
    "PatchTST 128 wide 128x7x42": dict(dropout=0.0, steps=5),
    "PatchTST 128 wide 128x7x42, dropout 0.2": dict(dropout=0.2, steps=5),
}


def gpt2_commands(s, jogak, threads):
    config = {"n_layer": s["layers"], "n_head": s["heads"], "n_embd": s["width"],
              "vocab_size": s["vocab"], "n_positions": s["positions"]}
    peer = [sys.executable, HERE / "train_gpt2_torch.py", "--threads", threads]
    return {
        "jogak": [jogak, "bench", "train", "--family", "gpt2", *gpt2_flags(config),
                  "--batch", s["batch"], "--seq", s["context"], "--steps", s["steps"],
                  "--threads", threads, "--json"],
        "torch": peer + [part for key, value in s.items() for part in (f"--{key}", value)],
    }  # fmt: skip


def series_commands(s, jogak, threads):
    config = {"num_input_channels": 7, "context_length": 344, "padding_patch": "null",
              "positional_dropout": s["dropout"], "path_dropout": s["dropout"],
              "ff_dropout": s["dropout"]}
    flags = [part for key, value in config.items() for part in ("--set", f"{key}={value}")]
    return {
        "jogak": [jogak, "bench", "train", "--family", "patchtst", *flags, "--batch", 128,
                  "--steps", s["steps"], "--threads", threads, "--json"],
        "torch": [sys.executable, HERE / "train_patchtst_torch.py", "--threads", threads,
                  "--dropout", s["dropout"], "--steps", s["steps"]],
    }  # fmt: skip


def commands(name, jogak, threads):
    if name in SERIES:
        return series_commands(SERIES[name], jogak, threads)
    return gpt2_commands(SETTINGS[name], jogak, threads)


def best(results):
    return {"ms_per_step": min(r["ms_per_step"] for r in results),
            "peak_rss_mb": max(r["peak_rss_mb"] for r in results)}


def main():
    options = parser(__doc__.splitlines()[0], SETTINGS | SERIES)
    options.add_argument("--isa", choices=["avx2"], help="without AVX-512, on both sides")
    options.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    args = options.parse_args()
    rows, report = [], {}
    for name in args.only or SETTINGS | SERIES:
        print(name, file=sys.stderr)
        both = {who: command + ["--dtype", args.dtype]
                for who, command in commands(name, args.jogak, args.threads).items()}
        rounds = alternate(both, args.rounds, args.threads, args.isa)
        ours, theirs = best(rounds["jogak"]), best(rounds["torch"])
        ratio = theirs["ms_per_step"] / ours["ms_per_step"]
        report[name] = {"jogak": ours, "torch": theirs, "ratio": ratio, "rounds": rounds}
        rows.append([name, f"{ours['ms_per_step']:.1f}", f"{theirs['ms_per_step']:.1f}",
                     f"{ratio:.2f}", f"{ours['peak_rss_mb']:.0f}", f"{theirs['peak_rss_mb']:.0f}"])
    print_table(["setting", "jogak ms", "torch ms", "ratio", "jogak MB", "torch MB"], rows)
    write_results(args.out or ROOT / "bench/results/train.json", ["torch"], args, report)


if __name__ == "__main__":
    main()
