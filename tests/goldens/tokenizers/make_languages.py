#!/usr/bin/env python3
"""Writes m2m/, nllb/, mbart/, t5/ and language_cases.json: small tokenizers of encoder-decoders, and what
transformers makes of texts with them, in several languages.

    python3 tests/goldens/tokenizers/make_languages.py
"""
import json
import warnings

import sentencepiece
import transformers
from transformers import M2M100Tokenizer, MBartTokenizer, NllbTokenizer, T5Tokenizer
from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

from make_spm import HERE, with_rules
from spm_rules import lines

TEXTS = ["hello world", " two  spaces ", "안녕하세요 세계", "これは", "", "</s> inside", "__ko__ hm",
         "kor_Hang", "<extra_id_0> is <extra_id_1>", "1,234.5 € – ﬁn", "Straße", "\U0001f642"]
CODES = FAIRSEQ_LANGUAGE_CODES["m2m100"]
VERSIONS = {"transformers": transformers.__version__, "sentencepiece": sentencepiece.__version__}


def folder(name):
    out = HERE / name
    out.mkdir(exist_ok=True)
    return out


def make_m2m(model):
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    vocab = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    for i in range(sp.get_piece_size() - 10):  # some pieces have no number
        vocab.setdefault(sp.id_to_piece(i), len(vocab))
    out = folder("m2m")
    (out / "vocab.json").write_text(json.dumps(vocab) + "\n")
    (out / "sentencepiece.bpe.model").write_bytes(model)
    (out / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "M2M100Tokenizer", "language_codes": "m2m100",
         "additional_special_tokens": [f"__{code}__" for code in CODES]}) + "\n")
    return M2M100Tokenizer.from_pretrained(out), [("en", "ko"), ("ko", "zu")]


def make_t5(model):
    out = folder("t5")
    (out / "spiece.model").write_bytes(model)
    (out / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "T5Tokenizer", "extra_ids": 100}) + "\n")
    return T5Tokenizer.from_pretrained(out), [(None, None)]


def small_bpe(codes):
    vocab = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    for text in ["▁", *sorted(set("hello world안녕하세요세계これは1,234.5")), "he", "lo", "▁w", "llo"]:
        vocab.setdefault(text, len(vocab))
    return vocab, [("h", "e"), ("l", "o"), ("▁", "w"), ("l", "lo")], codes


def make_nllb():
    vocab, merges, codes = small_bpe(["eng_Latn", "kor_Hang", "zul_Latn"])
    tokenizer = NllbTokenizer(vocab=vocab, merges=merges, extra_special_tokens=codes)
    tokenizer.save_pretrained(folder("nllb"))
    return tokenizer, [("eng_Latn", "kor_Hang"), ("zul_Latn", "eng_Latn")]


def make_mbart():
    vocab, _, codes = small_bpe(["en_XX", "ko_KR", "ro_RO"])
    tokenizer = MBartTokenizer(vocab=[(t, -float(i)) for t, i in vocab.items()],
                               extra_special_tokens=codes)
    tokenizer.save_pretrained(folder("mbart"))
    return tokenizer, [("en_XX", "ko_KR"), ("ro_RO", "en_XX")]


def cases(tokenizer, languages):
    out = []
    for source, target in languages:
        if source:
            tokenizer.src_lang, tokenizer.tgt_lang = source, target
        for text in TEXTS:
            ids = tokenizer(text_target=text).input_ids if source else tokenizer(text).input_ids
            out.append({"languages": [source or "", target or ""], "text": text,
                        "source": tokenizer(text).input_ids, "target": ids,
                        "decoded": tokenizer.decode(ids, skip_special_tokens=True)})
    return out


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    model = with_rules(lines=lines(600, 7), model_type="unigram", vocab_size=190)
    padded = with_rules(lines=lines(600, 7), model_type="unigram", vocab_size=190, pad_id=0, eos_id=1,
                        unk_id=2, bos_id=-1)
    made = {"m2m": make_m2m(model), "t5": make_t5(padded), "nllb": make_nllb(), "mbart": make_mbart()}
    directories = [{"name": name, "cases": cases(*one)} for name, one in made.items()]
    (HERE / "language_cases.json").write_text(
        json.dumps({"versions": VERSIONS, "directories": directories}, indent=1, ensure_ascii=False) + "\n")
