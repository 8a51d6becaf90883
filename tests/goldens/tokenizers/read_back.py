#!/usr/bin/env python3
"""Reads tokenizers that the tests wrote with PyPI tokenizers and transformers: ids and text must
be the same.

    python3 tests/goldens/tokenizers/read_back.py build/tests/text_tests
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import tokenizers
import transformers


def check(folder):
    fast = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    auto = transformers.AutoTokenizer.from_pretrained(str(folder))
    assert auto.eos_token == "<end>" and auto.eos_token_id == fast.token_to_id("<end>")
    cases = json.loads((folder / "ids.json").read_text())
    for case in cases:
        text, ids = case["text"], case["ids"]
        assert fast.encode(text).ids == ids, text
        assert fast.decode(ids) == text, text
        assert auto(text)["input_ids"] == ids, text
        assert auto.decode(ids) == text, text
    return len(cases)


def main():
    print("tokenizers", tokenizers.__version__, "transformers", transformers.__version__)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "--gtest_filter=Golden.WriteForReference"], check=True,
                       stdout=subprocess.DEVNULL,
                       env={**os.environ, "JOGAK_TOKENIZER_OUT": folder})
        for name in ("char", "bpe"):
            print(name, check(pathlib.Path(folder) / name), "texts, 0 differences")


if __name__ == "__main__":
    main()
