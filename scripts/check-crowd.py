#!/usr/bin/env python3
"""Eight commands at once on this machine, against the same eight one after the other.

    scripts/check-crowd.py [build/jogak] [--commands 8] [--rounds 3]

Each trains, reads or writes with as many threads as there are processors, so that at once there are
eight times as many threads: whoever waits must sleep. Prints both times and their ratio for each
kind of work, the best of the rounds; fails where at once takes more than 1.3 times as long."""

import argparse
import subprocess
import sys
import time

WORK = {
    "train": ["train", "--family", "gpt2", "--preset", "tiny", "--batch", "4", "--seq", "64", "--steps", "20"],
    "forward": ["forward", "--family", "bert", "--preset", "small", "--batch", "8", "--seq", "64", "--steps", "40"],
    "generate": ["generate", "--family", "gpt2", "--preset", "small", "--seq", "32", "--steps", "200"],
}  # fmt: skip
MOST = 1.3


def start(program, words):
    return subprocess.Popen([program, "bench", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process):
    said = process.communicate()[1]
    if process.returncode:
        sys.exit(f"{' '.join(process.args)}: {said.strip()}")


def seconds(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="build/jogak")
    parser.add_argument("--commands", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    worst = 0.0

    def one_after_the_other(words):
        for _ in range(a.commands):
            finish(start(a.program, words))

    def at_once(words):
        for process in [start(a.program, words) for _ in range(a.commands)]:
            finish(process)

    for name, words in WORK.items():
        turns, together = [], []
        for _ in range(a.rounds):
            turns.append(seconds(lambda: one_after_the_other(words)))
            together.append(seconds(lambda: at_once(words)))
        ratio = min(together) / min(turns)
        worst = max(worst, ratio)
        print(f"{name}: {a.commands} one after the other {min(turns):.2f} s, at once {min(together):.2f} s, {ratio:.2f} times as long", flush=True)
    return 1 if worst > MOST else 0


sys.exit(main())
