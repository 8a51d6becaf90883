"""Kinds 1 to 64: safetensors. '@' in a header stands before the byte that the error must name."""

import os
import shutil
import struct
import time

from case import GOLDENS, IO, Case, compact, length_bytes, read_safetensors, safetensors
from case import tensor_entries

GPT2 = "gpt2-a"
MODEL = "model.safetensors"


def entry(name, dtype="U8", shape="[1]", offsets="[0,1]"):
    return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}'


def whole(kind, what, content, at, words, **more):
    """A file of these bytes, or one that a function writes."""
    return Case(kind, what, {MODEL: content}, golden=GPT2, place=f"byte {at}", words=words, **more)


def header(kind, what, text, words, data=1, **more):
    text = text if isinstance(text, bytes) else text.encode()
    at = text.index(b"@")
    return whole(kind, what, safetensors(text[:at] + text[at + 1:], b"\0" * data), 8 + at, words,
                 **more)


def one(kind, what, words, data=2, **fields):
    """One tensor "a" of U8, with this or that field otherwise."""
    return header(kind, what, "{" + entry("a", **{"shape": "[2]", "offsets": "[0,2]", **fields})
                  + "}", words, data)


def lengths():
    good = "{" + entry("a") + "}"
    over = "header length over 100000000"
    past = "header ends past end of file"
    text = good.encode()
    return [
        whole("1", "empty file", b"", 0, "0 bytes, need 8"),
        whole("2", "seven bytes", b"\0" * 7, 0, "7 bytes, need 8"),
        whole("3", "length 0", length_bytes(0) + b"{}", 0, "empty header"),
        whole("4", "length 100,000,001", length_bytes(100_000_001) + text, 0, over),
        whole("5", "length 2^64-1", length_bytes(2**64 - 1) + text, 0, over),
        whole("6", "length 2^63", length_bytes(2**63) + text, 0, over),
        whole("7", "length one past the end", length_bytes(len(text) + 1) + text, 0, past),
        whole("8", "big-endian length", struct.pack(">Q", len(text)) + text + b"\0", 0, over),
    ]


def texts():
    a = entry("a")
    deep = 1_000_000
    return [
        header("9", "invalid UTF-8", b'{"@\xffz":1}', "not UTF-8"),
        header("10", "overlong UTF-8", b'{"@\xc0\x80":1}', "not UTF-8"),
        header("10", "surrogate in UTF-8", b'{"@\xed\xa0\x80":1}', "not UTF-8"),
        header("10", "lone surrogate escaped", r'{"\@ud800":1}', "surrogate"),
        header("11", "an array", "@[]", "the header must be an object", 0),
        header("12", "byte order mark", "@\ufeff{" + a + "}", "wanted a JSON value"),
        header("13", "truncated", "{" + a + "@", "the end of the text"),
        header("14", "garbage after }", "{" + a + "} @x", "wanted the end of the document"),
        header("15", "NUL in the padding", "{" + a + "}  @\0", "byte value 0"),
        header("16", "comment", "{@/**/" + a + "}", "found '/'"),
        header("16", "trailing comma", "{" + a + ",@}", "wanted a key"),
        header("17", "depth 65", '{"a":' + "[" * 63 + "@[" + "]" * 64 + "}", "deeper than 64"),
        header("18", "depth 1,000,000", '{"a":' + "[" * 63 + "@" + "[" * (deep - 64),
               "deeper than 64", big=True),
    ]


def names_and_metadata():
    a = entry("a")
    twice = "a second time"
    return [
        header("19", "the same name twice", "{" + a + ",@" + a + "}", 'key "a" ' + twice),
        header("20", "twice, other offsets", "{" + a + ",@" + entry("a", offsets="[1,2]") + "}",
               'key "a" ' + twice, 2),
        header("21", "twice, once escaped", "{" + a + ",@" + entry(r"\u0061") + "}",
               'key "a" ' + twice),
        header("22", "metadata twice", '{"__metadata__":{},@"__metadata__":{},' + a + "}", twice),
        header("23", "metadata a number", '{"__metadata__":{"k":@1},' + a + "}",
               "wanted a string"),
        header("24", "metadata an array", '{"__metadata__":@[],' + a + "}",
               "wanted an object of strings"),
        header("53", "empty name", "{" + entry("").replace(":{", ":@{", 1) + "}", "empty name"),
        header("54", "name with NUL", "{" + entry(r"a\u0000b").replace(":{", ":@{", 1) + "}",
               "contains a NUL"),
        header("55", "name of 1 MiB", "{" + entry("n" * (1 << 20)).replace(":{", ":@{", 1) + "}",
               "a tensor name of 1048576 bytes", big=True),
    ]


def fields():
    return [
        header("25", "dtype missing", '{"a":@{"shape":[1],"data_offsets":[0,1]}}',
               '"dtype" is missing'),
        header("26", "shape missing", '{"a":@{"dtype":"U8","data_offsets":[0,1]}}',
               '"shape" is missing'),
        header("27", "data_offsets missing", '{"a":@{"dtype":"U8","shape":[1]}}',
               '"data_offsets" is missing'),
        header("28", "field twice",
               '{"a":{"dtype":"U8",@"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
               "a second time"),
        header("29", "unknown field",
               '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":@1}}',
               'unknown field "x"'),
        header("30", "dtype F33", "{" + entry("a", "F33").replace('"F33"', '@"F33"') + "}",
               'unknown dtype "F33"'),
        one("32", "shape a number", "wanted an array", shape="@2"),
        one("33", "dimension negative", "found -1, wanted an integer from 0", shape="[@-1]"),
        one("34", "dimension 1.5", "found 1.5", shape="[@1.5]"),
        one("35", "dimension 1e3", "wanted an integer", shape="[@1e3]"),
        one("36", "dimension 2^64", "wanted an integer", shape="[@18446744073709551616]"),
        one("37", "product overflows", "too many bytes", shape="@[4294967296,4294967296]"),
        one("38", "product fits, bytes overflow", "too many bytes", dtype="F64",
            shape="@[1152921504606846976,2]"),
        one("39", "rank 1,000", "rank over 8", shape="@[" + ",".join(["1"] * 1000) + "]"),
        one("40", "one offset", "found 1 numbers, wanted two", offsets="@[2]"),
        one("41", "three offsets", "found 3 numbers, wanted two", offsets="@[0,2,2]"),
        one("42", "begin behind end", "begins at 2 and ends before", offsets="@[2,0]"),
        one("43", "offset negative", "found -2", offsets="[@-2,0]"),
        one("44", "end past the end of the file", "past the 2 bytes of data", offsets="@[1,3]"),
        one("45", "size other than shape and dtype", "needs 8 bytes, data_offsets give 2",
            dtype="F32", shape="@[2]"),
        one("52", "F4 with an odd count", "not a whole number of bytes", dtype="F4",
            shape="@[3]"),
    ]


def ranges():
    a = entry("a", shape="[2]", offsets="[0,2]")
    tail = safetensors("{" + a + "}", b"xy")
    names = ",".join(entry(f"t{i}", shape="[2]", offsets="[0,2]") for i in range(10_000))
    return [
        header("46", "overlap of one byte", "{" + a + ","
               + entry("b", shape="[2]", offsets="@[1,3]") + "}", "tensors overlap", 3),
        Case("47", "10,000 names on one range", {MODEL: safetensors("{" + names + "}", b"xy")},
             golden=GPT2, words="tensors overlap", big=True),
        header("48", "hole of one byte", "{" + a + "," + entry("b", shape="[2]", offsets="@[3,5]")
               + "}", "a hole", 5),
        header("49", "first begins at 8", "{" + entry("a", shape="[2]", offsets="@[8,10]") + "}",
               "a hole", 10),
        whole("50", "one trailing byte", tail + b"z", len(tail), "1 bytes after the last tensor"),
        whole("51", "zip appended", tail + b"PK\x03\x04 and the rest of an archive", len(tail),
              "after the last tensor"),
    ]


def million_tensors(count):
    """Writes that many tensors of size 0."""
    def write(path):
        with open(path, "wb") as file:
            file.write(b"\0" * 8 + b"{")
            for start in range(0, count, 10_000):
                rows = (f'"{i:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'
                        for i in range(start, start + 10_000))
                file.write((("," if start else "") + ",".join(rows)).encode())
            file.write(b"}")
            size = file.tell() - 8
            file.seek(0)
            file.write(length_bytes(size))
    return write


def other_files():
    lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 548105171\n"
    return [
        # The shortest entries of two million take more than a header may: that is said first.
        Case("56", "2,000,000 tensors of size 0", {MODEL: million_tensors(2_000_000)}, golden=GPT2,
             big=True, place="byte 0", words="header length over 100000000"),
        Case("56", "1,700,000 tensors of size 0", {MODEL: million_tensors(1_700_000)}, golden=GPT2,
             big=True, words="too many tensors", megabytes=160),
        whole("57", "Git LFS pointer", lfs, 0, "Git LFS pointer, not the model"),
        whole("58", "HTML page", "<!DOCTYPE html><html><body>Not found</body></html>", 0,
              "a web page"),
        whole("59", "pickle", b"\x80\x02\x8a\nl\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 0,
              "pickle is not read"),
        whole("60", "zip", b"PK\x03\x04\x14\0\0\0\x08\0archive/data.pkl", 0, "a zip archive"),
        whole("61", "GGUF", b"GGUF\x03\0\0\0\x10\0\0\0\0\0\0\0", 0, "a GGUF file"),
    ]


def make_fifo(path):
    os.mkfifo(path)


def no_files():
    """Kind 62: neither is waited for."""
    plain = "wanted a regular file"
    return [
        Case("62", "FIFO", {MODEL: make_fifo}, golden=GPT2, place="", words=plain),
        Case("62", "device", {MODEL: lambda path: path.symlink_to("/dev/zero")}, golden=GPT2,
             place="", words=plain),
        Case("62", "directory", {MODEL: lambda path: path.mkdir()}, golden=GPT2, place="",
             words=plain),
    ]


def golden_tensors():
    return read_safetensors(GOLDENS / GPT2 / MODEL)


def model_with(name, dtype, values):
    """The golden's model with one tensor otherwise."""
    tensors = golden_tensors()
    tensors[name] = (dtype, tensors[name][1], values)
    entries, data = tensor_entries(tensors)
    return safetensors(entries, data)


INPUT = safetensors({"input_ids": {"dtype": "I64", "shape": [1, 3], "data_offsets": [0, 24]}},
                    struct.pack("<3q", 1, 2, 3))
FORWARD = ("forward", "@", "--input", "@/in", "--output", "@/out")


def values():
    name = "transformer.h.1.mlp.c_fc.bias"
    numbers = golden_tensors()[name][2]
    out = [Case("31", "dtype F8_E4M3", {MODEL: model_with(name, "F8_E4M3", numbers[::4])},
                golden=GPT2, words="unsupported dtype F8_E4M3")]
    for what, number in (("NaN", "nan"), ("infinity", "-inf")):
        bad = model_with(name, "F32", struct.pack("<f", float(number)) + numbers[4:])
        files = {MODEL: bad, "in": INPUT}
        out.append(Case("64", what, files, FORWARD, golden=GPT2, place="tensor " + name,
                        words="holds NaN or infinity; --allow-nonfinite"))
        out.append(Case("64", what + " allowed", files, FORWARD + ("--allow-nonfinite",), code=0,
                        golden=GPT2))
    return out


def cut_while_used(process, directory):
    """Kind 63: after the first answer the file loses its end; the second needs it."""
    process.stdin.write(b"a\n")
    process.stdin.flush()
    wait_for(lambda: answered(process))
    os.truncate(directory / MODEL, 4096)
    process.stdin.write(b"a\n")
    process.stdin.close()


def answered(process):
    """Whether it has written something, and waits."""
    return os.stat(f"/proc/{process.pid}/fd/1").st_size > 0


def wait_for(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise RuntimeError("waited for a minute")


def copy_model(path):
    shutil.copy(GOLDENS / "bert-a" / MODEL, path)


def shrinking():
    words = {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}
    return [Case("63", "shrinks while it is used",
                 {MODEL: copy_model, "tokenizer.json": compact({"model": words})},
                 ("embed", "@", "--batch", "1"), golden="bert-a", code=IO, drive=cut_while_used,
                 words="cut short while it was in use")]


def cases():
    return (lengths() + texts() + names_and_metadata() + fields() + ranges() + other_files()
            + no_files() + shrinking() + values())
