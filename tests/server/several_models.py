#!/usr/bin/env python3
"""Several models within a limit of memory: several_models.py SOURCE JOGAK --models FOLDER.

Three language models of 0.4 MB, of which --memory 1 lets two stay: the one that was not asked for the longest time is closed, and
says the same when it is opened again. --preload has them ready before /health says 200. Prints a line for each claim that holds."""

import pathlib
import re
import shutil
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "web"))
import serving  # noqa: E402: found beside the page's tests

NAMES = ("one", "two", "three")


def say(claim, holds):
    print(("ok    " if holds else "WRONG ") + claim, flush=True)
    if not holds:
        sys.exit(1)


def write(server, name, seed=1):
    return server.post("/v1/completions", {"model": name, "prompt": "b a", "max_tokens": 8, "seed": seed})["choices"][0]["text"]


def ready(server):
    """Models that have a desk: those whose weights are open."""
    return set(re.findall(r'jogak_requests_open\{model="(\w+)"\}', serving.text(server.address + "/metrics")))


def without_limit(jogak, models):
    server = serving.Server(jogak, *models, "--preload")
    try:
        say("--preload: all are ready before the first request", ready(server) == set(NAMES))
        return {name: write(server, name) for name in NAMES}
    finally:
        say("SIGTERM ends it with 0", server.stop() == 0)


def within_limit(jogak, models, expected):
    server = serving.Server(jogak, *models, "--memory", "1")
    try:
        say("without --preload nothing is ready", ready(server) == set())
        for name in ("one", "two", "one", "three"):
            say(f"{name} writes what it writes without a limit", write(server, name) == expected[name])
        say("the least used is closed", ready(server) == {"one", "three"})
        say("it is opened again, and says the same", write(server, "two") == expected["two"])
        say("in place of what is the least used now", ready(server) == {"two", "three"})
        wrong = []
        threads = [threading.Thread(target=lambda name=name: wrong.append(name) if write(server, name) != expected[name] else None)
                   for _ in range(8) for name in NAMES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        say("24 clients who ask for all three at once get what one alone gets", not wrong)
        say("and two stay open", len(ready(server)) == 2)
    finally:
        say("SIGTERM ends it with 0", server.stop() == 0)


def main():
    jogak, runs = sys.argv[2], pathlib.Path(sys.argv[4]) / "runs"
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for name, family in zip(NAMES, ("gpt2", "llama", "falcon")):
            models.append(pathlib.Path(folder) / name)
            shutil.copytree(runs / family, models[-1], ignore=shutil.ignore_patterns("checkpoints", "*.jsonl", "events*"))
        within_limit(jogak, models, without_limit(jogak, models))


if __name__ == "__main__":
    main()
