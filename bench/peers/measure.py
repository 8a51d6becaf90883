"""What the peers share: a clock, the kernel's peak memory, and one line of JSON."""

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
