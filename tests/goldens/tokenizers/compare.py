#!/usr/bin/env python3
"""Compares ids, tokens, offsets, masks and decoded text with PyPI tokenizers on many strings.

    JOGAK_DATA=... python3 tests/goldens/tokenizers/compare.py build/tests/text_tests --count 20000

goes through every family of families.py and the tokenizers in $JOGAK_DATA; --only NAME picks some,
--tokenizer FILE takes another tokenizer.json.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

from tokenizers import Tokenizer, models

from families import FAMILIES, family
from family_cases import line
from make import byte_level
from strings import strings


def data_tokenizers():
    """(name, what jogak loads, the same in the library) of the files in $JOGAK_DATA."""
    if "JOGAK_DATA" not in os.environ:
        return
    folder = pathlib.Path(os.environ["JOGAK_DATA"]) / "tokenizers"
    gpt2 = byte_level(Tokenizer(models.BPE.from_file(
        str(folder / "gpt2_encoder.json"), str(folder / "gpt2_vocab.bpe"))))
    gpt2.add_special_tokens(["<|endoftext|>"])
    yield "GPT-2's files", str(folder), gpt2
    minilm = str(folder / "minilm_tokenizer.json")
    yield "MiniLM's file", minilm, Tokenizer.from_file(minilm)


def chosen(given, folder):
    if given.tokenizer:
        yield given.tokenizer, given.tokenizer, Tokenizer.from_file(given.tokenizer)
        return
    for name in given.only or FAMILIES:
        if name in FAMILIES:
            path = f"{folder}/{name}.json"
            tokenizer = family(name, given.vocab)
            tokenizer.save(path)
            yield name, path, Tokenizer.from_file(path)
    for name, path, tokenizer in data_tokenizers():
        if not given.only or name in given.only:
            yield name, path, tokenizer


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tests", help="the text_tests program")
    options.add_argument("--count", type=int, default=20000, help="random strings")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--vocab", type=int, default=6000, help="tokens of the families")
    options.add_argument("--only", nargs="*", help="these families")
    options.add_argument("--tokenizer", help="a tokenizer.json instead")
    given = options.parse_args()
    texts = strings(given.count, given.seed)
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path, tokenizer in chosen(given, folder):
            start = time.time()
            with open(f"{folder}/cases.jsonl", "w") as cases:
                for text in texts:
                    cases.write(json.dumps([text, line(tokenizer, text)]) + "\n")
            done = subprocess.run(
                [given.tests, "--gtest_filter=Families.CompareFile"], stdout=subprocess.PIPE,
                text=True, env={**os.environ, "JOGAK_TOKENIZER": path,
                                "JOGAK_TOKENIZER_CASES": f"{folder}/cases.jsonl"})
            different += done.returncode != 0
            print(f"{name}: {'equal' if done.returncode == 0 else 'DIFFERENT'} on {len(texts)} strings, "
                  f"{time.time() - start:.0f} s", flush=True)
            if done.returncode != 0:
                print(done.stdout[:6000])
    raise SystemExit(different)


if __name__ == "__main__":
    main()
