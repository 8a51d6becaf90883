"""Compares `jogak eval --hypotheses` with PyPI sacrebleu on random corpora.

    python check_bleu.py JOGAK [--corpora 1000] [--seed 1]
    python check_bleu.py --write score/bleu.json     # the small golden of tests/score

Each corpus: 1 to 60 lines of words, punctuation, numbers, Korean, emoji, entities, odd spaces and
nothing at all; 1 to 3 references; hypotheses from copies to unrelated text; one of the tokenizers
13a, char and none, in lower case or not. BLEU, chrF, the precisions, lengths and both signatures
must agree, scores to 0.01. Every tenth corpus is long enough for intervals to mean something: there
the mean and half width of 1000 resamples are compared too, as far as two random draws agree.
Exit status: 0 agreed, 1 not.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from sacrebleu.metrics import BLEU, CHRF

SCORE = 0.01  # points
INTERVAL_MEAN, INTERVAL_WIDTH = 0.15, 0.15  # of the half width: both sides draw at random

WORDS = ("the a man woman dog in red shirt is walking down street Two young Men are playing "
         "soccer on grass CNN U.S. it's don't well-known state-of-the-art Straße Übung naïve "
         "ΟΔΟΣ Σοφός İstanbul ПРИВЕТ мир 日本語 中文").split()
KOREAN = ("나는 학교에 간다 한국어 번역 오늘은 날씨가 좋다 그는 책을 읽었다 사람들이 거리에서 "
          "커피를 마신다 2024년 5월 9일 안녕하세요 감사합니다").split()
NUMBERS = "1 42 3.14 1,000 12-15 1999. .5 5, 2-year 100% $9.99 1.2.3 7/8".split()
SIGNS = list(".,!?;:-()[]{}\"'`~@#$%^&*_+=|\\/<>") + ["...", "--", "–", "—", "。", "、", "“", "”", "،"]
ODD = ["😀", "👨‍👩‍👧", "é", "é", "한", "ﬁ", "&amp;", "&lt;", "&gt;", "&quot;", "&amp;lt;",
       "&#39;", "<skipped>", "<b>", "\u200b", "a\u00a0b", "x\u3000y", "\ufffd", "𝒜", "A.B.", "a,b", "-."]
SPACES = [" "] * 30 + ["  ", "\t", "\u00a0", "\u3000", "\u2009", "\x1c", "\x85", "\u2028", "\v", "\r"]


def sentence(rng):
    if rng.random() < 0.05:
        return rng.choice(["", " ", "\t ", "\u3000"])
    pools = [WORDS] * 4 + [KOREAN] * 3 + [NUMBERS, SIGNS, SIGNS, ODD]
    if rng.random() < 0.4:
        pools = [WORDS] * 8 + [SIGNS, NUMBERS]
    text = ""
    for _ in range(rng.randint(1, rng.choice([3, 12, 40]))):
        word = rng.choice(rng.choice(pools))
        if rng.random() < 0.1:
            word = rng.choice([word.upper(), word.title(), word + rng.choice(SIGNS)])
        text += word + ("" if rng.random() < 0.06 else rng.choice(SPACES))
    return text if rng.random() < 0.3 else text.rstrip()


def changed(rng, text, share):
    words = re.split("( )", text)
    for i, word in enumerate(words):
        if rng.random() < share:
            words[i] = rng.choice(["", rng.choice(WORDS), rng.choice(KOREAN), word + word,
                                   word[::-1], rng.choice(SIGNS)])
    return "".join(words)


def corpus(rng, lines):
    share = rng.choice([0, 0.05, 0.2, 0.5, 0.9])
    first = [sentence(rng) for _ in range(lines)]
    references = [first] + [[changed(rng, line, 0.3) for line in first]
                            for _ in range(rng.choice([0, 0, 0, 1, 2]))]
    hypotheses = [changed(rng, rng.choice(references)[i], share) if rng.random() > 0.05
                  else sentence(rng) for i in range(lines)]
    options = {"tokenize": rng.choice(["13a", "13a", "char", "none"]),
               "lowercase": rng.random() < 0.3}
    # Lines of a file hold no line feed, and a carriage return at the end belongs to the line end.
    return clean(hypotheses), [clean(r) for r in references], options


def clean(lines):
    return [line.replace("\n", " ").rstrip("\r") for line in lines]


def theirs(hypotheses, references, options, resamples=1):
    bleu = BLEU(tokenize=options["tokenize"], lowercase=options["lowercase"], force=True)
    chrf = CHRF(lowercase=options["lowercase"])
    b = bleu.corpus_score(hypotheses, references, n_bootstrap=resamples)
    c = chrf.corpus_score(hypotheses, references, n_bootstrap=resamples)
    out = {"bleu": b.score, "chrf": c.score, "precisions": b.precisions, "brevity_penalty": b.bp,
           "length": b.sys_len, "reference_length": b.ref_len,
           "signature": str(bleu.get_signature()), "chrf_signature": str(chrf.get_signature())}
    if resamples > 1:
        out |= {"bleu_mean": b._mean, "bleu_half_width": b._ci,
                "chrf_mean": c._mean, "chrf_half_width": c._ci}
    return out


def ours(jogak, place, hypotheses, references, options, resamples=1):
    command = [jogak, "eval", "--json", "--hypotheses", place / "hyp", "--bleu-tokenize",
               options["tokenize"]]
    for i, lines in enumerate([hypotheses] + references):
        name = place / ("hyp" if i == 0 else f"ref{i}")
        name.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="")
        command += ["--references", name] if i else []
    command += ["--lowercase"] if options["lowercase"] else []
    command += ["--bootstrap", str(resamples)] if resamples > 1 else []
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def version_apart(signature):
    return re.sub(r"\|version:.*", "", signature)


def differences(a, b):
    """How far ours is from theirs; what is wrong."""
    gap = max(abs(a["bleu"] - b["bleu"]), abs(a["chrf"] - b["chrf"]))
    problems = [] if gap <= SCORE else [f"scores differ by {gap}"]
    for key in ("length", "reference_length"):
        if a[key] != b[key]:
            problems.append(f"{key}: {a[key]} and {b[key]}")
    for x, y in zip(a["precisions"] + [a["brevity_penalty"]], b["precisions"] + [b["brevity_penalty"]]):
        if abs(x - y) > SCORE:
            problems.append(f"precisions: {a['precisions']} and {b['precisions']}")
            break
    for key in ("signature", "chrf_signature"):
        if version_apart(a[key]) != version_apart(b[key]):
            problems.append(f"{key}: {a[key]} and {b[key]}")
    for name in ("bleu", "chrf"):
        if name + "_mean" in b:
            width = b[name + "_half_width"] + 0.01
            if abs(a[name + "_mean"] - b[name + "_mean"]) > INTERVAL_MEAN * width:
                problems.append(f"{name} mean: {a[name + '_mean']} and {b[name + '_mean']} ± {width}")
            if abs(a[name + "_half_width"] - b[name + "_half_width"]) > INTERVAL_WIDTH * width:
                problems.append(f"{name} half width: {a[name + '_half_width']} and {width}")
    return gap, problems


def compare(jogak, count, seed):
    largest, wrong, lines = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = random.Random(seed * 1_000_003 + i)
            resamples = 1000 if i % 10 == 0 else 1
            h, r, options = corpus(rng, rng.randint(100, 200) if resamples > 1 else rng.randint(1, 60))
            a = ours(jogak, pathlib.Path(folder), h, r, options, resamples)
            gap, problems = differences(a, theirs(h, r, options, resamples))
            largest, lines = max(largest, gap), lines + len(h)
            if problems:
                wrong += 1
                print(f"corpus {i} (seed {seed}, {options}): " + "; ".join(problems))
    print(f"{count} corpora, {lines} lines: {wrong} disagree, largest difference of a score {largest:.2g}")
    return 1 if wrong else 0


def write(path):
    cases = []
    for i in range(24):
        rng = random.Random(7_000_000 + i)
        hypotheses, references, options = corpus(rng, rng.randint(1, 8))
        found = theirs(hypotheses, references, options)
        cases.append({"hypotheses": hypotheses, "references": references, **options, **found})
    path.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jogak", nargs="?", help="the program")
    parser.add_argument("--corpora", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    args = parser.parse_args()
    if args.write:
        return write(args.write)
    if not args.jogak:
        parser.error("the program to compare is missing")
    return compare(args.jogak, args.corpora, args.seed)


if __name__ == "__main__":
    sys.exit(main())
