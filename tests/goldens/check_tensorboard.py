"""Reads a run's TensorBoard events and compares them with its metrics.jsonl.

    python check_tensorboard.py RUN_DIR
    python check_tensorboard.py EVENTS_FILE metrics.jsonl

Every number of metrics.jsonl must be there under its key as tag and its step, equal but for the
rounding to float32, and the events must hold nothing else. Prints each tag with its count and last
value. Exit status: 0 agreed, 1 not.
"""

import argparse
import json
import math
import pathlib
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

ROUNDING = 2.0**-24  # of a value, when a double becomes a float32
NOT_A_METRIC = ("schema", "step")


def read_events(path):
    events = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    if other := events.Tags()["tensors"]:
        print(f"tensors, not scalars: {other}", file=sys.stderr)
    return {tag: {e.step: e.value for e in events.Scalars(tag)}
            for tag in events.Tags()["scalars"]}


def read_metrics(path):
    """{key: {step: value}}; of a step written twice (a resumed run) the last line counts."""
    metrics = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        for key, value in record.items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if key not in NOT_A_METRIC and number:
                metrics.setdefault(key, {})[record["step"]] = value
    return metrics


def compare(events, metrics):
    problems = []
    for tag in sorted(events.keys() | metrics.keys()):
        ours, theirs = metrics.get(tag, {}), events.get(tag, {})
        if ours.keys() != theirs.keys():
            steps = sorted(ours.keys() ^ theirs.keys())
            problems.append(f"{tag}: steps in one file only: {steps[:10]}")
        for step in sorted(ours.keys() & theirs.keys()):
            a, b = ours[step], theirs[step]
            if not math.isclose(a, b, rel_tol=2 * ROUNDING, abs_tol=1e-37):
                problems.append(f"{tag}: step {step}: metrics.jsonl {a!r}, events {b!r}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("events", type=pathlib.Path, metavar="RUN_DIR or EVENTS_FILE")
    parser.add_argument("metrics", type=pathlib.Path, nargs="?", metavar="metrics.jsonl")
    args = parser.parse_args()
    if args.metrics is None and not args.events.is_dir():
        parser.error("an events file alone: name its metrics.jsonl too")
    events = read_events(args.events)
    metrics = read_metrics(args.metrics or args.events / "metrics.jsonl")
    for tag, values in sorted(events.items()):
        last = max(values)
        print(f"{tag}: {len(values)} values, at step {last}: {values[last]:.6g}")
    problems = compare(events, metrics)
    if not events:
        problems.append(f"{args.events}: no scalars")
    for problem in problems[:20]:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
