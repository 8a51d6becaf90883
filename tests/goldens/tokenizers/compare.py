#!/usr/bin/env python3
"""Compares ids, tokens, offsets and decoded text with PyPI tokenizers on many strings.

    JOGAK_DATA=... python3 tests/goldens/tokenizers/compare.py build/tests/text_tests --count 10000
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

from tokenizers import Tokenizer, models

from make import byte_level, case
from strings import strings


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tests", help="the text_tests program")
    options.add_argument("--count", type=int, default=10000, help="random strings")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--tokenizer", help="a tokenizer.json instead of the GPT-2 files")
    given = options.parse_args()
    if given.tokenizer:
        path, tokenizer = given.tokenizer, Tokenizer.from_file(given.tokenizer)
    else:
        path = pathlib.Path(os.environ["JOGAK_DATA"]) / "tokenizers"
        tokenizer = byte_level(Tokenizer(models.BPE.from_file(
            str(path / "gpt2_encoder.json"), str(path / "gpt2_vocab.bpe"))))
        tokenizer.add_special_tokens(["<|endoftext|>"])
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as cases:
        for text in strings(given.count, given.seed):
            cases.write(json.dumps(case(tokenizer, text)) + "\n")
        cases.flush()
        environment = {**os.environ, "JOGAK_TOKENIZER": str(path),
                       "JOGAK_TOKENIZER_CASES": cases.name}
        raise SystemExit(subprocess.run([given.tests, "--gtest_filter=Golden.CompareFile"],
                                        env=environment).returncode)


if __name__ == "__main__":
    main()
