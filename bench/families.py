#!/usr/bin/env python3
"""How fast every family reads, per FLOP, beside the first families of its kind.

    bench/families.py [--jogak build/jogak] [--preset small] [--rounds 3] [--passes 10] [--only NAME ...]

A pass of random weights on one thread, `jogak bench forward`, which counts what its matrix products
and attention were asked for. The time is that of its best pass, so that other work on the
machine counts little; families take turns, and each row is the best of its rounds. The last column is that speed beside the slowest of the first
families of its kind: gpt2, llama and falcon write, seq2seq translates, bert reads, vit sees,
patchtst forecasts. Exits with 1 when a family is more than 10 % slower.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
FIRST = {"writes": ["gpt2", "llama", "falcon"], "translates": ["seq2seq"], "reads": ["bert"],
         "sees": ["vit"], "forecasts": ["patchtst"]}  # fmt: skip
IMAGES = {"vit", "deit", "dinov2", "clip"}


def kinds():
    """Every family of docs/models.md and its kind."""
    out = {}
    for line in (SOURCE / "docs/models.md").read_text().splitlines():
        if row := re.match(r"\| `[^`]+` \| `([a-z][^`]*)` \| ([^|]+) \|", line):
            name, commands = row[1], row[2]
            out[name] = ("translates" if "translate" in commands else  # the laboratory, as it is unless asked
                         "writes" if "generate" in commands else
                         "forecasts" if "forecast" in commands else
                         "sees" if name in IMAGES else "reads")  # fmt: skip
    return out


def measure(jogak, family, kind, preset, passes):
    writes = (2, 128) if preset == "tiny" else (1, 256)  # all the positions that it has
    shape = {"writes": writes, "translates": (4, 128), "reads": (4, 128), "sees": (8, 1),
             "forecasts": (64, 1)}[kind]  # fmt: skip
    more = ["--set", "num_input_channels=7"] if kind == "forecasts" else []
    done = subprocess.run([jogak, "bench", "forward", "--family", family, "--preset", preset, "--batch",
                           str(shape[0]), "--seq", str(shape[1]), "--steps", str(passes), "--threads", "1",
                           "--json", *more], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(f"{family}: {done.stderr.strip()}")
    one = json.loads(done.stdout.splitlines()[-1])
    one["seconds"] = one["ms_per_pass_best"] / 1e3
    one["speed"] = one["gflops_best"]
    return one


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jogak", default=str(SOURCE / "build/jogak"))
    parser.add_argument("--preset", default="small")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    families = kinds()
    if args.only:
        wanted = set(args.only) | {f for n in args.only for f in FIRST[families[n]]}
        families = {n: k for n, k in families.items() if n in wanted}
    best = {}
    for _ in range(args.rounds):
        for name, kind in families.items():
            one = measure(args.jogak, name, kind, args.preset, args.passes)
            if name not in best or one["speed"] > best[name]["speed"]:
                best[name] = one
    slow = []
    print(f"preset {args.preset}, one thread, {next(iter(best.values()))['isa']}, best of "
          f"{args.passes} passes in {args.rounds} rounds\n")  # fmt: skip
    print("| family | parameters | GFLOP a pass | ms | GFLOP/s | beside the first of its kind |")
    print("|---|---|---|---|---|---|")
    for name, one in best.items():
        first = min(best[f]["speed"] for f in FIRST[families[name]])
        share = one["speed"] / first
        if share < 0.9:
            slow.append(name)
        print(f"| `{name}` | {one['parameters']:,} | {one['gflop_per_pass']:.2f} | "
              f"{1e3 * one['seconds']:.1f} | {one['speed']:.0f} | {share:.2f} |")  # fmt: skip
    if slow:
        print(f"\nmore than 10 % slower: {', '.join(slow)}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
