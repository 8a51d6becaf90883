"""What must be accepted: A1 to A19, and that the result is that of the plain form."""

import json
import struct
import zlib

from case import GOLDENS, Case, compact, length_bytes, safetensors, tensor_entries
from checkpoint_kinds import NEWEST, RESUME, copy_run
from config_kinds import with_key
from safetensors_kinds import FORWARD, GPT2, INPUT, MODEL, golden_tensors
from tokenizer_kinds import ABC, ENCODE, bpe

first_results = {}  # of a group of cases, which must all be the same


def same(group, result):
    """A check that `result` (of directory and what the process left) is that of the group."""
    def check(directory, done):
        value = result(directory, done)
        return "" if first_results.setdefault(group, value) == value else "another result"
    return check


def out_file(directory, done):
    return (directory / "out").read_bytes()


def out_text(directory, done):
    return done.out


def forward(kind, what, model=None, given=INPUT, **more):
    """A model and its input in this form give the logits of the plain form."""
    files = {"in": given, **({MODEL: model} if model else {})}
    return Case(kind, what, files, FORWARD, code=0, golden=GPT2, check=same("forward", out_file),
                **more)


def plain_input():
    return {"input_ids": ("I64", [1, 3], struct.pack("<3q", 1, 2, 3))}


def long_header(path):
    """A11: 99,000,000 bytes, of which spaces are most."""
    header, data = tensor_entries(golden_tensors())
    path.write_bytes(length_bytes(99_000_000) + compact(header).encode().ljust(99_000_000) + data)


def long_metadata(path):
    header, data = tensor_entries(plain_input())
    start = b'{"__metadata__":{"k":"'
    end = b'"},' + compact(header).encode()[1:]
    middle = b"x" * (99_000_000 - len(start) - len(end))
    path.write_bytes(length_bytes(99_000_000) + start + middle + end + data)


def many_tensors(path):
    """A10: 100,000 tensors, one byte each, beside the input."""
    tensors = plain_input()
    tensors.update((f"grads.{i}", ("U8", [1], b"\1")) for i in range(100_000))
    path.write_bytes(safetensors(*tensor_entries(tensors)))


def of_safetensors():
    tensors = golden_tensors()
    header, data = tensor_entries(tensors)
    text = compact(header)
    escaped = "{" + text[1:].replace('"transformer.', r'"\u0074ransformer.') + "}"
    turned, turned_data = tensor_entries(dict(reversed(tensors.items())))
    shuffled = {name: turned[name] for name in sorted(turned)}  # not in the order of the data
    small = tensor_entries({**plain_input(), "grads.one": ("F32", [], struct.pack("<f", 2))})
    empty = tensor_entries({**plain_input(), "grads.none": ("F32", [3, 0, 2], b"")})
    odd = text + " " * (1 - (8 + len(text)) % 2)
    return [
        forward("A1", "leading whitespace", safetensors(" \n\t\r " + text, data)),
        forward("A2", "trailing padding", safetensors(text + " " * 37, data)),
        forward("A3", "names in any order", safetensors(shuffled, turned_data)),
        Case("A4", "zero tensors, as the state of plain SGD", copy_run("sgd"), RESUME, code=0,
             logs=True, check=no_tensors),
        forward("A5", "rank 0", given=safetensors(*small)),
        forward("A6", "a shape with 0", given=safetensors(*empty)),
        forward("A7", "data that begins at an odd byte", safetensors(odd, data)),
        forward("A8", "no metadata", safetensors(text, data)),
        forward("A8", "metadata", safetensors({"__metadata__": {"format": "pt"}, **header}, data)),
        forward("A9", "escaped names", safetensors(escaped[:-1], data)),
        forward("A10", "100,000 tensors", given=many_tensors, big=True, megabytes=128),
        Case("A10", "100,000 tensors that nobody reads", {MODEL: unused_tensors}, code=0,
             golden=GPT2, big=True, megabytes=320),
        forward("A11", "header of 99 MB, spaces", long_header, big=True, megabytes=160),
        forward("A11", "header of 99 MB, metadata", given=long_metadata, big=True, megabytes=448),
        sharded("A12", "shards in order", tensors, 1),
        sharded("A12", "shards in turned order", tensors, -1),
    ]


def unused_tensors(path):
    """A10: 100,000 tensors that GPT-2's files may have and no model needs, beside its own."""
    tensors = golden_tensors()
    tensors.update((f"transformer.h.{i}.attn.masked_bias", ("F32", [], b"\0\0\0\0"))
                   for i in range(100_000))
    path.write_bytes(safetensors(*tensor_entries(tensors)))


def no_tensors(directory, done):
    content = (directory / NEWEST / "optimizer.safetensors").read_bytes()
    header = json.loads(content[8:8 + struct.unpack("<Q", content[:8])[0]])
    header.pop("__metadata__", None)
    return "" if not header else "it has tensors"


def sharded(kind, what, tensors, step):
    """Two shards, every second tensor in each; the index lists them forwards or backwards."""
    names = list(tensors)
    files, where = {"in": INPUT, MODEL: None}, {}
    for number in (0, 1):
        shard = f"model-{number}.safetensors"
        files[shard] = safetensors(*tensor_entries({n: tensors[n] for n in names[number::2]}))
        where.update((name, shard) for name in names[number::2])
    index = {"weight_map": {name: where[name] for name in names[::step]}}
    files["model.safetensors.index.json"] = compact(index)
    return Case(kind, what, files, FORWARD, code=0, golden=GPT2, check=same("forward", out_file))


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def piece(text, score=0.0, kind=1):
    return field(1, field(1, text) + varint(2 << 3 | 5) + struct.pack("<f", score)
                 + varint(3 << 3) + varint(kind))


def spm(kind, what, content, text, ids):
    def check(directory, done):
        got = json.loads(done.out)["ids"]
        return "" if got == ids else f"ids {got}"
    return Case(kind, what, {"m.model": content}, ("tokenizer", "encode", "@/m.model", "--jsonl"),
                code=0, stdin=compact(text), check=check)


def of_tokenizers():
    start = piece(b"<unk>", 0, 2) + piece("▁a".encode(), -1) + piece(b"b", -1)
    unknown = varint(900 << 3 | 2) + varint(3) + b"xyz" + varint(901 << 3) + varint(7)
    pairs = [bpe(ABC, merge) for merge in ('"a b"', '["a","b"]')]
    return [
        spm("A13", "a piece with NUL", start + piece(b"b\0b", 5), "ab\0b", [1, 3]),
        spm("A14", "empty charsmap", start + field(3, field(2, b"")), "ab", [1, 2]),
        spm("A15", "unknown fields", unknown + start + unknown, "ab", [1, 2]),
        *[Case("A16", what, {"tokenizer.json": content}, ENCODE, code=0, stdin="abab\n",
               check=same("merges", out_text))
          for what, content in zip(("merges as text", "merges as pairs"), pairs)],
    ]


def csv(kind, what, change, encoding="utf-8", group="forecast"):
    rows = [f"2024-01-{day:02},{day * 7 % 10},{day * 3 % 7},{day % 4}" for day in range(1, 29)]
    content = change("\n".join(['date,"a",b,c', *rows]) + "\n").encode(encoding)
    return Case(kind, what, {"in.csv": content}, ("forecast", "@", "--input", "@/in.csv"), code=0,
                golden=PANEL, check=same(group, out_text))


PANEL = "patchtst-a"


def png(bits):
    """A grey PNG of 16 x 16 with so many bits a pixel, a ramp from left to right."""
    def chunk(name, content):
        whole = name + content
        return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))
    row = 0
    for x in range(16):
        row = row << bits | (x * ((1 << bits) - 1) // 15)
    rows = (b"\0" + row.to_bytes(2 * bits, "big")) * 16
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, bits, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def of_tables_and_images():
    images = sorted((GOLDENS / "images").glob("*.png")) + sorted((GOLDENS / "images").glob("*.jpg"))
    return [
        csv("A17", "LF", lambda text: text),
        csv("A17", "CRLF", lambda text: text.replace("\n", "\r\n")),
        csv("A17", "byte order mark", lambda text: text, "utf-8-sig"),
        csv("A17", "quoted cells", lambda text: text.replace("2024-01-03", '"2024-01-03"')),
        csv("A17", "quoted line end", lambda text: text.replace('"a"', '"a\nb"'), group="a line end"),
        *[Case("A18", path.name, {"in" + path.suffix: path.read_bytes()},
               ("classify", "@", "@/in" + path.suffix), code=0, golden="vit-a") for path in images],
        *[Case("A18", f"PNG of {bits} bits", {"in.png": png(bits)}, ("classify", "@", "@/in.png"),
               code=0, golden="vit-a") for bits in (1, 2, 4, 8, 16)],
    ]


def of_configs():
    config = "config.json"
    falcon = ('{"AutoConfig":"configuration_falcon.FalconConfig","AutoTokenizer":[null,null],'
              '"AutoModelForCausalLM":"tiiuae/falcon-7b--modeling_falcon.FalconForCausalLM"}')
    rows = (("A19", "gpt2-a", "a_key_of_tomorrow", '{"deep":[[["x"]]]}'),
            ("A19", "llama-a", "_name_or_path", '"somewhere"'),
            ("104", "falcon-a", "auto_map", falcon), ("104", "gpt2-a", "auto_map", "null"),
            ("105", "gpt2-a", "eos_token_id", "97"))
    return [Case(kind, f"{golden} {key} accepted", {config: with_key(golden, key, value)}, code=0,
                 golden=golden) for kind, golden, key, value in rows]


def cases():
    return of_safetensors() + of_tokenizers() + of_tables_and_images() + of_configs()
