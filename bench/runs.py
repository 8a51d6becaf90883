"""What bench/scaling.py and bench/plan.py share: where processes stay, and short runs that are timed."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

RECIPE = """[model]
family = "gpt2"
preset = "{preset}"
{model}n_positions = 256
embd_pdrop = 0.0
attn_pdrop = 0.0
resid_pdrop = 0.0
[tokenizer]
type = "char"
[data]
kind = "text"
train = "dates.txt"
valid_share = 0.01
[train]
steps = {steps}
log_every = 1
"""


def topology(processor, what, otherwise):
    file = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/{what}")
    return int(file.read_text()) if file.exists() else otherwise


def core(processor):
    return topology(processor, "physical_package_id", 0), topology(processor, "core_id", processor)


def cores():
    return len({core(one) for one in os.sched_getaffinity(0)})


def places(count):
    """The stretch of processors that --processes gives each process (src/group/cores.cpp)."""
    own = sorted(os.sched_getaffinity(0), key=lambda one: (core(one), one))
    if count > len(own):
        return [set(own)] * count
    out = [set() for _ in range(count)]
    for i, one in enumerate(own):
        out[i * count // len(own)].add(one)
    return out


def start(words, processors=None):
    stay = (lambda: os.sched_setaffinity(0, processors)) if processors else None
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=stay)  # fmt: skip


def finish(process):
    """What it has printed; the end of everything when it failed."""
    out, said = process.communicate()
    if process.returncode:
        sys.exit(f"{' '.join(process.args)}: {said.strip()}")
    return out


def write_recipe(program, preset, model, steps):
    """recipe.toml and its data, in this folder."""
    finish(start([program, "data", "make", "dates", "dates.txt", "--count", "20000"]))
    settings = "".join(f"{key} = {value}\n" for key, value in model.items())
    pathlib.Path("recipe.toml").write_text(RECIPE.format(preset=preset, model=settings, steps=steps))


def start_run(program, batch, count, pieces, out, processors=None, threads=1):
    return start([program, "train", "recipe.toml", "--threads", str(threads), "--batch", str(batch), "--processes",
                  str(count), "--set", f"train.micro_batches={pieces}", "--out", out, "--overwrite"], processors)  # fmt: skip


def processes_of(pid):
    """It and those that it began."""
    out = [pid]
    for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in file.read_text().split():
            out += processes_of(int(child))
    return out


def computed(pid):
    """Seconds for which the busiest thread of a process and all the others have run."""
    own = [int(file.read_text().split()[0]) / 1e9 for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return max(own), sum(own) - max(own)


def share_computed(process, out, steps):
    """Of a run in several processes, between its second step and the last but one: the share of the
    time in which their main threads run, on average and of the busiest, and that in which all their
    other threads do."""
    metrics = pathlib.Path(out) / "metrics.jsonl"

    def wait_for(step):
        while process.poll() is None and (not metrics.exists() or metrics.read_text().count("tokens_per_s") < step):
            time.sleep(0.01)

    wait_for(2)
    if process.poll() is not None:
        return None
    own = [pid for pid in processes_of(process.pid) if pid != process.pid]
    begin, before = time.monotonic(), [computed(pid) for pid in own]
    wait_for(steps - 1)
    if process.poll() is not None:
        return None
    seconds, after = time.monotonic() - begin, [computed(pid) for pid in own]
    main = [(b[0] - a[0]) / seconds for a, b in zip(before, after)]
    others = [(b[1] - a[1]) / seconds for a, b in zip(before, after)]
    return {"computing": statistics.mean(main), "busiest": max(main), "exchanging": statistics.mean(others)}


def run_speed(process, out):
    """Tokens a second of a run when it has ended: the median of its steps but for the first."""
    finish(process)
    lines = [json.loads(line) for line in open(f"{out}/metrics.jsonl")]
    shutil.rmtree(out)  # gigabytes of weights
    return statistics.median([one["tokens_per_s"] for one in lines if "tokens_per_s" in one][1:])
