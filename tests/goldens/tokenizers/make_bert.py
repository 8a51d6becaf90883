#!/usr/bin/env python3
"""Writes directories as BERT has them, bert/*, and what transformers' BertTokenizer makes of
strings with them, bert_cases.json.

    python3 tests/goldens/tokenizers/make_bert.py
"""
import json
import os
import shutil

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import tokenizers
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from make import HERE, sample_text, write
from strings import FIXED, strings

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXT = ["Résumé, naïve Ünder İstanbul!", "韓國 中文 語 漢字와", "don't stop; 3.14 e-mail", "[MASK] [UNK]", "<new> <old>"]


def pieces(lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(sample_text(5) + 3 * TEXT, trainers.WordPieceTrainer(
        vocab_size=380, special_tokens=SPECIAL, show_progress=False))
    ids = tokenizer.get_vocab()
    return sorted(ids, key=ids.get)


def token(content, **settings):
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False,
            "single_word": False, **settings}


def directories():
    """Name: tokens, line end, what the files beside vocab.txt hold."""
    small, large = pieces(True), pieces(False)
    config = {"tokenizer_class": "BertTokenizer", "model_max_length": 512}
    renamed = [{"[UNK]": "<unk>", "[CLS]": "<s>"}.get(t, t) for t in small]
    return {
        "uncased": (small, "\n", {"tokenizer_config.json": {**config, "do_lower_case": True}}),
        "cased": (large, "\r\n", {"tokenizer_config.json": {
            **config, "do_lower_case": False, "tokenizer_class": "BertTokenizerFast"}}),
        "accents": (small + large[5:60] + ["trailing  "], "\n", {"tokenizer_config.json": {
            **config, "do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": False}}),
        "stripped": (large[:4] + large[5:], "\n", {"tokenizer_config.json": {
            **config, "do_lower_case": False, "strip_accents": True,
            "additional_special_tokens": ["<new>"],
            "mask_token": token("[MASK]", lstrip=True, __type="AddedToken")}}),
        "added": (small, "\n", {"tokenizer_config.json": {
            **config, "do_lower_case": True, "added_tokens_decoder": {
                "0": token("[PAD]", special=True),
                str(len(small)): token("<New>", normalized=True, special=False),
                str(len(small) + 1): token("<old>", special=True, rstrip=True)}}}),
        "older": (renamed, "\n", {
            "tokenizer_config.json": {"do_lower_case": True},
            "special_tokens_map.json": {"unk_token": "<unk>", "cls_token": token("<s>")},
            "added_tokens.json": {"<new>": len(small)}}),
    }


def case(tokenizer, text):
    e = tokenizer.backend_tokenizer.encode(text)
    assert tokenizer(text).input_ids == e.ids, text
    return {"text": text, "ids": e.ids, "tokens": e.tokens, "offsets": e.offsets,
            "decoded": tokenizer.decode(e.ids, skip_special_tokens=True),
            "decoded_all": tokenizer.decode(e.ids)}


def main():
    texts = TEXT + FIXED[:66] + strings(60, 11)[len(FIXED):]
    texts = [text[:120] for text in texts]
    shutil.rmtree(HERE / "bert", ignore_errors=True)
    out = []
    for name, (tokens, end, files) in directories().items():
        folder = HERE / "bert" / name
        folder.mkdir(parents=True)
        (folder / "vocab.txt").write_bytes("".join(t + end for t in tokens).encode())
        for file, value in files.items():
            (folder / file).write_text(json.dumps(value, indent=2) + "\n")
        tokenizer = transformers.BertTokenizer.from_pretrained(str(folder))
        out.append({"name": name, "size": len(tokenizer), "cases": [case(tokenizer, t) for t in texts]})
    write("bert_cases.json", {"versions": {"transformers": transformers.__version__,
                                           "tokenizers": tokenizers.__version__},
                              "directories": out})


if __name__ == "__main__":
    main()
