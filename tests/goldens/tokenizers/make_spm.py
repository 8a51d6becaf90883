#!/usr/bin/env python3
"""Writes the SentencePiece goldens of this folder; each file names the versions it was made with.

    python3 tests/goldens/tokenizers/make_spm.py
"""
import base64
import io
import json
import os
import pathlib
import sys
import tempfile

import sentencepiece
import tokenizers
from sentencepiece import SentencePieceTrainer, sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from spm_rules import lines, write_rules
from strings import FIXED, strings

HERE = pathlib.Path(__file__).parent
VERSIONS = {"sentencepiece": sentencepiece.__version__, "tokenizers": tokenizers.__version__,
            "python": ".".join(map(str, sys.version_info[:2]))}


def write(name, value):
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    text = text.replace('"cases":[', '"cases":[\n').replace('},{"text"', '},\n{"text"')
    (HERE / name).write_text(text + "\n")
    print(name, len(text), "bytes")


def trained(**options):
    out = io.BytesIO()
    SentencePieceTrainer.train(sentence_iterator=iter(options.pop("lines", lines(400, 1))),
                               model_writer=out, num_threads=1, minloglevel=2, **options)
    return out.getvalue()


def with_rules(**options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.tsv")
        write_rules(path)
        return trained(normalization_rule_tsv=path, **options)


def charsmap_cases(model):
    """What Precompiled of PyPI tokenizers makes of each text, and where each character is from."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    blob = proto.normalizer_spec.precompiled_charsmap
    characters = Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    characters.normalizer = normalizers.Precompiled(blob)
    characters.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    texts = FIXED + strings(280, 21)[len(FIXED):] + [
        "\u1100\u1161", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\u304b\u3099", "\u00a9\u200d\u00a9",
        "\uff21\u0301", "\uff01\uff02", "\u2026\u00ad\u2026", "\u00adabc", "\u0001\u0002x\u0003",
        "\ufdfa\u00ad!", "a\u0308\u00ad", "\u0600\u00bd", "\r\n\r\n", "\u200ba", "x\u200e\u200ey"]
    cases = []
    for text in texts:
        cases.append({"text": text, "normalized": characters.normalizer.normalize_str(text),
                      "offsets": characters.encode(text).offsets})
    return {"versions": VERSIONS, "charsmap": base64.b64encode(blob).decode(), "cases": cases}


def main():
    print(VERSIONS)
    model = with_rules(model_type="char", vocab_size=400)
    write("charsmap_cases.json", charsmap_cases(model))


if __name__ == "__main__":
    main()
