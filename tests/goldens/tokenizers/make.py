#!/usr/bin/env python3
"""Writes the goldens of this folder with PyPI tokenizers; each file names the versions.

    JOGAK_DATA=... python3 tests/goldens/tokenizers/make.py

Without JOGAK_DATA all but gpt2_cases.json is written.
"""
import json
import os
import pathlib
import random
import sys

import tokenizers
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

from patterns import GPT2 as GPT2_PATTERN
from strings import FIXED, strings

HERE = pathlib.Path(__file__).parent
VERSIONS = {"tokenizers": tokenizers.__version__,
            "python": ".".join(map(str, sys.version_info[:2]))}
EVERY_CHARACTER = r"[\s\S]"


def write(name, value):
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for key in ('"cases":[', '"hashed":[', '"exact":[', '"variants":['):
        text = text.replace(key, key + "\n")
    text = text.replace('},{"text"', '},\n{"text"').replace('],["', '],\n["')
    (HERE / name).write_text(text + "\n")
    print(name, len(text), "bytes")


def case(tokenizer, text):
    e = tokenizer.encode(text)
    return {"text": text, "ids": e.ids, "tokens": e.tokens, "offsets": e.offsets,
            "decoded": tokenizer.decode(e.ids),
            "decoded_all": tokenizer.decode(e.ids, skip_special_tokens=False)}


def fnv(tokenizer, text):
    """FNV-1a, 64 bits, over "id:from:to," of every token."""
    e = tokenizer.encode(text)
    value = 0xCBF29CE484222325
    for id, (low, high) in zip(e.ids, e.offsets):
        for byte in f"{id}:{low}:{high},".encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def cases_of(tokenizer, exact, hashed, seed):
    return {"versions": VERSIONS,
            "exact": [case(tokenizer, s) for s in exact],
            "hashed": [[s, fnv(tokenizer, s)] for s in strings(hashed, seed)[len(FIXED):]]}


def byte_level(tokenizer, **options):
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, **options)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def sample_text(seed):
    """Lines of made-up English, Korean, code and numbers, with long runs among them."""
    rng = random.Random(seed)
    english = ["the", "then", "other", "king", "kingdom", "sing", "singing", "light", "night"]
    korean = ["한국", "한국어", "한글", "나라", "나라의", "글자", "글자를", "읽는다", "쓴다", "학교에서"]
    code = ["for", "(int", "i=0;", "i<n;", "++i)", "return", "{", "}", "//", "----", "======", "()"]
    lines = []
    for _ in range(120):
        words = rng.choice([english, korean, code])
        line = rng.choice(["", "", "  ", "\t"]) + " ".join(rng.choice(words) for _ in range(8))
        if rng.random() < 0.3:
            line += " " + rng.choice("a-= ") * rng.randrange(2, 20)
        lines.append(line + rng.choice([".", "", " 12", " 2031-05-09"]) + "\n")
    return lines


def trained(lines, vocab_size, min_frequency, special):
    tokenizer = byte_level(Tokenizer(models.BPE()))
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=vocab_size, min_frequency=min_frequency, special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return tokenizer


def training():
    runs = ["".join(c * n for c, n in zip("a- =b", (k % 7 + 1, k % 5, k % 3 + 1, k % 11, 2)))
            for k in range(60)]
    settings = [(sample_text(1), 400, 2, ["<|endoftext|>"]), (sample_text(2), 320, 0, []),
                (runs, 500, 0, ["<s>", "</s>"]), (["abab ab", "", "baba"], 300, 3, []),
                (["한국어 한국 한글"] * 3, 290, 1, [])]
    out = []
    for lines, size, frequency, special in settings:
        merges = json.loads(trained(lines, size, frequency, special).to_str())["model"]["merges"]
        out.append({"texts": lines, "vocab_size": size, "min_frequency": frequency,
                    "special_tokens": special, "merges": [" ".join(m) for m in merges]})
    return out


def small_vocab():
    letters = ["a", "b", "c", " ", "<unk>", "w", "o", "\u00a0", "한", "."]
    return {token: id for id, token in enumerate(letters)}


def every_character(behavior="isolated"):
    return pre_tokenizers.Split(Regex(EVERY_CHARACTER), behavior)


def letters_tokenizer():
    tokenizer = Tokenizer(models.WordLevel(small_vocab(), unk_token="<unk>"))
    tokenizer.pre_tokenizer = every_character()
    return tokenizer


def added_tokens():
    tokenizer = letters_tokenizer()
    tokenizer.add_special_tokens([AddedToken("<m>", lstrip=True, rstrip=True), AddedToken("<s>"),
                                  AddedToken("<l>", lstrip=True), AddedToken("<r>", rstrip=True)])
    tokenizer.add_tokens([AddedToken("wo", single_word=True), AddedToken("cc"), AddedToken("ccc"),
                          AddedToken("cab"), AddedToken("abc", normalized=False), AddedToken("bc")])
    texts = ["a <m> b<s>", "a<m>  <m> b", " wo cwo wo", "cccc cc c", "x\u00a0<m>\u0085b", "",
             "<s>", "a  wo<s>wo woa", "  <l>  <r>  <l><r>  ", "wo", "wo wo.wo,wo_wo", "한wo wo한",
             "ccab cabc abcab", "ccccccc", "<<s>", "<s", "<m><m><m>", "\n<m>\n<r>\n", "abccc<s>bc"]
    return "added tokens", tokenizer, texts


def overlapping():
    """Tokens that take spaces which are tokens themselves."""
    tokenizer = letters_tokenizer()
    tokenizer.add_tokens([AddedToken(" ", rstrip=True, normalized=False),
                          AddedToken(" a", lstrip=True, normalized=False),
                          AddedToken("<m>", rstrip=True, normalized=False)])
    return "overlapping", tokenizer, ["b    b", "<m>   ab", "b  a", "<m> a a", "  <m> <m>  a  "]


def added_bytes():
    """Special tokens beside a byte level: their own text is not spelled in bytes."""
    tokenizer = trained(sample_text(1), 300, 2, ["<s>"])
    tokenizer.add_special_tokens(["\u00e9\u00e9", "한 글", AddedToken("<m>", lstrip=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return "added bytes", tokenizer, ["<s>the king<s> sing", "한 글 한 글 자", "a  <m> b", "éé é",
                                      " the", "the ", "   ", "", "한국어 ", "\n\n the\tnight  "]


def bytes_with(name, **change):
    tokenizer = trained(sample_text(1), 320, 2, [])
    for key, value in change.items():
        setattr(tokenizer, key, value)
    return name, tokenizer, FIXED[10:40:2] + ["  the king ", " a", "한국어를 쓴다  x"]


def unknown(name, fuse):
    vocab = {**small_vocab(), "ab": 10, "<unk>a": 11}
    model = models.BPE(vocab, [("a", "b"), ("<unk>", "a")], unk_token="<unk>", fuse_unk=fuse)
    return name, Tokenizer(model), ["abc", "xyzab", "x", "xax", "한글ab뷁뷁c", "ab" * 30 + "xx"]


def out_of_order():
    """A merge that is listed before the merges that make its parts."""
    vocab = {t: i for i, t in enumerate(["a", "b", "c", "ab", "bc", "abc", "abab", "cab", "aa"])}
    merges = [("ab", "ab"), ("ab", "c"), ("c", "ab"), ("b", "c"), ("a", "b"), ("a", "a")]
    rng = random.Random(5)
    texts = ["".join(rng.choice("abc") for _ in range(rng.randrange(1, 120))) for _ in range(40)]
    return "out of order", Tokenizer(models.BPE(vocab, merges)), texts


def whole_words():
    vocab = {t: i for i, t in enumerate(["a", "b", "c", "ab", "abc", "bc"])}
    model = models.BPE(vocab, [("b", "c"), ("a", "b")], ignore_merges=True)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Split("c", "merged_with_previous")
    return "ignore_merges", tokenizer, ["abc", "abcabc", "babc", "abbc", "ccc", "a"]


def splits():
    for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next",
                     "contiguous"):
        for invert in (False, True):
            vocab = {t: i for i, t in enumerate(["a", "b", "ab", "aa", "aab", "baa", "<unk>"])}
            tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
            tokenizer.pre_tokenizer = pre_tokenizers.Split("a", behavior, invert)
            texts = ["a", "b", "ab", "ba", "aab", "baa", "aabbaab", "bbaabb", "", "aaa", "bab"]
            yield f"split {behavior} {invert}", tokenizer, texts


def prepend():
    tokenizer = letters_tokenizer()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("b"),
                                                 normalizers.Prepend("a")])
    tokenizer.add_tokens([AddedToken("wo"), AddedToken("cc", normalized=False)])
    tokenizer.decoder = decoders.Sequence([decoders.Fuse()])
    return "prepend", tokenizer, ["", "c", "한c", "wo", "abwo", "ccc", "cc cc", "woabwo"]


def variants():
    sequence = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(GPT2_PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    twice = pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(add_prefix_space=False),
                                     every_character()])
    prefixed = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trim = processors.ByteLevel(trim_offsets=True)
    return [
        added_tokens(), overlapping(), added_bytes(), out_of_order(), whole_words(),
        *splits(), prepend(),
        ("letters", letters_tokenizer(), ["abc", "한 글", "\n\r", "a\u00a0b", ""]),
        unknown("unk", False), unknown("fuse_unk", True),
        bytes_with("plain"), bytes_with("sequence", pre_tokenizer=sequence),
        bytes_with("bytes then characters", pre_tokenizer=twice),
        bytes_with("no cut", pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True,
                                                                    use_regex=False)),
        bytes_with("prefix", pre_tokenizer=prefixed),
        bytes_with("prefix and trim", pre_tokenizer=prefixed, post_processor=trim),
        bytes_with("trim", post_processor=processors.Sequence([
            processors.ByteLevel(trim_offsets=True, add_prefix_space=False)])),
    ]


def main():
    print(VERSIONS)
    small = trained(sample_text(0), 600, 2, ["<|endoftext|>"])
    (HERE / "small_bpe.json").write_text(small.to_str(pretty=False) + "\n")
    write("small_bpe_cases.json", cases_of(small, FIXED[:68], 300, 11))
    write("train.json", {"versions": VERSIONS, "cases": training()})
    write("variants.json", {"versions": VERSIONS, "variants": [
        {"name": name, "tokenizer": json.loads(tokenizer.to_str()),
         "cases": [case(tokenizer, text) for text in texts]}
        for name, tokenizer, texts in variants()]})
    data = os.environ.get("JOGAK_DATA")
    if data:
        folder = pathlib.Path(data) / "tokenizers"
        gpt2 = byte_level(Tokenizer(models.BPE.from_file(
            str(folder / "gpt2_encoder.json"), str(folder / "gpt2_vocab.bpe"))))
        gpt2.add_special_tokens(["<|endoftext|>"])
        write("gpt2_cases.json", cases_of(gpt2, FIXED[:68], 300, 12))


if __name__ == "__main__":
    main()
