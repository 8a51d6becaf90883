#!/usr/bin/env python3
"""Writes fairseq-mbart/, fairseq-mbart50/, fairseq-nllb/, fairseq-xlmr/ and fairseq_cases.json: directories that ship a
SentencePiece file alone, and what transformers' classes over SentencePiece make of texts with them. Those
classes are of version 4: 5 opens mBART without its character map, and NLLB without its languages.

    python3 -m venv OLD && OLD/bin/pip install transformers==4.46.3 sentencepiece protobuf numpy
    python3 tests/goldens/tokenizers/make_fairseq.py models                     # with what make_spm.py needs
    OLD/bin/python tests/goldens/tokenizers/make_fairseq.py
"""
import json
import pathlib
import random
import sys

from strings import FIXED, random_string

HERE = pathlib.Path(__file__).parent
KINDS = {"mbart": ("unigram", 300, "MBartTokenizer", ("en_XX", "ko_KR")),
         "mbart50": ("unigram", 300, "MBart50Tokenizer", ("ko_KR", "sl_SI")),
         "nllb": ("bpe", 420, "NllbTokenizer", ("eng_Latn", "kor_Hang")),
         "xlmr": ("unigram", 300, "XLMRobertaTokenizer", ("", ""))}  # fmt: skip
MARKED = ["</s> inside", "hm <mask> x", "<mask>", "kor_Hang", "ko_KR a", "en_XX", "a  en_XX b", " two  spaces ",
          "<s>x</s>", "<unk>", "a<pad>b", "_ko_KR_", "▁under ▁ lines", ">>kor<< x"]  # fmt: skip


def texts():
    rng = random.Random(5)
    drawn = [random_string(rng) for _ in range(120)]
    all_texts = [t for t in FIXED if len(t) < 120] + drawn + MARKED
    return [t.encode("utf8", "ignore").decode() for t in all_texts]


def write_models():
    from make_spm import with_rules
    from spm_rules import lines

    for name, (kind, size, tokenizer_class, _) in KINDS.items():
        out = HERE / f"fairseq-{name}"
        out.mkdir(exist_ok=True)
        model = with_rules(lines=lines(600, 7), model_type=kind, vocab_size=size)
        (out / "sentencepiece.bpe.model").write_bytes(model)
        config = {"tokenizer_class": tokenizer_class, "clean_up_tokenization_spaces": False}
        (out / "tokenizer_config.json").write_text(json.dumps(config) + "\n")


def number_languages(folder, size):
    """NLLB's released files list their tokens: languages behind the pieces, the mask behind them."""
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as codes

    file = folder / "tokenizer_config.json"
    config = json.loads(file.read_text())
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    listed = dict(enumerate(names)) | {size + 1 + i: t for i, t in enumerate([*codes, "<mask>"])}
    config["added_tokens_decoder"] = {
        str(i): {"content": t, "lstrip": t == "<mask>", "normalized": False, "rstrip": False,
                 "single_word": False, "special": True} for i, t in listed.items()}  # fmt: skip
    file.write_text(json.dumps(config) + "\n")


def cases(name, tokenizer_class, languages):
    import transformers

    folder = HERE / f"fairseq-{name}"
    if name == "nllb":
        number_languages(folder, KINDS[name][1])
    given = dict(zip(("src_lang", "tgt_lang"), languages)) if languages[0] else {}
    tokenizer = getattr(transformers, tokenizer_class).from_pretrained(folder, **given)
    out = []
    for text in texts():
        ids = tokenizer(text).input_ids
        target = tokenizer(text_target=text).input_ids if given else ids
        out.append([text, ids, target, tokenizer.decode(ids, skip_special_tokens=True)])
    return out


if __name__ == "__main__":
    if sys.argv[1:] == ["models"]:
        write_models()
    else:
        import transformers

        directories = [{"name": f"fairseq-{name}", "languages": list(languages),
                        "cases": cases(name, kind, languages)}
                       for name, (_, _, kind, languages) in KINDS.items()]  # fmt: skip
        (HERE / "fairseq_cases.json").write_text(
            json.dumps({"transformers": transformers.__version__, "directories": directories},
                       ensure_ascii=False) + "\n")  # fmt: skip
