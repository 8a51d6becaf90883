"""Prefill and decoding speed of jogak and transformers (float32, CPU, batch 1), in turn.

    python compare_generate.py [--rounds 3] [--threads 2] [--only SETTING] [--jogak build/jogak]

GPT-2 with random weights; for jogak --seq is the prompt and --steps the tokens after it. The best
of the rounds counts; a ratio above 1 means that jogak is faster. Writes
bench/results/generate.json.
"""

import sys

from compare import HERE, ROOT, alternate, gpt2_flags, parser, print_table, write_results

SETTINGS = {
    "124M 512+64": dict(layers=12, heads=12, width=768, vocab=50257, positions=1024, prompt=512,
                        tokens=64),
    "4 layers 128 wide 32+32 vocab 65": dict(layers=4, heads=4, width=128, vocab=65, positions=64,
                                             prompt=32, tokens=32),
}  # fmt: skip
FASTER_IS_MORE = ("prefill_tokens_per_s", "decode_tokens_per_s")


def commands(s, jogak, threads):
    config = {"n_layer": s["layers"], "n_head": s["heads"], "n_embd": s["width"],
              "vocab_size": s["vocab"], "n_positions": s["positions"]}
    peer = [sys.executable, HERE / "generate_gpt2_transformers.py", "--threads", threads]
    return {
        "jogak": [jogak, "bench", "generate", "--family", "gpt2", *gpt2_flags(config),
                  "--batch", 1, "--seq", s["prompt"], "--steps", s["tokens"],
                  "--threads", threads, "--json"],
        "transformers": peer + [part for key, value in s.items() for part in (f"--{key}", value)],
    }  # fmt: skip


def best(results):
    values = {key: max(r[key] for r in results) for key in FASTER_IS_MORE}
    return values | {"first_token_ms": min(r["first_token_ms"] for r in results)}


def main():
    args = parser(__doc__.splitlines()[0], SETTINGS).parse_args()
    rows, report = [], {}
    for name in args.only or SETTINGS:
        print(name, file=sys.stderr)
        rounds = alternate(commands(SETTINGS[name], args.jogak, args.threads), args.rounds,
                           args.threads)
        ours, theirs = best(rounds["jogak"]), best(rounds["transformers"])
        ratios = {key: ours[key] / theirs[key] for key in FASTER_IS_MORE}
        report[name] = {"jogak": ours, "transformers": theirs, "ratios": ratios, "rounds": rounds}
        row = [name]
        for key in FASTER_IS_MORE:
            row += [f"{ours[key]:.1f}", f"{theirs[key]:.1f}", f"{ratios[key]:.2f}"]
        rows.append(row)
    print_table(["setting", "jogak prefill/s", "transformers", "ratio", "jogak decode/s",
                 "transformers", "ratio"], rows)
    write_results(args.out or ROOT / "bench/results/generate.json", ["torch", "transformers"],
                  args, report)


if __name__ == "__main__":
    main()
