#!/usr/bin/env python3
"""Writes marian-shared/, marian-separate/ and marian_cases.json: small Marian directories and what
transformers' MarianTokenizer makes of texts with them.

    python3 tests/goldens/tokenizers/make_marian.py

With a program and a number it compares that many random texts instead, also with directories that
the program trains and writes:

    python3 tests/goldens/tokenizers/make_marian.py build/tests/text_tests 3000 [DIRECTORY...]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import sentencepiece
import transformers
from transformers import MarianTokenizer

from make_spm import HERE, with_rules, write
from spm_cases import random_texts
from spm_rules import ENGLISH, GERMAN, JAPANESE, KOREAN, lines
from strings import FIXED

VERSIONS = {"transformers": transformers.__version__, "sentencepiece": sentencepiece.__version__}
CODES = [">>kor<<", ">>deu<<", ">>xyz<<", ">><<", ">>", "<<", "</s>", "<pad>", "<unk>"]


def pieces(model):
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [sp.id_to_piece(i) for i in range(sp.get_piece_size())]


def vocabulary(*names):
    """Numbered as Marian does it, without some of the pieces; <pad> is put in by the caller."""
    out = {"</s>": 0, "<unk>": 1}
    for name in names:
        out.setdefault(name, len(out))
    return out


def make_directories():
    text = lines(900, 5)
    source = with_rules(lines=text[:400], model_type="unigram", vocab_size=210)
    target = with_rules(lines=text[400:] + ["ganz andere Wörter", "다른 낱말"], model_type="bpe",
                        vocab_size=230)
    for name, separate in (("marian-shared", False), ("marian-separate", True)):
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        (folder / "source.spm").write_bytes(source)
        (folder / "target.spm").write_bytes(target)
        ours, theirs = pieces(source)[:-20], pieces(target)[:-10]
        if separate:
            vocab, other = vocabulary(*ours, ">>kor<<"), vocabulary(*theirs)
            vocab["<pad>"] = other["<pad>"] = max(len(vocab), len(other))
            (folder / "target_vocab.json").write_text(json.dumps(other) + "\n")
        else:  # characters that no .spm knows may be in the vocabulary
            vocab = vocabulary(*ours, *theirs, ">>kor<<", ">>deu<<", "\ubdc1", "\U0001f642")
            vocab["<pad>"] = len(vocab)
        (folder / "vocab.json").write_text(json.dumps(vocab) + "\n")
        (folder / "tokenizer_config.json").write_text(json.dumps(
            {"separate_vocabs": separate, "tokenizer_class": "MarianTokenizer"}) + "\n")


def texts(folder, count, seed):
    rng = random.Random(seed)
    sides = [sentencepiece.SentencePieceProcessor(model_file=str(folder / name))
             for name in ("source.spm", "target.spm")]
    out = random_texts(sides[0], count // 3, seed) + random_texts(sides[1], count // 3, seed + 1)
    while len(out) < count:
        words = rng.choice([ENGLISH, KOREAN, JAPANESE, GERMAN])
        line = " ".join(rng.choice(words + CODES) if rng.random() < 0.2 else rng.choice(words)
                        for _ in range(rng.randrange(1, 12)))
        out.append(rng.choice([*CODES, *CODES[:3], "", "", "", " "]) + line)
    return out


def cases(folder, some):
    warnings.simplefilter("ignore")
    tokenizer = MarianTokenizer.from_pretrained(str(folder))
    out = []
    for text in some:
        target = tokenizer(text_target=text).input_ids
        out.append({"text": text, "source": tokenizer(text).input_ids, "target": target,
                    "decoded": tokenizer.decode(target, skip_special_tokens=True),
                    "decoded_all": tokenizer.decode(target)})
    return out


def compare(program, count, folders):
    failed = False
    for folder in folders:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"cases": cases(folder, texts(folder, count, 7))}, file)
            file.flush()
            done = subprocess.run([program, "--gtest_filter=MarianGolden.CompareFile"],
                                  env={**os.environ, "JOGAK_MARIAN": str(folder),
                                       "JOGAK_MARIAN_CASES": file.name},
                                  capture_output=True, text=True)
        print(folder.name, *[l for l in done.stdout.splitlines() if "differences" in l])
        if done.returncode != 0:
            failed = True
            print(done.stdout[-6000:])
    raise SystemExit(failed)


def main():
    print(VERSIONS)
    folders = [HERE / "marian-shared", HERE / "marian-separate"]
    if len(sys.argv) > 2:
        with tempfile.TemporaryDirectory() as trained:
            subprocess.run([sys.argv[1], "--gtest_filter=TrainPair.WriteForReference"], check=True,
                           env={**os.environ, "JOGAK_PAIR_OUT": trained},
                           stdout=subprocess.DEVNULL)
            folders += sorted(pathlib.Path(trained).iterdir())
            compare(sys.argv[1], int(sys.argv[2]),
                    [pathlib.Path(f) for f in sys.argv[3:]] or folders)
    make_directories()
    write("marian_cases.json", {"versions": VERSIONS, "directories": [
        {"name": folder.name, "cases": cases(folder, FIXED[:60] + texts(folder, 150, 3))}
        for folder in folders]})


if __name__ == "__main__":
    main()
