"""Builds models of random configurations with transformers and compares them with jogak.

    python3 tests/goldens/check_configurations.py [--jogak build/jogak] [--count 1000] [--jobs N] [FAMILY ...]

Each case is a directory whose config.json was drawn key by key (configurations.py), odd values
included. Both programs read that file: their outputs must be within 1e-4 of the largest number, and
texts the same, token by token. One that refuses says why; reasons are counted, by the key jogak
names. What neither gives the same nor refuses is printed, and makes the exit status 1. Every fourth
model is read again from its files by transformers, too, the others are taken as they were made.
--json FILE: the counts of each family and what was different, written after each family; a later call
with the same --seed, --first and --count takes the families that are whole in it as done.
--seconds N: ends then with what was done, exit status 75 when something is missing.
"""

import argparse
import collections
import functools
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import sys
import time

# Each process computes by itself: more threads would only wait for each other.
os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false",
               "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}  # fmt: skip

from configurations import SPACES

STUCK = 300  # seconds without one answer: a process has died
SPEAK = 15  # seconds between two words about how far it is


def summary(counts, bad):
    """The counts of a family; reasons below who refused."""
    out = {"configurations": sum(counts.values()), "the same": counts["the same"],
           "refused by both": counts["refused by both"], "different": bad}
    for who in ("refused by jogak", "refused by transformers"):
        out[who] = {what.split(": ", 1)[1]: n for what, n in counts.most_common() if what.startswith(who + ": ")}
    return out


def show(family, counts, seconds):
    print(f"{family}: {sum(counts.values())} configurations in {seconds:.0f} s")
    for what, n in sorted(counts.items(), key=lambda one: (":" in one[0], -one[1])):
        print(f"  {n:6} {what}", flush=True)


def table(found):
    """For docs/results.md."""
    print("| family | configurations | the same | refused by both | by jogak alone | by transformers alone | different |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for family, one in found.items():
        alone = [sum(one[who].values()) for who in ("refused by jogak", "refused by transformers")]
        numbers = [one["configurations"], one["the same"], one["refused by both"], *alone, len(one["different"])]
        print(f"| {family} | {' | '.join(map(str, numbers))} |", flush=True)


# What a process of the pool does; transformers is read there alone, once a process.
def prepare():
    import configuration_case

    configuration_case.quiet()


def check_one(program, seed, which):
    import configuration_case

    return configuration_case.check_one(program, seed, which)


def answers(pool, args, family, end):
    """What each case gave, as they end; fewer when the time is over."""
    check = functools.partial(check_one, args.jogak, args.seed)
    cases = [(family, args.first + i) for i in range(args.count)]
    waiting, spoken, heard = pool.imap_unordered(check, cases), time.monotonic(), time.monotonic()
    done = 0
    while done < args.count and time.monotonic() < end:
        try:
            one = waiting.next(timeout=1)
        except multiprocessing.TimeoutError:
            if time.monotonic() - heard > STUCK:
                sys.exit(f"check_configurations.py: {family}: no case ended in {STUCK} s")
            one = None
        if one:
            done, heard = done + 1, time.monotonic()
            yield one
        if time.monotonic() - spoken > SPEAK:
            spoken = time.monotonic()
            print(f"{family}: {done} of {args.count}", file=sys.stderr, flush=True)


def check_family(pool, args, family, end):
    counts, bad, start = collections.Counter(), [], time.monotonic()
    for _, number, what, wrong, config in answers(pool, args, family, end):
        counts[what] += 1
        if wrong:
            bad.append({"number": number, "wrong": wrong, "config": config})
            print(f"{family} {number}: {wrong}\n  {json.dumps(config)}", flush=True)
    show(family, counts, time.monotonic() - start)
    return summary(counts, bad)


def draw_of(args):
    """What the counts of a file belong to."""
    versions = {name: importlib.metadata.version(name) for name in ("transformers", "torch")}
    return versions | {"seed": args.seed, "first": args.first, "count": args.count}


def run(args):
    """{family: summary}"""
    found, end = {}, time.monotonic() + args.seconds
    if args.json and args.json.exists():
        before = json.loads(args.json.read_text())
        if {k: before.get(k) for k in draw_of(args)} == draw_of(args):
            found = {k: v for k, v in before["families"].items() if v["configurations"] == args.count}
    with multiprocessing.get_context("spawn").Pool(args.jobs, prepare) as pool:  # which ends them at the end
        for family in args.families:
            if family in found or time.monotonic() >= end:
                continue
            found[family] = check_family(pool, args, family, end)
            if args.json:
                args.json.write_text(json.dumps(draw_of(args) | {"families": found}, indent=1) + "\n")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY", default=list(SPACES))
    parser.add_argument("--from", dest="start", metavar="FAMILY", help="leave out the families before this one")
    parser.add_argument("--jogak", default=pathlib.Path(__file__).parents[2] / "build" / "jogak")
    parser.add_argument("--count", type=int, default=1000, help="of each family")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after that many")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where the counts are written, too")
    args = parser.parse_args()
    if unknown := {*args.families, *filter(None, [args.start])} - set(SPACES):
        parser.error(f"unknown family: {', '.join(sorted(unknown))}")
    if args.start:
        args.families = args.families[args.families.index(args.start) :]
    found = run(args)
    table(found)
    whole = all(family in found and found[family]["configurations"] == args.count for family in args.families)
    sys.exit(1 if any(one["different"] for one in found.values()) else 0 if whole else 75)


if __name__ == "__main__":
    main()
