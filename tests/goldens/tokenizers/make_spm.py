#!/usr/bin/env python3
"""Writes the SentencePiece goldens of this folder; each file names the versions it was made with.

    JOGAK_DATA=... python3 tests/goldens/tokenizers/make_spm.py

Without JOGAK_DATA all but spm_data_cases.json is written.
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

from spm_cases import case, decoding, random_ids, random_texts
from spm_rules import lines, write_rules
from strings import FIXED, strings

HERE = pathlib.Path(__file__).parent
VERSIONS = {"sentencepiece": sentencepiece.__version__, "tokenizers": tokenizers.__version__,
            "python": ".".join(map(str, sys.version_info[:2]))}


def write(name, value):
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    text = text.replace('"cases":[', '"cases":[\n').replace('},{"text"', '},\n{"text"')
    text = text.replace('"hashed":[', '"hashed":[\n').replace('],["', '],\n["')
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


def edited(model, **changes):
    """The same model with fields changed that the trainer does not offer."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    for field, value in changes.items():
        value(getattr(proto, field))
    return proto.SerializeToString()


def unused(pieces):
    """Every fifth longer piece is not used: text is cut further there."""
    for number, piece in enumerate(pieces):
        if piece.type == 1 and len(piece.piece) > 2 and number % 5 == 0:
            piece.type = 5


def equal_scores(pieces):
    """Merges of the same score go from left to right; some characters are no pieces."""
    for piece in [*pieces]:
        piece.score = float(int(piece.score) // 30)
        if piece.type == 1 and piece.piece in "gkr":
            pieces.remove(piece)


def plain_spaces(spec):
    spec.escape_whitespaces = False


def writes_capitals(spec):
    """A denormalizer: the charsmap of the normalizer, whatever that does to the text."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(with_rules(model_type="char",
                                                                     vocab_size=400))
    spec.CopyFrom(proto.normalizer_spec)
    spec.add_dummy_prefix = spec.remove_extra_whitespaces = spec.escape_whitespaces = False


def small_models():
    defined = {"user_defined_symbols": ["<b>", "</b>", "한국", "  ", "e.g", "\u2460"],
               "control_symbols": ["<ctl>", "<sep>"]}
    bytes_ = {"byte_fallback": True, "vocab_size": 480}
    raw = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    bpe = with_rules(model_type="bpe", vocab_size=220)
    unigram = with_rules(model_type="unigram", vocab_size=220)
    return {
        "unigram": unigram,
        "unigram-bytes": with_rules(model_type="unigram", pad_id=3, **bytes_, **defined),
        "unigram-raw": trained(model_type="unigram", vocab_size=200, add_dummy_prefix=False, **raw),
        "unigram-suffix": with_rules(model_type="unigram", vocab_size=200, unk_surface="??",
                                     treat_whitespace_as_suffix=True),
        "unigram-unused": edited(unigram, pieces=unused, denormalizer_spec=writes_capitals),
        "bpe": bpe,
        "bpe-bytes": trained(model_type="bpe", **raw, **bytes_, **defined),
        "bpe-across": with_rules(model_type="bpe", vocab_size=300, split_by_whitespace=False),
        "bpe-unused": edited(bpe, pieces=unused),
        "bpe-equal": edited(bpe, pieces=equal_scores),
        "char": with_rules(model_type="char", vocab_size=120, **defined),
        "char-plain": edited(trained(model_type="char", vocab_size=120, **raw),
                             normalizer_spec=plain_spaces),
        "word": with_rules(model_type="word", vocab_size=90, bos_id=-1, hard_vocab_limit=False),
    }


def fnv(one):
    """FNV-1a, 64 bits, over "id:from:to:piece," of every token, then the decoded text."""
    listing = "".join(f"{i}:{a}:{b}:{t}," for i, (a, b), t
                      in zip(one["ids"], one["offsets"], one["tokens"])) + one["decoded"]
    value = 0xCBF29CE484222325
    for byte in listing.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def model_cases(name, path, random_count):
    """Some cases in full; of the others a hash, the fixed texts being those of the file."""
    sp = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return {"name": name, "exact": [case(sp, text) for text in random_texts(sp, 8, 31)],
            "fixed": [fnv(case(sp, text)) for text in FIXED],
            "hashed": [[text, fnv(case(sp, text))] for text in random_texts(sp, random_count, 32)],
            "decoding": [decoding(sp, ids) for ids in random_ids(sp, 60, 33)]}


def write_cases(name, models):
    write(name, {"versions": VERSIONS, "fixed": FIXED, "models": models})


def main():
    print(VERSIONS)
    model = with_rules(model_type="char", vocab_size=400)
    write("charsmap_cases.json", charsmap_cases(model))
    (HERE / "spm").mkdir(exist_ok=True)
    models = []
    for name, model in small_models().items():
        path = HERE / "spm" / (name + ".model")
        path.write_bytes(model)
        models.append(model_cases(name, path, 150))
    write_cases("spm_cases.json", models)
    if os.environ.get("JOGAK_DATA"):
        folder = pathlib.Path(os.environ["JOGAK_DATA"]) / "tokenizers"
        write_cases("spm_data_cases.json", [model_cases(path.stem, path, 100)
                                            for path in sorted(folder.glob("*.model"))])


if __name__ == "__main__":
    main()
