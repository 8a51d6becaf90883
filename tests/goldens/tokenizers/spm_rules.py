"""Replacement rules and texts that are small, but hold every kind of case: used by make_spm.py."""
import random
import unicodedata


def rules():
    """Part of NFKC, with spaces made plain and control characters taken away: {from: to}."""
    codes = [*range(0xA0, 0x100), *range(0x132, 0x14A), *range(0x1C4, 0x1F4), *range(0x1E00, 0x1E20),
             *range(0x2000, 0x2030), *range(0x2100, 0x2140), *range(0x2460, 0x2474), 0x3000,
             *range(0x3131, 0x3140), *range(0x3380, 0x33A0), 0x304C, 0x3071, 0xFB01, 0xFDFA,
             *range(0xFF01, 0xFF7F), 0xAC00, 0xAC01, 0xD55C, 0xAE00, *range(0x1D400, 0x1D420)]
    out = {}
    for code in codes:
        old = chr(code)
        for form in ("NFD", "NFKD", "NFC"):
            new = unicodedata.normalize("NFKC", old)
            for key in {old, unicodedata.normalize(form, old)}:
                if key != new and key.strip():
                    out[key] = new
    out.update({chr(c): " " for c in (9, 10, 13, 0xA0, 0x1680, 0x2028, 0x200B, 0x3000, 0xFEFF)})
    out.update({chr(c): "" for c in [*range(1, 9), 11, 12, *range(14, 32), 0x7F, 0xAD, 0x200E]})
    return out


def write_rules(path):
    with open(path, "w", encoding="utf-8") as file:
        for old, new in sorted(rules().items()):
            file.write(" ".join(f"{ord(c):X}" for c in old) + "\t"
                       + " ".join(f"{ord(c):X}" for c in new) + "\n")


ENGLISH = ("the then other king kingdom sing singing light night nightly reading reader unread "
           "window windows over under understand translation translate date dates").split()
KOREAN = ("한국 한국어 한국어를 한글 나라 나라의 글자 글자를 읽는다 쓴다 학교에서 학교 조각 조각조각 번역 "
          "번역한다 날짜 날짜를 2031년 5월 9일 금요일").split()
JAPANESE = "日本語 日本 言葉 言葉を 学ぶ 学校 テキスト テスト です ます これは 文字".split()
GERMAN = "der die das Straße über Übersetzung übersetzen Wörter Wort schön Mädchen läuft".split()


def lines(count, seed):
    """Made-up sentences of one language each."""
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        words = rng.choice([ENGLISH, ENGLISH, KOREAN, KOREAN, JAPANESE, GERMAN])
        glue = "" if words is JAPANESE else " "
        line = glue.join(rng.choice(words) for _ in range(rng.randrange(3, 10)))
        out.append(line + rng.choice([".", "!", "", " 12.", " 2031-05-09", ", e.g. 3/4"]))
    return out
