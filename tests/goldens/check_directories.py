"""Runs jogak over directories as people download them and compares every answer with transformers'.

    python3 tests/goldens/check_directories.py [--jogak build/jogak] [--only WORD] [--keep DIR]

Each directory has a published model's files with smaller sizes and random weights (published.py and its
tables). Every command that somebody would run on it is run, and numbers must be within 1e-5 of the
largest, texts the same token by token. Prints a row for each, and the counts; exit status 1 when something differs.
"""

import argparse
import collections
import contextlib
import logging
import os
import pathlib
import sys
import tempfile
import time
import traceback
import warnings

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": "",
               "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}  # fmt: skip

import torch
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

import directory_checks as checks
from published import build
from published_decoders import DECODERS
from published_encoders import ENCODERS
from published_others import OTHERS
from published_translators import TRANSLATORS

DIRECTORIES = [*DECODERS, *ENCODERS, *TRANSLATORS, *OTHERS]
MEMORY = pathlib.Path("/dev/shm")


def check(program, one, folder, seed):
    """(answers compared by check, what is wrong or None)"""
    found = collections.Counter()
    try:
        tokenizer, model = build(one, folder, seed)
        case = checks.Case(program, one, folder, tokenizer, model)
        for name in one.checks:
            found[name] += getattr(checks, name)(case)
    except checks.Refused as said:
        if one.refuses and one.refuses in str(said):
            return collections.Counter(refused=1), None
        return found, f"refused: {said}"
    except Exception as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        return found, f"{type(problem).__name__} ({last.name}): {str(problem)[:600]}"
    return found, f"not refused, wanted {one.refuses}" if one.refuses else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jogak", default=pathlib.Path(__file__).parents[2] / "build" / "jogak")
    parser.add_argument("--only", nargs="*", default=[""], metavar="WORD", help="those whose name or class has one of them")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="leave the directories there")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    set_verbosity_error()
    disable_progress_bar()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    total, wrong, start = collections.Counter(), [], time.monotonic()
    chosen = [one for one in DIRECTORIES if any(word.lower() in f"{one.like} {one.kind}".lower() for word in args.only)]
    for number, one in enumerate(chosen):
        with contextlib.ExitStack() as stack:
            if args.keep:
                folder = args.keep / one.like.replace("/", "--").replace(" ", "-")
                folder.mkdir(parents=True, exist_ok=True)
            else:
                folder = pathlib.Path(stack.enter_context(
                    tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)))  # fmt: skip
            found, why = check(args.jogak, one, folder, args.seed + number)
        total.update(found)
        wrong += [one.like] if why else []
        told = ", ".join(f"{name} {count}" for name, count in found.items())
        why = " ".join((why or "").split())
        print(f"{'DIFFERENT' if why else 'the same '} {one.like} ({one.kind}): {told}{': ' if why else ''}{why}", flush=True)
    print(f"{len(chosen)} directories, {sum(total.values())} answers compared ("
          + ", ".join(f"{name} {count}" for name, count in sorted(total.items()))
          + f"), {len(wrong)} directories differ, {time.monotonic() - start:.0f} s")  # fmt: skip
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
