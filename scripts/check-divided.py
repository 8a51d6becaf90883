#!/usr/bin/env python3
"""Models whose layers are divided among processes: the same text, and less memory in each.

    scripts/check-divided.py BINARY

Writes with a GPT-2 and a LLaMA of some hundred megabytes in 1, 2 and 4 processes. Fails unless the
texts are equal, what each process takes falls, and --dry-run is within 10 % of the largest of them.
"""
import json
import os
import subprocess
import sys
import tempfile

MODELS = {
    "gpt2": ["n_layer=12", "n_head=16", "n_embd=1024", "n_positions=256"],
    "llama": ["num_hidden_layers=12", "num_attention_heads=16", "num_key_value_heads=8",
              "hidden_size=1024", "intermediate_size=4096", "max_position_embeddings=256"],
}
PROMPT = "1 Jan 2020 = "


def run(*words):
    """Its standard output, and the most that one process of it took, in MB."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # so that getrusage counts these processes alone
        os.dup2(write, 1)
        os.execv(words[0], words)
    os.close(write)
    with os.fdopen(read) as pipe:
        out = pipe.read()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(words)}")
    return out, usage.ru_maxrss * 1024 / 1e6


def main():
    binary = os.path.abspath(sys.argv[1])
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True)
        make("data", "make", "dates", "dates.txt")
        make("tokenizer", "train", "--type", "bpe", "--vocab-size", "400", "--files", "dates.txt",
             "--out", "tok")
        print("| model | processes | predicted MB | taken MB | off by |\n|---|---|---|---|---|")
        for family, settings in MODELS.items():
            sets = [word for setting in settings for word in ("--set", setting)]
            make("new", family, "--family", family, "--preset", "tiny", *sets, "--tokenizer", "tok")
            texts, before = set(), None
            for count in ("1", "2", "4"):
                words = [binary, "generate", family, "-p", PROMPT, "-n", "24", "--temp", "0",
                         "--processes", count]
                text, taken = run(*words)
                texts.add(text)
                if count == "1":  # whole: nothing is predicted
                    print(f"| {family} | 1 | | {taken:.0f} | |", flush=True)
                    before = taken
                    continue
                predicted = json.loads(run(*words, "--dry-run", "--json")[0])["predicted_peak_mb"]
                off = predicted / taken - 1
                print(f"| {family} | {count} | {predicted:.0f} | {taken:.0f} | {100 * off:+.1f} % |",
                      flush=True)
                bad |= abs(off) > 0.10 or taken > 0.75 * before
                before = taken
            bad |= len(texts) != 1
            print(f"{family}: {'one text' if len(texts) == 1 else 'texts differ'}")
    sys.exit(1 if bad else 0)


main()
