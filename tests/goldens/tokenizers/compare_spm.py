#!/usr/bin/env python3
"""Compares .model files with PyPI sentencepiece: ids, pieces, offsets and decoded text of random
strings, and the text of random ids.

    python3 tests/goldens/tokenizers/compare_spm.py build/tests/text_tests MODEL... --count 20000
"""
import argparse
import json
import os
import subprocess
import tempfile

import sentencepiece

from spm_cases import case, decoding, random_ids, random_texts
from strings import FIXED


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tests", help="the text_tests program")
    options.add_argument("models", nargs="+")
    options.add_argument("--count", type=int, default=20000, help="random strings")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    print("sentencepiece", sentencepiece.__version__)
    failed = False
    for path in given.models:
        sp = sentencepiece.SentencePieceProcessor(model_file=path)
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as cases:
            for text in FIXED + random_texts(sp, given.count, given.seed):
                cases.write(json.dumps(case(sp, text)) + "\n")
            for ids in random_ids(sp, given.count // 4, given.seed):
                cases.write(json.dumps(decoding(sp, ids)) + "\n")
            cases.flush()
            environment = {**os.environ, "JOGAK_SPM": path, "JOGAK_SPM_CASES": cases.name}
            done = subprocess.run([given.tests, "--gtest_filter=SpmGolden.CompareFile"],
                                  env=environment, capture_output=True, text=True)
        line = [l for l in done.stdout.splitlines() if "differences" in l]
        print(os.path.basename(path), *line)
        if done.returncode != 0:
            failed = True
            print(done.stdout[-6000:])
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
