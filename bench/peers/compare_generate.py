"""Prefill and decoding speed of jogak, transformers and llama.cpp (CPU, batch 1), in turn.

    python compare_generate.py [--rounds 3] [--threads 2] [--only SETTING] [--type f32] [--jogak build/jogak]

GPT-2 with random weights; for jogak --seq is the prompt and --steps the tokens after it. --type
(f32, bf16, q8, q4; several times) is what weights are kept in: of llama.cpp BF16, Q8_0 and Q4_0;
transformers takes part in f32. The best of the rounds counts; a ratio above 1 means that jogak is
faster. llama.cpp takes part where gguf and llama-cpp-python, or else xllamacpp, are installed.
Writes bench/results/generate.json.
"""

import pathlib
import subprocess
import sys
import tempfile
from importlib.util import find_spec

from compare import HERE, ROOT, alternate, gpt2_flags, parser, print_table, write_results

SETTINGS = {
    "124M 512+64": dict(layers=12, heads=12, width=768, vocab=50257, positions=1024, prompt=512,
                        tokens=64),
    "4 layers 128 wide 32+32 vocab 65": dict(layers=4, heads=4, width=128, vocab=65, positions=64,
                                             prompt=32, tokens=32),
}  # fmt: skip
LLAMA = next((name for name in ("llama_cpp", "xllamacpp") if find_spec(name)), None)
TYPES = ("f32", "bf16", "q8", "q4")
FASTER_IS_MORE = ("prefill_tokens_per_s", "decode_tokens_per_s")


def peers_of(kind):
    return ["transformers"] * (kind == "f32") + ["llama"] * (LLAMA is not None)


def jogak_model(s, kind, jogak, folder):
    """The words that say what jogak runs: sizes, or a directory of small integers."""
    config = gpt2_flags({"n_layer": s["layers"], "n_head": s["heads"], "n_embd": s["width"],
                         "vocab_size": s["vocab"], "n_positions": s["positions"]})
    if kind in ("f32", "bf16"):
        return ["--family", "gpt2", *config, "--dtype", kind]
    floats, small = f"{folder}/floats", f"{folder}/{kind}"
    if not pathlib.Path(floats).exists():
        subprocess.run([jogak, "new", floats, "--family", "gpt2", *config], check=True)
    if not pathlib.Path(small).exists():
        subprocess.run([jogak, "quantize", floats, small, "--type", kind], check=True,
                       stdout=subprocess.DEVNULL)
    return ["--model", small]


def commands(s, kind, jogak, threads, folder):
    sizes = [part for key, value in s.items() for part in (f"--{key}", value)]
    peers = {name: [sys.executable, HERE / f"generate_gpt2_{name}.py", "--threads", threads, *sizes]
             for name in peers_of(kind)}
    if "llama" in peers:
        peers["llama"] += ["--type", kind]
    return {
        "jogak": [jogak, "bench", "generate", *jogak_model(s, kind, jogak, folder),
                  "--batch", 1, "--seq", s["prompt"], "--steps", s["tokens"],
                  "--threads", threads, "--json"],
    } | peers  # fmt: skip


def best(results):
    values = {key: max(r[key] for r in results) for key in FASTER_IS_MORE}
    return values | {"first_token_ms": min(r["first_token_ms"] for r in results)}


def compared(name, kind, args, folder, report):
    """The rows of one setting and type."""
    print(name, kind, file=sys.stderr)
    rounds = alternate(commands(SETTINGS[name], kind, args.jogak, args.threads, folder),
                       args.rounds, args.threads)
    ours = best(rounds["jogak"])
    found = report[f"{name}, {kind}"] = {"jogak": ours, "rounds": rounds}
    rows = []
    for peer in peers_of(kind):
        theirs = best(rounds[peer])
        ratios = {key: ours[key] / theirs[key] for key in FASTER_IS_MORE}
        found[peer] = theirs | {"ratios": ratios}
        row = [f"{name}, {kind}", peer]
        for key in FASTER_IS_MORE:
            row += [f"{ours[key]:.1f}", f"{theirs[key]:.1f}", f"{ratios[key]:.2f}"]
        rows.append(row)
    return rows


def main():
    p = parser(__doc__.splitlines()[0], SETTINGS)
    p.add_argument("--type", action="append", choices=TYPES)
    args = p.parse_args()
    rows, report = [], {}
    for name in args.only or SETTINGS:
        with tempfile.TemporaryDirectory() as folder:
            for kind in args.type or ["f32"]:
                rows += compared(name, kind, args, folder, report)
    print_table(["setting", "peer", "jogak prefill/s", "peer's", "ratio", "jogak decode/s",
                 "peer's", "ratio"], rows)
    packages = ["torch", "transformers"] + [LLAMA.replace("llama_cpp", "llama-cpp-python")] * bool(LLAMA)
    write_results(args.out or ROOT / "bench/results/generate.json", packages, args, report)


if __name__ == "__main__":
    main()
