#!/usr/bin/env python3
"""Compares random normalizers, pre-tokenizers, regular expressions and decoders with PyPI tokenizers.

A model that knows nothing shows every piece as one unknown token: its text and its offsets. For
decoders, the text is a list of tokens that a model of words takes as they are.

    python3 tests/goldens/tokenizers/compare_parts.py build/tests/text_tests --rounds 200
"""
import argparse
import json
import os
import random
import subprocess
import tempfile

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from make import case
from patterns import KNOWN_PATTERNS
from strings import FIXED, random_string

BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
ATOMS = ["a", "b", "é", "한", "1", " ", "\\s", "\\S", "\\w", "\\W", "\\d", "\\p{L}", "\\p{N}", "\\p{Lu}",
         "\\P{L}", "\\p{^M}", "[ab]", "[^a]", "[a-z]", "[\\s한]", "[^\\s\\p{L}]", "[a-z&&[^b]]", "[[:punct:]x]",
         ".", "\\R", "\\b", "\\B", "^", "$", "\\A", "\\z", "\\Z", "(?!\\S)", "(?=\\s|$)", "(?<=a)", "(?<!\\w)",
         "(?i:h)", "[\\p{L}&&\\p{Han}]", "\\x{1100}", "[\\u0300-\\u036f]", "\\n", "'"]
QUANTIFIERS = ["", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "++", "*+", "?+"]


def random_regex(rng, depth=0):
    ways = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        parts = []
        for _ in range(rng.randrange(1, 4)):
            if depth < 2 and rng.random() < 0.25:
                opening = rng.choice(["(?:", "(", "(?i:", "(?>", "(?=", "(?!", "(?m:"])
                atom = opening + random_regex(rng, depth + 1) + ")"
            else:
                atom = rng.choice(ATOMS)
            parts.append(atom + rng.choice(QUANTIFIERS))
        ways.append("".join(parts))
    return "|".join(ways)


def random_pattern(rng):
    if rng.random() < 0.3:
        return rng.choice([" ", "a", "한", "--", "e\u0301", "", "\n", "  "])
    return Regex(rng.choice(KNOWN_PATTERNS) if rng.random() < 0.5 else random_regex(rng))


def random_normalizer(rng):
    n = normalizers
    flag = lambda: rng.random() < 0.5
    return rng.choice([
        n.NFC, n.NFD, n.NFKC, n.NFKD, n.Lowercase, n.StripAccents, n.Nmt, n.ByteLevel,
        lambda: n.Strip(left=flag(), right=flag()),
        lambda: n.Prepend(rng.choice(["▁", "ab", "한"])),
        lambda: n.BertNormalizer(flag(), flag(), rng.choice([None, True, False]), flag()),
        lambda: n.Replace(random_pattern(rng), rng.choice(["", "▁", "xy", "한글"]))])()


def random_pre_tokenizer(rng):
    p = pre_tokenizers
    flag = lambda: rng.random() < 0.5
    return rng.choice([
        p.BertPreTokenizer, p.Whitespace, p.WhitespaceSplit, p.UnicodeScripts,
        lambda: p.ByteLevel(add_prefix_space=flag(), use_regex=flag()),
        lambda: p.Metaspace("▁", rng.choice(["always", "first", "never"]), flag()),
        lambda: p.Split(random_pattern(rng), rng.choice(BEHAVIORS), flag()),
        lambda: p.Split(random_pattern(rng), rng.choice(BEHAVIORS), flag()),
        lambda: p.Punctuation(rng.choice(BEHAVIORS)), lambda: p.Digits(flag()),
        lambda: p.CharDelimiterSplit(rng.choice(" a한-")),
        lambda: p.FixedLength(rng.randrange(1, 5))])()


def cases_of(tokenizer, texts):
    cases = []
    for text in texts:
        try:
            cases.append(case(tokenizer, text))
        except BaseException as error:  # the library panics in some corners
            if "PanicException" not in repr(type(error)):
                raise
    return cases


def random_decoder(rng):
    d = decoders
    flag = lambda: rng.random() < 0.5
    return rng.choice([
        d.ByteLevel, d.ByteFallback, d.ByteFallback, d.Fuse, d.Fuse,
        lambda: d.WordPiece(rng.choice(["##", "a"]), flag()),
        lambda: d.Metaspace("▁", rng.choice(["always", "first", "never"]), flag()),
        lambda: d.BPEDecoder(rng.choice(["</w>", "b"])),
        lambda: d.CTC("<pad>", "|", flag()),
        lambda: d.Strip(rng.choice(" a한"), rng.randrange(3), rng.randrange(3)),
        lambda: d.Replace(rng.choice(["a", "ab", " ", "▁", "한", Regex("a+"), Regex("^ "), Regex("b$")]),
                          rng.choice(["", " ", "ab", "é"]))])()


TOKENS = ["a", "b", "ab", "aa", "▁", "▁a", "a▁b", "##b", "##", " ", " a", "a ", "  ", "|", "<pad>", "</w>",
          "b</w>", "a</w>b", "<0xED>", "<0x95>", "<0x9C>", "<0xFF>", "<0x41>", "<0x0>", "한", "한a", "🙂",
          "\u200d", "\u1112", "\u1161", "Ġ", "í", "ķ", "ľ", "íķľ", ".", " .", " n't", "n't", "do not", "é"]


def decoder_variant(rng, name, count):
    tokenizer = Tokenizer(models.WordLevel({t: i for i, t in enumerate(TOKENS)}, "a"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("\x01", "removed")
    tokenizer.decoder = some(rng, random_decoder, decoders.Sequence)
    tokens = rng.sample(TOKENS, rng.randrange(3, len(TOKENS)))
    cases = cases_of(tokenizer, ["\x01".join(rng.choices(tokens, k=rng.randrange(12)))
                                 for _ in range(count)])
    return {"name": name, "tokenizer": json.loads(tokenizer.to_str()), "cases": cases}


def some(rng, make, together):
    steps = [make(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    return None if not steps else steps[0] if len(steps) == 1 else together(steps)


def variant(rng, name, count):
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0)], 0))
    tokenizer.normalizer = some(rng, random_normalizer, normalizers.Sequence)
    tokenizer.pre_tokenizer = some(rng, random_pre_tokenizer, pre_tokenizers.Sequence)
    texts = [rng.choice(FIXED) if rng.random() < 0.2 else random_string(rng) for _ in range(count)]
    # Text put before everything stands for nothing; the library then repeats parts of it.
    cases = [one for one in cases_of(tokenizer, texts)
             if not any(low == high for low, high in one["offsets"])]
    return {"name": name, "tokenizer": json.loads(tokenizer.to_str()), "cases": cases}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tests", help="the text_tests program")
    options.add_argument("--rounds", type=int, default=200, help="random pipelines")
    options.add_argument("--count", type=int, default=40, help="strings for each")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    rng = random.Random(given.seed)
    variants = []
    while len(variants) < given.rounds:
        try:
            make = decoder_variant if len(variants) % 3 == 2 else variant
            variants.append(make(rng, f"{given.seed}/{len(variants)}", given.count))
        except Exception as error:  # a regular expression that the library refuses
            assert "Oniguruma" in str(error), error
    print(sum(len(v["cases"]) for v in variants), "strings in", len(variants), "pipelines")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"variants": variants}, file)
        file.flush()
        raise SystemExit(subprocess.run(
            [given.tests, "--gtest_filter=Golden.CompareVariants"],
            env={**os.environ, "JOGAK_TOKENIZER_VARIANTS": file.name}).returncode)


if __name__ == "__main__":
    main()
