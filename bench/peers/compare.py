"""What the comparisons share: run jogak and a peer in turn, keep the best of each, report."""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
from importlib.metadata import version

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def parser(description, settings):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--jogak", type=pathlib.Path, default=ROOT / "build" / "jogak")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--only", action="append", choices=list(settings), metavar="SETTING",
                   help="one of: " + ", ".join(settings))
    p.add_argument("--out", type=pathlib.Path, help="where the JSON goes")
    return p


# Switches AVX-512 off in jogak, in PyTorch's own kernels, in oneDNN and in MKL.
AVX2 = {"JOGAK_MAX_ISA": "avx2", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}  # fmt: skip


def run_json(command, threads, isa=None):
    """The JSON object a command prints last, on a line of its own."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)} | (AVX2 if isa == "avx2" else {})
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")
    try:
        return json.loads(lines[-1])
    except json.JSONDecodeError as error:
        sys.exit(f"{' '.join(command)}: no JSON: {error}\n{lines[-1]}")


def alternate(commands, rounds, threads, isa=None):
    """{name: [result of each round]}; who goes first changes with the round."""
    results = {name: [] for name in commands}
    for i in range(rounds):
        names = list(commands) if i % 2 == 0 else list(reversed(commands))
        for name in names:
            print(f"  round {i + 1} of {rounds}: {name}", file=sys.stderr, flush=True)
            results[name].append(run_json(commands[name], threads, isa))
    return results


def gpt2_flags(config):
    """--set for every size, and no dropout: the peers have none."""
    config = config | {"resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}
    return [part for key, value in config.items() for part in ("--set", f"{key}={value}")]


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def write_results(path, peer_packages, args, settings):
    path.parent.mkdir(parents=True, exist_ok=True)
    report = {
        "schema": 1,
        "cpu": cpu_name(),
        "threads": args.threads,
        "isa": getattr(args, "isa", None) or "best",
        "rounds": args.rounds,
        "peers": {name: version(name) for name in peer_packages},
        "settings": settings,
    }
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(f"written: {path}", file=sys.stderr)


def print_table(header, rows):
    rows = [header, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for n, row in enumerate(rows):
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        print("| " + " | ".join(cells) + " |")
        if n == 0:
            rules = ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
            print("| " + " | ".join(rules) + " |")
