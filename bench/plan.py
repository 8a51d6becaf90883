#!/usr/bin/env python3
"""`jogak plan` beside our own training: GPT-2 124M in 1, 2, 4 processes of one thread.

    bench/plan.py [PROGRAM] [--counts 1,2] [--texts 2] [--steps 3] [--rounds 1] [--out DIR]

For each number of processes the machine is measured as it is when so many compute: that many
`jogak bench machine --shapes --threads 1` at once, the processors' stretches being those of
--processes, give the peak, the speed of memory and the table of products; a read of another
process's memory gives the link. One number is fitted, what everything but products moves (`moved`),
to a step of another model, a GPT of 10.7M weights. From these `jogak plan --gpu FILE` predicts a
step of GPT-2 124M, TEXTS texts of 256 tokens a process, and `jogak train --processes N` takes one.
Where there are more processes than processors, those take turns (`at_once`). Fails when a
prediction is off by more than 10 %; machine descriptions stay in DIR when it is named.
Each run writes its model at its end: TMPDIR=/dev/shm keeps that off the disk.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import runs

SEQ = 256
SMALL = {"n_layer": 6, "n_head": 6, "n_embd": 384, "n_positions": SEQ, "vocab_size": 256}
GPT2 = {"n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": SEQ, "vocab_size": 50257}


class Piece(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


def link_speed(megabytes=256, rounds=3):
    """GB/s at which a process reads another's memory, the best of some rounds."""
    size = megabytes << 20
    theirs, own = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
    ctypes.memset(theirs, 1, size)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.process_vm_readv.restype = ctypes.c_ssize_t
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.memset(theirs, 2, size)  # pages of its own
        os.write(tell, b"x")
        time.sleep(600)
        os._exit(0)
    os.read(ready, 1)
    best, step = 0, 8 << 20
    try:
        for _ in range(rounds):
            begin = time.monotonic()
            for at in range(0, size, step):
                here = Piece(ctypes.addressof(own) + at, step)
                there = Piece(ctypes.addressof(theirs) + at, step)
                if libc.process_vm_readv(child, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) != step:
                    sys.exit(f"reading another process: {os.strerror(ctypes.get_errno())}")
            best = max(best, size / (time.monotonic() - begin) / 1e9)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    return best


def at_once(count, words):
    """JSON of so many of them at the same time."""
    running = [runs.start([*words, "--threads", "1", "--json"], place) for place in runs.places(count)]
    return [json.loads(runs.finish(one)) for one in running]


def median(all_of, key):
    return statistics.median(one[key] for one in all_of)


def predicted(a, machine, model, count, texts):
    """Seconds of a step, the data divided among so many processes."""
    pathlib.Path("machine.json").write_text(json.dumps(machine))
    pathlib.Path("config.json").write_text(json.dumps({"model_type": "gpt2", **model}))
    out = json.loads(runs.finish(runs.start([
        a.program, "plan", "--gpu", "machine.json", "--model", "config.json", "--gpus", str(count), "--batch",
        str(texts * count * SEQ), "--json"])))  # fmt: skip
    return next(one["step_seconds"] for one in out["choices"] if one["data"] == count)


def measured_machine(a, busy, link):
    """What one of `busy` processes finds when all of them compute."""
    all_of = at_once(busy, [a.program, "bench", "machine", "--shapes"])
    gemm = [[*rows[0][:3], statistics.median(row[3] for row in rows)]
            for rows in zip(*(one["gemm"] for one in all_of))]  # fmt: skip
    out = {"name": f"one of {busy}", "tflops": median(all_of, "gflops_f32") / 1e3, "memory_gb": 64,
           "memory_gb_s": median(all_of, "read_gb_s"), "link_gb_s": link, "network_gb_s": link,
           "per_machine": 1024, "number_bytes": 4, "gemm": gemm,
           "products": statistics.median(row[3] for row in gemm)}  # fmt: skip
    sets = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    small = at_once(busy, [a.program, "bench", "train", "--preset", "small", *sets, "--batch", "1", "--seq", str(SEQ),
                           "--steps", "12"])  # fmt: skip
    seconds = median(small, "ms_per_step") / 1e3
    none, hundred = (predicted(a, {**out, "moved": moved}, SMALL, 1, 1) for moved in (0, 100))
    out["moved"] = max(0, 100 * (seconds - none) / (hundred - none))
    return out


def measured(a, count):
    """Seconds of a step, the best of the rounds."""
    pieces = a.texts * count
    best = max(runs.run_speed(runs.start_run(a.program, pieces, count, pieces, "run"), "run") for _ in range(a.rounds))
    return pieces * SEQ / best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="build/jogak")
    parser.add_argument("--counts", default="1,2")
    parser.add_argument("--texts", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--out")
    a = parser.parse_args()
    a.program = os.path.abspath(a.program)
    processors = len(os.sched_getaffinity(0))
    kept = pathlib.Path(a.out).absolute() if a.out else None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runs.write_recipe(a.program, "base", {"vocab_size": 50257}, a.steps)
        link, bad, machines = link_speed(), False, {}
        print("| processes | peak GFLOP/s | memory GB/s | moved | predicted s | measured s | error |\n"
              "|---|---|---|---|---|---|---|", flush=True)  # fmt: skip
        for count in [int(count) for count in a.counts.split(",")]:
            busy = min(count, processors)
            if busy not in machines:
                machines[busy] = measured_machine(a, busy, link)
            machine = {**machines[busy], "at_once": busy}
            plan = predicted(a, machine, GPT2, count, a.texts)
            if kept:
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"machine-{count}.json").write_text(json.dumps(machine, indent=1) + "\n")
            took = measured(a, count)
            error = plan / took - 1
            bad |= abs(error) > 0.10
            print(f"| {count} | {1e3 * machine['tflops']:.0f} | {machine['memory_gb_s']:.1f} | {machine['moved']:.0f} |"
                  f" {plan:.2f} | {took:.2f} | {error:+.1%} |", flush=True)  # fmt: skip
        print(f"link {link:.1f} GB/s, {runs.cores()} cores, {processors} processors")
        os.chdir("/")
    sys.exit(1 if bad else 0)


main()
