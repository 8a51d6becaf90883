#!/usr/bin/env python3
"""Writes families.json: a small tokenizer of every family and what it makes of the same texts.

    python3 tests/goldens/tokenizers/make_families.py
"""
import json
import pathlib
import sys

import tokenizers

from families import FAMILIES, family
from family_cases import fnv, line
from strings import FIXED, strings

HERE = pathlib.Path(__file__).parent


def main():
    texts = FIXED + strings(120, 21)[len(FIXED):]
    out = []
    for name in FAMILIES:
        tokenizer = tokenizers.Tokenizer.from_str(family(name, 420, 400).to_str())
        data = json.loads(tokenizer.to_str())
        if "merges" in data["model"]:  # the shorter way to write them
            data["model"]["merges"] = [" ".join(m) for m in data["model"]["merges"]]
        out.append({"name": name, "tokenizer": data, "hashes": [fnv(line(tokenizer, t)) for t in texts]})
        print(name, len(json.dumps(out[-1], ensure_ascii=False)))
    head = {"versions": {"tokenizers": tokenizers.__version__, "python": sys.version.split()[0]},
            "texts": texts}
    text = json.dumps(head, ensure_ascii=True, separators=(",", ":"))[:-1] + ',"families":[\n'
    text += ",\n".join(json.dumps(f, ensure_ascii=True, separators=(",", ":")) for f in out) + "]}\n"
    (HERE / "families.json").write_text(text)
    print(len(text), "bytes")


if __name__ == "__main__":
    main()
