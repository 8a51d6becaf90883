"""Encoding and decoding speed of jogak and PyPI tokenizers on one thread, in turn.

    JOGAK_DATA=... python compare_tokenizers.py [--rounds 3] [--repeat 3] [--only SETTING] [--cache DIR]

10 MB of English and 10 MB of Korean in documents of 4,000 bytes; tokenizers as large as the
published ones, trained on both (tokenizer_files.py), kept in --cache. Ids and decoded text must be
the same. The best of the rounds counts; a ratio above 1 means that jogak is faster. Writes
bench/results/tokenizers.json.
"""

import os
import pathlib
import sys

from compare import HERE, ROOT, alternate, parser, print_table, write_results
from tokenizer_files import MAKERS, texts, tokenizer_file

SETTINGS = {f"{name} {language}": (name, language)
            for name in MAKERS for language in ("English", "Korean")}
FASTER_IS_MORE = ("encode_mb_s", "encode_full_mb_s", "decode_mb_s")
EQUAL = ("bytes", "documents", "tokens", "ids_sha256", "text_sha256")


def best(results):
    values = {key: max(r[key] for r in results) for key in FASTER_IS_MORE}
    return values | {"load_ms": min(r["load_ms"] for r in results)}


def check_equal(name, rounds):
    first = rounds["jogak"][0]
    for result in rounds["jogak"] + rounds["tokenizers"]:
        for key in EQUAL:
            if result[key] != first[key]:
                sys.exit(f"{name}: {key}: found {result[key]}, jogak has {first[key]}")


def main():
    options = parser(__doc__.splitlines()[0], SETTINGS)
    options.add_argument("--cache", type=pathlib.Path, help="where texts and tokenizers are kept",
                         default=pathlib.Path.home() / ".cache" / "jogak-bench")
    options.add_argument("--repeat", type=int, default=3, help="calls in each process")
    options.set_defaults(threads=1)
    args = options.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    args.cache.mkdir(parents=True, exist_ok=True)
    languages = texts(args.cache)
    rows, report = [], {}
    for name in args.only or SETTINGS:
        print(name, file=sys.stderr)
        kind, language = SETTINGS[name]
        file = tokenizer_file(kind, args.cache, languages)
        rounds = alternate({
            "jogak": [args.jogak, "bench", "tokenizer", file, languages[language],
                      "--rounds", args.repeat, "--json"],
            "tokenizers": [sys.executable, HERE / "tokenize_tokenizers.py", file,
                           languages[language], "--rounds", args.repeat],
        }, args.rounds, args.threads)  # fmt: skip
        check_equal(name, rounds)
        ours, theirs = best(rounds["jogak"]), best(rounds["tokenizers"])
        # Whichever of its two ways is faster gives the ids.
        theirs["encode_mb_s"] = max(theirs["encode_mb_s"], theirs["encode_full_mb_s"])
        ratios = {key: ours[key] / theirs[key] for key in FASTER_IS_MORE}
        ratios["load_ms"] = theirs["load_ms"] / ours["load_ms"]
        report[name] = {"file_bytes": file.stat().st_size, "jogak": ours, "tokenizers": theirs,
                        "ratios": ratios, "rounds": rounds}  # fmt: skip
        row = [name, f"{file.stat().st_size / 1e6:.1f}"]
        for key in (*FASTER_IS_MORE, "load_ms"):
            row += [f"{ours[key]:.1f}", f"{theirs[key]:.1f}", f"**{ratios[key]:.1f}**"]
        rows.append(row)
    print_table(["setting", "file MB", "ids MB/s", "peer", "ratio", "with offsets MB/s", "peer",
                 "ratio", "decode MB/s", "peer", "ratio", "load ms", "peer", "ratio"], rows)
    write_results(args.out or ROOT / "bench/results/tokenizers.json", ["tokenizers"], args, report)


if __name__ == "__main__":
    main()
