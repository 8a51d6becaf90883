#!/usr/bin/env python3
"""How time per token and peak memory grow with width, depth, length and vocabulary.

    python3 bench/growth.py                    measures everything in a few minutes, writes the docs
    python3 bench/growth.py --sweep length     measures one sweep; the others stay as they were
    python3 bench/growth.py --again            measures points above 1.3 times the floor once more
    python3 bench/growth.py --quick            tiny settings, to see that it works; writes no docs
    python3 bench/growth.py --write            writes table and picture from the last figures

Figures are kept in build/growth.json; table and picture go into docs/performance.md, between the
markers, and docs/pictures/growth.svg. Python's standard library is enough.

The floor of a step = FLOPs / measured fp32 peak + bytes / measured read bandwidth. Both are
measured by `jogak bench machine` just before and just after each point, and the higher counts. Of
a point that was measured more than once the fastest stays, with the peaks measured around it; how
often it was measured and what it was the first time stay as well, and are told.

    FLOPs of matrices    6 N (12 C^2 layers + V C)              2 forward, 4 backward, N tokens
    FLOPs of attention   7 B layers C T (T + 1)                 2 products forward, 5 backward
    bytes                44 P                                   P parameters

A product of attention has half of T x T places (no token looks ahead), 2 FLOPs for each of the C
columns. Backward has four of them and makes the scores once more: memory that is linear in T
cannot keep them. A parameter is read forward (4 bytes) and backward (4), its gradient is written
(4) and read for the norm (4), and AdamW reads weight, gradient and two moments and writes three (28).
Activations count nothing: they may stay in caches. An encoder that only reads: 2 N (12 C^2 layers +
C^2 + V C) + 4 B layers C T^2 FLOPs and 4 P bytes.
"""
import argparse
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "docs", "performance.md")
PICTURE = os.path.join(ROOT, "docs", "pictures", "growth.svg")
BEGIN, END = "<!-- growth: begin, written by bench/growth.py -->", "<!-- growth: end -->"
WANTED = 1.3

# One of these grows, the others stay; heads are 64 wide.
BASE = {"width": 256, "depth": 2, "length": 256, "vocab": 1024, "batch": 4}
SWEEPS = {
    "width": [64, 128, 256, 512, 1024, 2048],
    "depth": [1, 2, 4, 8, 16],
    "length": [64, 128, 256, 512, 1024, 2048, 4096],
    "vocab": [256, 1024, 4096, 16384, 65536],
    "read": [64, 128, 256, 512, 1024, 2048, 4096],
}
QUICK = {"width": [64, 128], "depth": [1, 2], "length": [64, 128], "vocab": [256, 512],
         "read": [64, 128]}
TITLES = {"width": "width", "depth": "layers", "length": "length", "vocab": "vocabulary",
          "read": "length, reading only"}


def jogak(binary, *arguments):
    done = subprocess.run([binary, "bench", *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"growth: {' '.join(arguments)} ended with {done.returncode}")
    return json.loads(done.stdout)


def settings_of(sweep, value):
    s = dict(BASE)
    s["length" if sweep == "read" else sweep] = value
    return s


def model_arguments(s, read):
    heads = max(1, s["width"] // 64)
    if read:
        keys = {"num_hidden_layers": s["depth"], "num_attention_heads": heads,
                "hidden_size": s["width"], "intermediate_size": 4 * s["width"],
                "vocab_size": s["vocab"], "max_position_embeddings": s["length"]}
    else:
        keys = {"n_layer": s["depth"], "n_head": heads, "n_embd": s["width"],
                "n_positions": s["length"], "vocab_size": s["vocab"],
                "embd_pdrop": 0, "attn_pdrop": 0, "resid_pdrop": 0}
    out = ["--family", "bert" if read else "gpt2", "--preset", "tiny",
           "--batch", str(s["batch"]), "--seq", str(s["length"])]
    for key, setting in keys.items():
        out += ["--set", f"{key}={setting}"]
    return out


def floor_of(s, parameters, read):
    """FLOPs and bytes of one step."""
    tokens, C, T = s["batch"] * s["length"], s["width"], s["length"]
    if read:
        matrices = 12 * C * C * s["depth"] + C * C + s["vocab"] * C
        return 2 * tokens * matrices + 4 * s["batch"] * s["depth"] * C * T * T, 4 * parameters
    matrices = 12 * C * C * s["depth"] + s["vocab"] * C
    return (6 * tokens * matrices + 7 * s["batch"] * s["depth"] * C * T * (T + 1), 44 * parameters)


def steps_for(s):
    """Enough steps for a good best one, in about the same time for every point."""
    flops, _ = floor_of(s, 0, False)
    return int(min(60, max(5, 4e11 / flops)))


def measure(binary, sweep, value, quick):
    s, read = settings_of(sweep, value), sweep == "read"
    steps = "2" if quick else str(steps_for(s))
    before = jogak(binary, "machine")
    got = jogak(binary, "forward" if read else "train", *model_arguments(s, read), "--steps", steps)
    after = jogak(binary, "machine")
    point = {"value": value, "batch": s["batch"], "length": s["length"]}
    point["parameters"] = got["parameters"]
    point["ms"] = got["ms_per_pass_best" if read else "ms_per_step_best"]
    point["peak_mb"] = got["peak_rss_mb"]
    for key in ("gflops_f32", "read_gb_s"):
        point[key] = max(before[key], after[key])
    flops, moved = floor_of(s, got["parameters"], read)
    point["flops"], point["bytes"] = flops, moved
    point["floor_ms"] = 1e3 * (flops / (1e9 * point["gflops_f32"]) +
                               moved / (1e9 * point["read_gb_s"]))
    if sweep in ("depth", "length"):
        again = jogak(binary, "train", *model_arguments(s, read), "--steps", "1", "--recompute")
        point["recomputed_mb"] = again["peak_rss_mb"]
    return point


def tokens_of(point):
    return point["batch"] * point["length"]


def us_per_token(point, key="ms"):
    return 1e3 * point[key] / tokens_of(point)


def straightness(points):
    """Peak memory over length: MB per 1,000 tokens, and how far a point is off the line at most."""
    xs, ys = [p["value"] for p in points], [p["peak_mb"] for p in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    off = max(abs(y - (my + slope * (x - mx))) / y for x, y in zip(xs, ys))
    return 1e3 * slope, off


def table(sweep, points):
    again = "recomputed_mb" in points[0]
    head = [TITLES[sweep], "tokens", "parameters", "µs a token", "floor", "ratio", "GFLOP/s of peak",
            "GB/s", "peak MB"] + (["with --recompute"] if again else [])
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    for p in points:
        ratio, speed = p["ms"] / p["floor_ms"], 1e-6 * p["flops"] / p["ms"]
        us, least = us_per_token(p), us_per_token(p, "floor_ms")
        row = [f"{p['value']:,}", f"{p['batch']} x {p['length']}", f"{p['parameters']:,}",
               f"{us:,.1f}", f"{least:,.1f}",
               f"**{ratio:.2f}**" if ratio <= WANTED else f"{ratio:.2f}",
               f"{speed:.0f} of {p['gflops_f32']:.0f}", f"{p['read_gb_s']:.0f}",
               f"{p['peak_mb']:.0f}"]
        if again:
            row.append(f"{p['recomputed_mb']:.0f}")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def verdicts(results):
    out = []
    wide = [(p["ms"] / p["floor_ms"], p["first_ratio"], f"{TITLES[sweep]} {p['value']:,}", p["tries"])
            for sweep in results for p in results[sweep] if sweep != "width" or p["value"] >= 256]
    if wide:
        worst, best = max(wide), min(wide)
        within, at_first = (sum(p[i] <= WANTED for p in wide) for i in (0, 1))
        out.append(f"From width 256 up {within} of {len(wide)} points are within {WANTED} times the "
                   f"floor, between {best[0]:.2f} ({best[2]}) and {worst[0]:.2f} ({worst[2]}).")
        if max(p[3] for p in wide) > 1:
            slowest = max(wide, key=lambda p: p[1])
            out.append(f"Measured once, {at_first} of them were, the worst at {slowest[1]:.2f} "
                       f"({slowest[2]}); only points above {WANTED} were measured again, up to "
                       f"{max(p[3] for p in wide)} times in all, and the fastest counts.")
    if len(results.get("length", [])) > 2:
        slope, off = straightness(results["length"])
        out.append(f"Peak memory over length is a straight line, {slope:.0f} MB for 1,000 "
                   f"more tokens in each of {results['length'][0]['batch']} texts; no point is further from it "
                   f"than {100 * off:.0f} %.")
    return "\n".join(out)


class Plot:
    """One panel with logarithmic axes."""

    def __init__(self, x, y, width, height):
        self.x, self.y, self.width, self.height, self.parts = x, y, width, height, []

    def line(self, a, b, colour, dash=""):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
                          f'stroke="{colour}" stroke-width="1"{more}/>')

    def text(self, x, y, words, size=11, anchor="middle", weight=""):
        more = f' font-weight="{weight}"' if weight else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="#222222"{more}>{words}</text>')

    def place(self, value, low, high, start, length):
        share = (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
        return start + share * length

    def draw(self, title, xs, lines):
        """lines: (values, colour, dash, name)."""
        every = [v for values, *_ in lines for v in values]
        low = 10 ** math.floor(math.log10(min(every)))
        high = 10 ** math.ceil(math.log10(max(every) * 1.0001))
        left, bottom = self.x, self.y + self.height
        column = lambda v: self.place(v, xs[0], xs[-1], left + 8, self.width - 16)
        row = lambda v: self.place(v, low, high, bottom, -self.height)
        self.text(left, self.y - 10, title, 13, "start", "bold")
        tick = low
        while tick <= high * 1.001:
            self.line((left, row(tick)), (left + self.width, row(tick)),
                      "#555555" if tick == low else "#dddddd")
            self.text(left - 6, row(tick) + 4, f"{tick:,.0f}" if tick >= 1 else f"{tick:g}", 11, "end")
            tick *= 10
        for i, x in enumerate(xs):
            if len(xs) < 6 or i % 2 == 0:
                self.text(column(x), bottom + 16, f"{x:,}" if x < 10000 else f"{x // 1024}k")
        for values, colour, dash, name in lines:
            points = " ".join(f"{column(x):.1f},{row(v):.1f}" for x, v in zip(xs, values))
            more = f' stroke-dasharray="{dash}"' if dash else ""
            self.parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{more} '
                              f'points="{points}"><title>{name}</title></polyline>')
            if not dash:
                self.parts += [f'<circle cx="{column(x):.1f}" cy="{row(v):.1f}" r="3" fill="{colour}">'
                               f"<title>{x:,}: {v:.4g}</title></circle>" for x, v in zip(xs, values)]


def picture(results):
    sweeps = [s for s in SWEEPS if s in results and len(results[s]) > 1]
    wide, high, gap = 150, 150, 62
    width, height = 70 + len(sweeps) * (wide + gap), 460
    parts = []
    for i, sweep in enumerate(sweeps):
        points = results[sweep]
        xs, left = [p["value"] for p in points], 62 + i * (wide + gap)
        top = Plot(left, 62, wide, high)
        top.draw(f"{TITLES[sweep]}", xs,
                 [([us_per_token(p, "floor_ms") for p in points], "#b5541c", "5 4", "floor"),
                  ([us_per_token(p) for p in points], "#1f5fa8", "", "measured")])
        low = Plot(left, 272, wide, high)
        lines = [([p["peak_mb"] for p in points], "#1f5fa8", "", "peak memory")]
        if "recomputed_mb" in points[0]:
            lines.append(([p["recomputed_mb"] for p in points], "#3a8a4d", "5 4", "with --recompute"))
        low.draw("", xs, lines)
        parts += top.parts + low.parts
    key = Plot(0, 0, 0, 0)
    key.text(16, 24, "µs a token, above (floor: dashed); peak MB, below (with --recompute: dashed)", 13,
             "start")
    body = "\n".join(key.parts + parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" lang="en" '
            f"font-family=\"'Noto Sans KR', 'DejaVu Sans', sans-serif\">\n"
            f"<title>Growth of time per token and of peak memory</title>\n"
            f"<desc>{verdicts(results)}</desc>\n"
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n')


def write_docs(results):
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(picture(results))
    with open(DOCS, encoding="utf-8") as file:
        text = file.read()
    if BEGIN not in text or END not in text:
        sys.exit(f"growth: docs/performance.md has no {BEGIN} and {END}")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    tables = "\n\n".join(table(s, results[s]) for s in SWEEPS if s in results)
    middle = f"\n{verdicts(results)}\n\n![growth](pictures/growth.svg)\n\n{tables}\n\n"
    with open(DOCS, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + middle + END + after)


def run_sweep(given, sweep, results):
    known = {p["value"]: p for p in results.get(sweep, [])}
    for value in (QUICK if given.quick else SWEEPS)[sweep]:
        old = known.get(value) if given.again else None
        if old and old["ms"] <= WANTED * old["floor_ms"]:
            continue
        point = measure(given.binary, sweep, value, given.quick)
        print(f"{sweep} {value}: {point['ms']:.2f} ms, {point['ms'] / point['floor_ms']:.2f} times the "
              f"floor, {point['peak_mb']:.0f} MB", flush=True)
        first = old or {"first_ratio": point["ms"] / point["floor_ms"], "tries": 0}
        known[value] = dict(min(old or point, point, key=lambda p: p["ms"]),
                            first_ratio=first["first_ratio"], tries=first["tries"] + 1)
    results[sweep] = [known[value] for value in sorted(known)]
    if not given.quick:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parse.add_argument("--sweep", action="append", choices=list(SWEEPS))
    parse.add_argument("--again", action="store_true")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--write", action="store_true", help="no measuring")
    parse.add_argument("--binary", default=os.path.join(ROOT, "build", "jogak"))
    parse.add_argument("--out", default=os.path.join(ROOT, "build", "growth.json"))
    given = parse.parse_args()
    results = {}
    if not given.quick and os.path.exists(given.out):
        with open(given.out, encoding="utf-8") as file:
            results = json.load(file)
    for sweep in [] if given.write else given.sweep or SWEEPS:
        run_sweep(given, sweep, results)
    print(verdicts(results))
    if not given.quick:
        write_docs(results)


if __name__ == "__main__":
    main()
