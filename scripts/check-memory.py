#!/usr/bin/env python3
"""What --dry-run says of a run's memory, beside what the run takes.

    scripts/check-memory.py BINARY [SETTING ...]

Trains each setting for a few steps, with validation and checkpoints, and holds the predicted peak
against the measured one. Prints a table for docs/results.md; fails when one is off by more than 5 %.
"""
import json
import os
import subprocess
import sys
import tempfile

FEW = ["train.steps=3", "train.eval_every=2", "train.checkpoint_every=1"]
WIDE = """
[model]
family = "gpt2"
preset = "small"
n_layer = 6
n_head = 6
n_embd = 384
n_positions = 128
[data]
train = "text.txt"
valid_share = 0.02
[train]
batch = 64
"""
LLAMA = """
[model]
family = "llama"
preset = "tiny"
hidden_size = 256
intermediate_size = 688
num_hidden_layers = 4
max_position_embeddings = 128
[data]
train = "text.txt"
valid_share = 0.02
[train]
batch = 32
accumulate = 4
"""
AVERAGE = WIDE.replace("batch = 64", "batch = 8\naverage = 3\nkeep = 3")
LONG = """
[model]
family = "gpt2"
preset = "tiny"
n_positions = 64
[data]
train = "long.txt"
valid_share = 0.01
[train]
batch = 8
"""
SETTINGS = {
    "gpt2 384 wide, batch 64": (WIDE, []),
    "the same, --recompute": (WIDE, ["train.recompute=true"]),
    "pairs": ("pairs", ["data.source=dates.in", "data.target=dates.out", "train.batch_tokens=4096"]),
    "bert-cls, batch 64": ("bert-cls", ["train.batch=64"]),
    "llama, accumulate 4": (LLAMA, []),
    "average 3, keep 3": (AVERAGE, []),
    "200 MB of text": (LONG, []),
    "vit": ("vit-shapes", []),
    "patchtst": ("patchtst-series", []),
}
WORDS = "the cat sat on a mat and saw two dogs run over that old wooden bridge near our house ".split()


def make_data(folder, binary, long):
    state, text = 1, []
    for _ in range(100_000):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        text.append(WORDS[(state >> 40) % len(WORDS)])
        if len(text) % 12 == 0:
            text.append("\n")
    text = " ".join(text)
    with open(os.path.join(folder, "text.txt"), "w") as file:
        file.write(text)
    if long:
        with open(os.path.join(folder, "long.txt"), "w") as file:
            for _ in range(200_000_000 // len(text) + 1):
                file.write(text)
    dates = subprocess.run([binary, "data", "make", "dates", "-", "--count", "20000"],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    for name, side in (("dates.in", 0), ("dates.out", 1)):
        with open(os.path.join(folder, name), "w") as file:
            file.writelines(line.split(" = ")[side] + "\n" for line in dates)


def measure(binary, folder, recipe, changes, number):
    if recipe.startswith("\n"):
        path = os.path.join(folder, f"recipe-{number}.toml")
        with open(path, "w") as file:
            file.write(recipe)
        recipe = path
    command = [binary, "train", recipe, "--json", "--out", os.path.join(folder, f"run-{number}")]
    for change in FEW + changes:
        command += ["--set", change]

    def answer(extra):
        done = subprocess.run(command + extra, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command + extra)}\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])

    predicted = answer(["--dry-run"])["predicted_peak_mb"]
    return predicted, answer([])["peak_rss_mb"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    bad = 0
    print("| setting | predicted, MB | measured, MB | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        names = [name for name in SETTINGS if not wanted or any(w in name for w in wanted)]
        make_data(folder, binary, any(SETTINGS[name][0] is LONG for name in names))
        for number, name in enumerate(names):
            predicted, measured = measure(binary, folder, *SETTINGS[name], number)
            off = abs(predicted / measured - 1) > 0.05
            bad += off
            print(f"| {name} | {predicted:.1f} | {measured:.1f} | {predicted / measured:.2f} |"
                  f"{' off' if off else ''}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
