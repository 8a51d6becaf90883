"""Strings that tokenizers get wrong: the same list for goldens and for the long comparison."""
import random
import unicodedata

SPACES = [chr(c) for c in [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
                           0x2028, 0x2029, 0x202F, 0x205F, 0x3000]]
FIXED = [
    "", " ", "  ", "\n", "\r\n\r\n", "\t \t", "a", " a", "a ", "  a  b   c ", "\u00a0\u00a0a",
    "Hello, world!", "it's we're I've I'm you'll he'd 'S 'Re ''s 's's", "don't   stop\n\n\nnow",
    "안녕하세요. 만나서 반갑습니다!", "대한민국 서울특별시 2031년 5월 9일 금요일", "한글", "ㅋㅋㅋㅋ ㅠㅠ",
    "닭이 알을 낳다. 뷁뷁 쀍", "\u1112\u1161\u11ab\u1100\u1173\u11af NFD", "漢字와 한글 mixed English",
    "가\u0301나\u0308", "🙂🙂 👍🏽 👩‍👩‍👧‍👦 🇰🇷🇺🇸 ✈️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "שלום עולם", "مرحبا بالعالم ١٢٣",
    "e\u0301\u0302\u0303 a\u0300", "½ ⅓ ① Ⅳ ٣ 三 १२३", "日本語のテキスト、テスト。", "ไทยภาษา", "नमस्ते दुनिया",
    "int main() {\n\treturn 0;  // end\n}\n", "for (int i=0;i<10;++i) a[i]+=b[i]*2;",
    "def f(x):\n    if x > 0:\n        return x ** 2\n", "<html>\n  <p class=\"a\">x</p>\n</html>",
    "https://example.com/a/b?c=d&e=f#g user@example.com", "3.14159 1,000,000 1e-10 0xFF",
    "<|endoftext|>", "a<|endoftext|>b <|endoftext|> c", "<|endoftext|><|endoftext|>",
    "<|endoftext", "<|<|endoftext|>|>", "a" * 500, "ab" * 300, " " * 300, "\n" * 100, "가" * 200,
    "!" * 200, "1234567890" * 30, "-=" * 100, "\u200b\u200c\u200d\ufeff",
    "\u0000\u0001\u001f\u007f",
    "\u0378\u0379\U000e0fff\U0010ffff\ufffe\uffff", "\ufdd0 \U0001fffe", "ᚠᛇᚻ ᛒᛦᚦ", "ǅ ß ẞ İ ı ﬁ",
    "𝐇𝐞𝐥𝐥𝐨 𝟘𝟙𝟚", "①②③", "Ａｂｃ１２３", "a\u2028b\u2029c", "\x85\x85x", "x\u3000\u3000y \u3000z",
    *SPACES, *(s + "a" for s in SPACES), *(s * 2 + "한" for s in SPACES),
]

PLANES = [(0, 0x80), (0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000),
          (0x20000, 0x110000), (0xAC00, 0xD7A4), (0x1100, 0x1200), (0x300, 0x370),
          (0x1F300, 0x1FAFF), (0x2000, 0x2070)]
WORDS = ["the", "Hello", "'s", "'ll", "'", "한국어", "뷁", "12", "0", "!?", "<|endoftext|>", "🙂",
         "\u200d", "_", "é", "e\u0301", "Über", "中文", "ع", "\u0301"]


EMOJI = ["👍", "👍🏽", "👩\u200d👩\u200d👧\u200d👦", "🇰🇷", "✈\ufe0f", "❤\ufe0f\u200d🔥", "🏴\U000e0067\U000e0062\U000e007f", "1\ufe0f\u20e3",
         "🧑🏿\u200d🚀", "☺", "\u200d", "\ufe0f", "🏻"]
PIECES = ["return", "(x)", "{", "}", ";", "->", "==", "\n", "\n    ", "\t", "//", "/*", "foo_bar", "camelCase", "0x1F", "1e-9",
          "3.14", "1,234,567", "2031-05-09", "https://", "example.com", "/a/b?c=d&e=%20", "#x", "@user", "\"", "'", "'s", "\\n"]
MIXED = ["한국", "韓國", "語", "Korea", "어", "㈜", "ｱ", "ア", "の", "ÀÉ", "ﬁ", "Ⅳ", "①", "שלום", "مرحبا", "١٢", "नमस्ते", "ไทย", "ǅ", "İ", "ß",
         "\u202e", "\u200f", "e\u0301\u0323", "a\u0308\u0301", "\u1112\u1161\u11ab", "\u1100\u1161", "가\u11a8", "ᄒ", "ㅎ"]


def decomposed(rng):
    """Korean taken apart, here and there with another mark."""
    text = "".join(chr(rng.randrange(0xAC00, 0xD7A4)) for _ in range(rng.randrange(1, 12)))
    out = list(unicodedata.normalize("NFD", text))
    for _ in range(rng.randrange(3)):
        out.insert(rng.randrange(len(out) + 1), rng.choice("\u0301\u0323\u11a8 \u3099"))
    return "".join(out)


def joined(rng, pool, most):
    return "".join(rng.choice(pool) + rng.choice(["", "", " ", " "]) for _ in range(rng.randrange(1, most)))


def random_string(rng):
    kind = rng.randrange(10)
    if kind == 0:  # any code points of one plane
        low, high = rng.choice(PLANES)
        return "".join(chr(rng.randrange(low, high)) for _ in range(rng.randrange(1, 24)))
    if kind == 1:  # every character from another place
        return "".join(chr(rng.randrange(*rng.choice(PLANES))) for _ in range(rng.randrange(1, 24)))
    if kind == 2:  # words and spaces
        return "".join(rng.choice(WORDS) if rng.random() < 0.6 else rng.choice(SPACES)
                       for _ in range(rng.randrange(1, 20)))
    if kind == 3:
        return decomposed(rng)
    if kind == 4:
        return joined(rng, EMOJI, 9)
    if kind == 5:  # code, numbers, addresses
        return joined(rng, PIECES, 20)
    if kind == 6:
        return joined(rng, MIXED, 14)
    if kind == 7:  # long repeats
        return rng.choice(WORDS + EMOJI + MIXED + SPACES) * rng.randrange(1, 90)
    if kind == 8:  # sentences
        return joined(rng, ["the", "king", "sing", "한국어를", "읽는다", "글자", "Then", "light,", "쓴다.", "2031년", "it's"], 16)
    pool = rng.choice(WORDS) + rng.choice(SPACES) + rng.choice(SPACES) + "a1."
    return "".join(rng.choice(pool) for _ in range(rng.randrange(1, 40)))


def strings(count, seed):
    """The fixed strings, then `count` random ones."""
    rng = random.Random(seed)
    return FIXED + [random_string(rng) for _ in range(count)]
