#!/usr/bin/env python3
"""Weak scaling: one run in 1, 2, 4, 8 and 16 processes of one thread, and what the machine allows.

    bench/scaling.py [PROGRAM] [--counts 1,2,4,8,16] [--batch 16] [--steps 4] [--rounds 3]
                     [--gpt2] [--threads] [--seconds S] [--json FILE]

A GPT of 10.7M weights (--gpt2: GPT-2 124M), BATCH texts of 256 tokens a process and step. Three
figures for each number of processes, in tokens a second over all of them, the best of the rounds,
in which all take turns:

  together     jogak train --processes N: one model, gradients and weights exchanged in every step
  independent  N runs of one process each at the same time, on the processors that --processes N
               gives, which exchange nothing: what memory, caches, clocks and shared cores leave
  slowest      the same if in every step all waited for the slowest of them, as one model must

--threads also measures one process of as many threads, on the same work.

With four steps or more, the share of the time in which the processes of the best run computed: what is
left they waited for the slowest of them, in every step another one; the exchange takes what their
other threads take.

The last columns are together beside N times one process, independent beside the same, and together
beside independent: the exchange and the waiting alone. No new run begins after S seconds, but for
those of the first round. Each run writes its model at its end: TMPDIR=/dev/shm keeps that off the
disk.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import runs


def together(program, batch, count, steps):
    """Tokens a second, and how the processes spent their time (of several, and steps enough)."""
    process = runs.start_run(program, batch * count, count, count, "together")
    shares = runs.share_computed(process, "together", steps) if count > 1 and steps > 3 else None
    return runs.run_speed(process, "together"), shares


def independent(program, batch, count):
    names = [f"alone-{i}" for i in range(count)]
    running = [runs.start_run(program, batch, 1, 1, name, place) for name, place in zip(names, runs.places(count))]
    return [runs.run_speed(process, name) for process, name in zip(running, names)]


def threads(program, batch, count):
    return runs.run_speed(runs.start_run(program, batch * count, 1, count, "threads", threads=count), "threads")


def measure(a, counts):
    """For each count the best together, the independent ones whose sum was the greatest, and the
    best of one process of as many threads."""
    begin, best = time.monotonic(), {count: [0, [], 0, None] for count in counts}
    for turn in range(a.rounds):
        for count in counts:
            if turn > 0 and a.seconds and time.monotonic() - begin > a.seconds:
                return best
            one = best[count]
            speed, shares = together(a.program, a.batch, count, a.steps)
            if speed > one[0]:
                one[0], one[3] = speed, shares
            if count > 1:
                one[1] = max(one[1], independent(a.program, a.batch, count), key=sum)
            if a.threads:
                one[2] = max(one[2], threads(a.program, a.batch, count))
            print(f"round {turn + 1}, {count}: {one[0]:.0f}, {sum(one[1]):.0f}, {one[2]:.0f} tokens/s until now,"
                  f" {time.monotonic() - begin:.0f} s", file=sys.stderr)  # fmt: skip
    return best


def show(best):
    one = best[min(best)][0] / min(best)
    print("| processes | together | independent | slowest | together / N x 1 | independent / N x 1 |"
          " together / independent |\n|---|---|---|---|---|---|---|")  # fmt: skip
    rows = []
    for count, (tokens, alone, of_threads, shares) in best.items():
        alone = alone or [tokens]
        rows.append({"processes": count, "together": tokens, "independent": sum(alone),
                     "slowest": count * min(alone)})  # fmt: skip
        print(f"| {count} | {tokens:.0f} | {sum(alone):.0f} | {count * min(alone):.0f} | {tokens / count / one:.1%} |"
              f" {sum(alone) / count / one:.1%} | {tokens / sum(alone):.1%} |")  # fmt: skip
        if shares:
            rows[-1] |= shares
            print(f"  main threads compute {shares['computing']:.1%} of the time, the busiest {shares['busiest']:.1%}, and wait for"
                  f" the slowest in the rest; all other threads take {shares['exchanging']:.1%}")  # fmt: skip
        if of_threads:
            rows[-1]["threads"] = of_threads
            print(f"  one process of {count} threads: {of_threads:.0f}; together beside it: {tokens / of_threads:.1%}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="build/jogak")
    parser.add_argument("--counts", default="1,2,4,8,16")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gpt2", action="store_true")
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--json")
    a = parser.parse_args()
    a.program = os.path.abspath(a.program)
    report = os.path.abspath(a.json) if a.json else None
    print(f"{len(os.sched_getaffinity(0))} processors on {runs.cores()} cores; {a.batch * 256} tokens a process"
          " and step", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        small = {"n_layer": 6, "n_head": 6, "n_embd": 384}
        model = ("base", {"vocab_size": 50257}) if a.gpt2 else ("small", small)
        runs.write_recipe(a.program, *model, a.steps)
        best = measure(a, [int(count) for count in a.counts.split(",")])
        os.chdir("/")
    rows = show(best)
    if report:
        pathlib.Path(report).write_text(json.dumps(rows, indent=1) + "\n")


main()
