"""What the peers share: a clock, the kernel's peak memory, and one line of JSON."""

import argparse
import json
import statistics
import time


def peak_rss_mb():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status: no VmHWM line")


def time_ms(work, warmup, count):
    """Milliseconds of each of `count` calls, after `warmup` calls that are not counted."""
    for _ in range(warmup):
        work()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def median_and_best(times):
    return statistics.median(times), min(times)


def print_json(values):
    print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in values.items()}))


def generation_args(description, types=(), **more):
    """The sizes of a GPT-2, its prompt and what it writes; --type: f32 or one of `types`; more: options of
    one peer with their defaults."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    for name, default in more.items():
        parser.add_argument(f"--{name}", default=default)
    for name, default in dict(layers=12, heads=12, width=768, vocab=50257, positions=1024,
                              prompt=512, tokens=64, rounds=3, threads=2).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    if types:
        parser.add_argument("--type", choices=["f32", *types], default="f32")
    args = parser.parse_args()
    if args.prompt + args.tokens > args.positions:
        parser.error("--prompt and --tokens do not fit into --positions")
    return args


def print_generation(args, rounds):
    """rounds: seconds of the prompt and of the tokens after it; the best of each counts."""
    prefill, decode = (min(seconds) for seconds in zip(*rounds))
    print_json({
        "prefill_tokens_per_s": args.prompt / prefill,
        "decode_tokens_per_s": args.tokens / decode,
        "first_token_ms": 1e3 * prefill,
        "peak_rss_mb": peak_rss_mb(),
    })
