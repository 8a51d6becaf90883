#!/usr/bin/env python3
"""Trains a tokenizer of every type with jogak on Korean and English, opens what it wrote with PyPI
tokenizers and transformers' AutoTokenizer, and compares ids and decoded text on many strings. Each
is trained twice: the files must be the same.

    python3 tests/goldens/tokenizers/check_trained.py build/jogak --count 3000
"""
import argparse
import filecmp
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unicodedata

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import sentencepiece
import tokenizers
import transformers

from make import sample_text
from strings import strings

# Name: what stands behind `tokenizer train`, and what is special.
KINDS = {
    "char": (["--type", "char", "--unk", "<unk>"], ["<pad>", "</s>"]),
    "char, no form": (["--type", "char", "--unk", "<unk>", "--normalize", "none"], []),
    "bpe": (["--type", "bpe", "--vocab-size", "900"], ["<|endoftext|>"]),
    "bpe, nfkc": (["--type", "bpe", "--vocab-size", "700", "--normalize", "nfkc"], []),
    "bpe, metaspace": (["--type", "bpe", "--metaspace", "--vocab-size", "1200"], ["<s>", "</s>"]),
    "bpe, metaspace, no form": (
        ["--type", "bpe", "--metaspace", "--vocab-size", "600", "--normalize", "none"], []),
    "wordpiece": (["--type", "wordpiece", "--vocab-size", "900"], []),
    "wordpiece, small letters": (
        ["--type", "wordpiece", "--lowercase", "--vocab-size", "500", "--min-frequency", "3"],
        ["[UNK]", "[CLS]", "[SEP]"]),
    "unigram": (["--type", "unigram", "--vocab-size", "400"], ["<pad>", "</s>"]),
    "unigram, nfkc": (["--type", "unigram", "--vocab-size", "400", "--normalize", "nfkc"], ["</s>"]),
    "unigram, no form": (["--type", "unigram", "--vocab-size", "400", "--normalize", "none"], []),
}


def corpus(seed):
    """Words put together from syllables, some lines taken apart (NFD), a few rare characters."""
    rng = random.Random(seed)
    syllables = [chr(rng.randrange(0xAC00, 0xD7A4)) for _ in range(150)]
    words = ["".join(rng.choices(syllables, k=rng.randrange(1, 5))) for _ in range(400)]
    words += ["".join(rng.choices("aeiourstlnbcdkmp", k=rng.randrange(2, 9))) for _ in range(400)]
    words += ["École", "naïve", "2031", "e-mail", "don't", "漢字", "Ａ", "🙂"]
    lines = sample_text(seed)
    for _ in range(3000):
        line = " ".join(rng.choices(words, k=9)) + rng.choice([".", "!", "", "?"])
        lines.append((unicodedata.normalize("NFD", line) if rng.random() < 0.1 else line) + "\n")
    return lines


def train(jogak, arguments, special, text, out):
    words = [jogak, "tokenizer", "train", *arguments, "--files", text, "--out", str(out)]
    subprocess.run(words + (["--special", *special] if special else []), check=True,
                   stdout=subprocess.DEVNULL)


def lines_of(jogak, words, values):
    done = subprocess.run([jogak, "tokenizer", *words, "--jsonl"], check=True, text=True,
                          stdout=subprocess.PIPE,
                          input="".join(json.dumps(value) + "\n" for value in values))
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def compare(jogak, folder, texts, special):
    """How many strings differ anywhere, and how many tokenizer.model cuts in another way: it is
    one rule for all, where a tokenizer.json has several steps."""
    fast = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    auto = transformers.AutoTokenizer.from_pretrained(str(folder))
    model = folder / "tokenizer.model"
    spm = sentencepiece.SentencePieceProcessor(str(model)) if model.exists() else None
    ours = [line["ids"] for line in lines_of(jogak, ["encode", str(folder)], texts)]
    decoded = lines_of(jogak, ["decode", str(folder)], ours)
    kept = lines_of(jogak, ["decode", str(folder), "--keep-special"], ours)
    different = other = 0
    for text, ids, plain, whole in zip(texts, ours, decoded, kept):
        same = (fast.encode(text).ids == ids and auto(text).input_ids == ids
                and fast.decode(ids) == plain and auto.decode(ids, skip_special_tokens=True) == plain
                and fast.decode(ids, skip_special_tokens=False) == whole and auto.decode(ids) == whole)
        if spm and not any(token in text for token in [*special, "<unk>"]):
            other += spm.encode(text) != ids
        if not same:
            different += 1
            if different <= 3:
                print("  ", ascii(text), "ours", ids, "tokenizers", fast.encode(text).ids,
                      "transformers", auto(text).input_ids, ascii(plain), ascii(fast.decode(ids)))
    return different, other


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("jogak", help="the program")
    options.add_argument("--count", type=int, default=3000, help="random strings")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    print("tokenizers", tokenizers.__version__, "transformers", transformers.__version__,
          "sentencepiece", sentencepiece.__version__)
    rng = random.Random(given.seed)
    lines = corpus(given.seed)
    texts = strings(given.count, given.seed) + [line.rstrip("\n") for line in rng.sample(lines, 300)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "text.txt").write_text("".join(lines))
        for name, (arguments, special) in KINDS.items():
            for out in ("first", "second"):
                train(given.jogak, arguments, special, str(folder / "text.txt"), folder / name / out)
            files = sorted(path.name for path in (folder / name / "first").iterdir())
            alike = filecmp.cmpfiles(folder / name / "first", folder / name / "second", files, False)
            mine = texts + [a + token + b for token in special for a, b in [("가 ", " b"), ("", "c")]]
            different, other = compare(given.jogak, folder / name / "first", mine, special)
            failed += different > 0 or len(alike[0]) != len(files)
            print(f"{name}: {len(mine)} strings, {different} differences; trained twice: "
                  f"{len(alike[0])} of {len(files)} files the same"
                  + (f"; {other} cut in another way by tokenizer.model" if len(files) > 2 else ""), flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
