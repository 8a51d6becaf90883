"""Prefill and decoding speed of jogak, transformers and llama.cpp (float32, CPU, batch 1), in turn.

    python compare_generate.py [--rounds 3] [--threads 2] [--only SETTING] [--jogak build/jogak]

GPT-2 with random weights; for jogak --seq is the prompt and --steps the tokens after it. The best
of the rounds counts; a ratio above 1 means that jogak is faster. llama.cpp takes part where
llama-cpp-python and gguf are installed. Writes bench/results/generate.json.
"""

import sys
from importlib.util import find_spec

from compare import HERE, ROOT, alternate, gpt2_flags, parser, print_table, write_results

SETTINGS = {
    "124M 512+64": dict(layers=12, heads=12, width=768, vocab=50257, positions=1024, prompt=512,
                        tokens=64),
    "4 layers 128 wide 32+32 vocab 65": dict(layers=4, heads=4, width=128, vocab=65, positions=64,
                                             prompt=32, tokens=32),
}  # fmt: skip
PEERS = ["transformers"] + ["llama"] * (find_spec("llama_cpp") is not None)
FASTER_IS_MORE = ("prefill_tokens_per_s", "decode_tokens_per_s")


def commands(s, jogak, threads):
    config = {"n_layer": s["layers"], "n_head": s["heads"], "n_embd": s["width"],
              "vocab_size": s["vocab"], "n_positions": s["positions"]}
    sizes = [part for key, value in s.items() for part in (f"--{key}", value)]
    peers = {name: [sys.executable, HERE / f"generate_gpt2_{name}.py", "--threads", threads, *sizes]
             for name in PEERS}
    return {
        "jogak": [jogak, "bench", "generate", "--family", "gpt2", *gpt2_flags(config),
                  "--batch", 1, "--seq", s["prompt"], "--steps", s["tokens"],
                  "--threads", threads, "--json"],
    } | peers  # fmt: skip


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
        ours = best(rounds["jogak"])
        report[name] = {"jogak": ours, "rounds": rounds}
        for peer in PEERS:
            theirs = best(rounds[peer])
            ratios = {key: ours[key] / theirs[key] for key in FASTER_IS_MORE}
            report[name][peer] = theirs | {"ratios": ratios}
            row = [name, peer]
            for key in FASTER_IS_MORE:
                row += [f"{ours[key]:.1f}", f"{theirs[key]:.1f}", f"{ratios[key]:.2f}"]
            rows.append(row)
    print_table(["setting", "peer", "jogak prefill/s", "peer's", "ratio", "jogak decode/s",
                 "peer's", "ratio"], rows)
    packages = ["torch", "transformers"] + ["llama-cpp-python"] * ("llama" in PEERS)
    write_results(args.out or ROOT / "bench/results/generate.json", packages, args, report)


if __name__ == "__main__":
    main()
