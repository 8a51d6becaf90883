"""A pass of BERT-base at length 128, jogak and PyTorch (eager, float32, CPU), in turn, best of the rounds.

    python compare_bert.py [--rounds 3] [--threads 2] [--only SETTING] [--jogak build/jogak]

A ratio above 1 means that jogak is faster. Writes bench/results/bert.json.
"""

import sys

from compare import HERE, ROOT, alternate, parser, print_table, write_results

SETTINGS = {"batch 1": dict(batch=1, steps=20), "batch 32": dict(batch=32, steps=2)}
CONTEXT = 128


def commands(s, jogak, threads):
    shared = ["--batch", s["batch"], "--steps", s["steps"], "--threads", threads]
    return {
        "jogak": [jogak, "bench", "forward", "--family", "bert", "--preset", "base",
                  "--set", 'architectures=["BertModel"]', "--seq", CONTEXT, "--json", *shared],
        "torch": [sys.executable, HERE / "encode_bert_torch.py", "--context", CONTEXT, *shared],
    }  # fmt: skip


def best(results):
    return {"ms_per_pass": min(r["ms_per_pass_best"] for r in results),
            "peak_rss_mb": max(r["peak_rss_mb"] for r in results)}


def main():
    args = parser(__doc__.splitlines()[0], SETTINGS).parse_args()
    rows, report = [], {}
    for name in args.only or SETTINGS:
        print(name, file=sys.stderr)
        s = SETTINGS[name]
        rounds = alternate(commands(s, args.jogak, args.threads), args.rounds, args.threads)
        ours, theirs = best(rounds["jogak"]), best(rounds["torch"])
        ratio = theirs["ms_per_pass"] / ours["ms_per_pass"]
        report[name] = {"jogak": ours, "torch": theirs, "ratio": ratio, "rounds": rounds}
        rows.append([name, *(f"{1e3 * s['batch'] / r['ms_per_pass']:.1f}" for r in (ours, theirs)),
                     f"{ratio:.2f}", f"{ours['peak_rss_mb']:.0f}", f"{theirs['peak_rss_mb']:.0f}"])
    print_table(["setting", "jogak sentences/s", "torch sentences/s", "ratio", "jogak MB",
                 "torch MB"], rows)
    write_results(args.out or ROOT / "bench/results/bert.json", ["torch"], args, report)


if __name__ == "__main__":
    main()
