"""What a tokenizer makes of a text, as one line: written here and in tests/text/family_test.cpp."""

SECOND = "그리고 a second text."


def encoding_line(e):
    parts = [f"{i}:{a}:{b}:{t}:{s}:{m}" for i, (a, b), t, s, m in
             zip(e.ids, e.offsets, e.type_ids, e.special_tokens_mask, e.attention_mask)]
    return ",".join(parts) + "|" + "\x1f".join(e.tokens)


def line(tokenizer, text):
    e = tokenizer.encode(text)
    bare = tokenizer.encode(text, add_special_tokens=False)
    pair = tokenizer.encode(text, SECOND)
    return "\x1e".join([encoding_line(e), encoding_line(bare), encoding_line(pair),
                        tokenizer.decode(e.ids), tokenizer.decode(e.ids, skip_special_tokens=False),
                        tokenizer.decode(pair.ids)])


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"
