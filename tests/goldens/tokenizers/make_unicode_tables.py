#!/usr/bin/env python3
"""Writes src/text/unicode_tables.cpp by asking PyPI tokenizers about every code point.

The library uses several Unicode versions at once: its regular expressions (Oniguruma) know other
characters than its normalizers and its punctuation. So each table is what one part of it answers.
The script stops where two parts that we treat as one differ.

    python3 tests/goldens/tokenizers/make_unicode_tables.py > src/text/unicode_tables.cpp
"""
import functools
import itertools
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, CODES))
CATEGORIES = ("Cn Cc Cf Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl "
              "Zp Zs").split()
SCRIPTS = """Common Inherited Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Nko Samaritan
    Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan
    Myanmar Georgian Hangul Ethiopic Cherokee Canadian_Aboriginal Ogham Runic Khmer Mongolian Hiragana
    Katakana Bopomofo Han Yi Gothic Tifinagh Coptic Glagolitic Javanese Balinese Sundanese""".split()


def note(text):
    print(text, file=sys.stderr, flush=True)


def matched(pattern):
    """The code points that Oniguruma matches with a pattern for one character."""
    split = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    return set(map(ord, itertools.chain.from_iterable(t for t, _ in split.pre_tokenize_str(TEXT))))


def kept(pre_tokenizer):
    """The code points that are left of the text."""
    pieces = pre_tokenizer.pre_tokenize_str(TEXT)
    return set(map(ord, itertools.chain.from_iterable(t for t, _ in pieces)))


def alone(pre_tokenizer):
    """The code points that stand alone between two letters."""
    return {c for c in CODES if len(pre_tokenizer.pre_tokenize_str("a" + chr(c) + "a")) == 3}


def changed(normalizer):
    return {c: t for c in CODES if (t := normalizer.normalize_str(chr(c))) != chr(c)}


def number(n):
    """A number in base 32, lowest digit first; digits that more follow are 32 higher."""
    out = ""
    while n >= 32:
        out += chr(48 + 32 + n % 32)
        n //= 32
    return out + chr(48 + n)


def runs_of(label):
    """(gap to the run before, label) of every run; surrogates count as the code before them."""
    out, last, value = [], 0, None
    for c in CODES:
        v = label(c)
        if v != value:
            out += [c - last, v]
            last, value = c, v
    return out


def emit(name, numbers):
    text = "".join(map(number, numbers))
    print(f"const std::string_view {name} =")
    lines = [text[i:i + 92] for i in range(0, len(text), 92)] or [""]
    print("\n".join(f'    R"({line})"' for line in lines) + ";\n")
    note(f"{name}: {len(text)} characters")


def flags(*sets):
    return lambda c: sum((c in s) << i for i, s in enumerate(sets))


def categories():
    by_code = {}
    for index, name in enumerate(CATEGORIES[1:], 1):
        if name != "Cs":
            by_code.update((c, index) for c in matched(rf"\p{{{name}}}"))
    unassigned = matched(r"\p{Cn}")
    assert len(by_code) + len(unassigned) == len(CODES)
    return by_code


def check_classes(category):
    """Classes that src/text/regex_class.cpp puts together from categories."""
    of = lambda *names: {c for c in CODES if CATEGORIES[category.get(c, 0)].startswith(names)}
    alphabetic = matched(r"\p{Alphabetic}")
    word = alphabetic | of("M", "Nd", "Pc")
    superscripts = {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}
    space = of("Z") | {9, 10, 11, 12, 13, 0x85}
    assert matched(r"\s") == matched(r"[\s]") == matched(r"[[:space:]]") == space
    assert matched(r"\S") == set(CODES) - space
    assert matched(r"\w") == word | superscripts and matched(r"[\w]") == word
    assert matched(r"\W") == set(CODES) - word - superscripts
    assert matched(r"[^\w]") == matched(r"[\W]") == set(CODES) - word
    assert matched(r"\d") == matched(r"[\d]") == matched(r"[[:digit:]]") == of("Nd")
    assert matched(r"[[:alpha:]]") == alphabetic
    assert matched(r"[[:alnum:]]") == alphabetic | of("Nd")
    assert matched(r"[[:punct:]]") == of("P", "S") and matched(r"\p{punct}") == of("P")
    graph = set(CODES) - space - of("Cn", "Cc", "Cs")
    assert matched(r"[[:graph:]]") == graph == matched(r"\p{graph}")
    assert matched(r"[[:print:]]") == graph | of("Zs") == matched(r"\p{print}")
    assert matched(r"[[:blank:]]") == of("Zs") | {9} and matched(r"[[:cntrl:]]") == of("Cc")
    assert matched(r".") == set(CODES) - {10} and matched(r"\R") == {10, 11, 12, 13, 0x85, 0x2028, 0x2029}
    return alphabetic, space


def rust_classes(space):
    """What the parts written in Rust call a word, a number, punctuation, control, a mark."""
    adder = Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    adder.add_special_tokens([AddedToken("<r>", rstrip=True), AddedToken("<l>", lstrip=True)])
    adder.add_tokens([AddedToken("wo", single_word=True)])
    wo = adder.token_to_id("wo")
    word = {c for c in CODES if wo not in adder.encode(chr(c) + "wo").ids}
    assert word == {c for c in CODES if wo not in adder.encode("wo" + chr(c)).ids}
    for text in ("<r>{}", "{}<l>"):
        assert space == {c for c in CODES if len(adder.encode(text.format(chr(c))).ids) == 1}
    assert set(CODES) - kept(pre_tokenizers.WhitespaceSplit()) == space
    assert set(CODES) - kept(pre_tokenizers.Whitespace()) == space
    glued = {c for c in CODES if len(pre_tokenizers.Whitespace().pre_tokenize_str("a" + chr(c))) == 1}
    assert glued - space == word
    strip = changed(normalizers.Strip())
    assert set(strip) == space and set(strip.values()) == {""}
    clean = changed(normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False,
                                               strip_accents=False, lowercase=False))
    other = {c for c, t in clean.items() if t == ""}
    assert {c for c, t in clean.items() if t == " "} == (space | {9, 10, 13}) - {32} - other
    accents = changed(normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False,
                                                 strip_accents=True, lowercase=False))
    nonspacing = {c for c, t in accents.items() if t == ""}
    marks = {c for c, t in changed(normalizers.StripAccents()).items() if t == ""}
    numeric = alone(pre_tokenizers.Digits(individual_digits=True))
    punctuation = alone(pre_tokenizers.Punctuation("isolated"))
    bert = alone(pre_tokenizers.BertPreTokenizer())
    assert bert == punctuation
    return flags(word, numeric, punctuation, other, nonspacing, marks)


def unicode_scripts():
    """Scripts of the UnicodeScripts pre-tokenizer, numbered as they appear; 0 goes with any."""
    cut = pre_tokenizers.UnicodeScripts()
    same = lambda a, b: len(cut.pre_tokenize_str(chr(a) + chr(b))) == 1
    heads, out, value, last = [], {}, None, None
    for c in CODES:
        if same(0x61, c) and same(0xAC00, c):
            out[c] = 0
            continue
        if last is None or not same(last, c):
            value = next((i for i, h in enumerate(heads, 1) if same(h, c)), len(heads) + 1)
            heads += [c] * (value > len(heads))
        out[c], last = value, c
    return out


def script_runs():
    by_code = {}
    for index, name in enumerate(SCRIPTS, 1):
        by_code.update((c, index) for c in matched(rf"\p{{{name}}}"))
    return lambda c: by_code.get(c, 0)


def mappings(table):
    """(gap, how many code points, the code points) of every entry."""
    out, last = [], 0
    for c, text in sorted(table.items()):
        out += [c - last, len(text), *map(ord, text)]
        last = c
    return out


def combining_classes(nfd):
    """Numbers in the order of the classes; the real numbers are not needed."""
    normal = normalizers.NFD()
    swaps = lambda a, b: normal.normalize_str(chr(a) + chr(b)) == chr(b) + chr(a)
    order = lambda a, b: 1 if swaps(a, b) else -1 if swaps(b, a) else 0
    marks = [c for c in CODES if c not in nfd and not 0xAC00 <= c < 0xD7A4 and
             (swaps(0x345, c) or swaps(c, 0x334) or c in (0x334, 0x345))]
    marks.sort(key=functools.cmp_to_key(order))
    out, value = {}, 0
    for i, c in enumerate(marks):
        value += i == 0 or order(marks[i - 1], c) != 0
        out[c] = value
    assert value < 64
    return lambda c: out.get(c, 0)


def compositions(nfd):
    normal = normalizers.NFC()
    out, last = [], 0
    for c, parts in sorted(nfd.items()):
        if normal.normalize_str(chr(c)) != chr(c) or len(parts) < 2:
            continue
        first = normal.normalize_str(parts[:-1])
        assert len(first) == 1 and normal.normalize_str(first + parts[-1]) == chr(c), hex(c)
        out += [c - last, ord(first), ord(parts[-1])]
        last = c
    return out


def case_folds(category, lower):
    """Groups of characters that (?i:...) takes for each other."""
    cased = {c for c in CODES if CATEGORIES[category.get(c, 0)] in ("Ll", "Lu", "Lt")}
    cased |= set(lower) | {ord(t) for t in lower.values() if len(t) == 1}
    cased |= {c for c in CODES if chr(c).casefold() != chr(c)} | {0x345}
    cased = sorted(c for c in cased if not 0xD800 <= c < 0xE000)
    text = "\0".join(map(chr, cased))
    groups, out, last = {}, [], 0
    for c in cased:
        split = pre_tokenizers.Split(Regex(f"(?i:\\x{{{c:x}}})"), "removed", invert=True)
        groups[c] = [ord(t) for t, _ in split.pre_tokenize_str(text) if len(t) == 1]
    for c, group in groups.items():
        assert c in group and all(groups[d] == group for d in group), hex(c)
        if len(group) > 1 and c == group[0]:
            out += [c - last, len(group) - 1, *group[1:]]
            last = c
    return out


def fold_strings():
    """Characters that (?i:...) takes for several others, such as the German sharp s."""
    out = {}
    for c in CODES:
        text = chr(c).casefold()
        if len(text) > 1:
            split = pre_tokenizers.Split(Regex(f"(?i:\\x{{{c:x}}})"), "removed", invert=True)
            if [t for t, _ in split.pre_tokenize_str(text)] == [text]:
                out[c] = text
    assert {"ss", "ffi", "st"} <= set(out.values())
    return out


def main():
    print("// Generated by tests/goldens/tokenizers/make_unicode_tables.py with tokenizers "
          f"{tokenizers.__version__};\n// not edited by hand. unicode_tables.h says how to read it.")
    print('#include "text/unicode_tables.h"\n\nnamespace jogak::text::tables {\n\n'
          "// clang-format off")
    category = categories()
    note("categories")
    emit("kCategories", runs_of(lambda c: category.get(c, 0)))
    alphabetic, space = check_classes(category)
    note("classes")
    emit("kProperties", runs_of(flags(alphabetic, matched(r"\p{Lowercase}"),
                                      matched(r"\p{Uppercase}"), matched(r"\p{Emoji}"),
                                      matched(r"\p{Extended_Pictographic}"))))
    emit("kScripts", runs_of(script_runs()))
    emit("kRustClasses", runs_of(rust_classes(space)))
    scripts = unicode_scripts()
    emit("kPreTokenizerScripts", runs_of(lambda c: scripts[c]))
    lower = changed(normalizers.Lowercase())
    emit("kLowercase", mappings(lower))
    syllable = lambda c: 0xAC00 <= c < 0xD7A4
    nfd = {c: t for c, t in changed(normalizers.NFD()).items() if not syllable(c)}
    nfkd = {c: t for c, t in changed(normalizers.NFKD()).items()
            if not syllable(c) and nfd.get(c) != t}
    emit("kCanonical", mappings(nfd))
    emit("kCompatible", mappings(nfkd))
    emit("kCombiningOrder", runs_of(combining_classes(nfd)))
    emit("kCompositions", compositions(nfd))
    emit("kCaseFolds", case_folds(category, lower))
    emit("kFoldStrings", mappings(fold_strings()))
    print("// clang-format on\n\n}  // namespace jogak::text::tables")
    note("scripts: " + " ".join(SCRIPTS))


if __name__ == "__main__":
    main()
