"""Kinds 176 to 185: tensors that `forward` is given and no model reads; too little room."""

import json
import struct

from case import MISSING, Case, safetensors, tensor_entries

FILE = "in.safetensors"
FORWARD = ("forward", "@", "--input", "@/" + FILE, "--output", "@/out.safetensors")


def whole(*values, rows=1):
    return ("I64", [rows, len(values) // rows], struct.pack(f"<{len(values)}q", *values))


def labels_of(*values):
    return ("I64", [len(values)], struct.pack(f"<{len(values)}q", *values))


def floats(*shape):
    count = 1
    for size in shape:
        count *= size
    return ("F32", list(shape), b"\0" * (4 * count))


def case(kind, golden, what, tensors, words, place="tensor", code=65):
    return Case(kind, f"{golden} {what}", {FILE: safetensors(*tensor_entries(tensors))}, FORWARD,
                golden=golden, file=FILE, place=place, words=words, code=code)


def ids():
    out = []
    for golden, last in (("gpt2-a", 96), ("bert-a", 60), ("llama-a", 60)):
        for value in (-1, last + 1, 1 << 40):
            out.append(case("176", golden, f"id {value}".replace("-", "minus "),
                            {"input_ids": whole(1, value, 2)},
                            f'"input_ids": found {value} at place 1 of 3, wanted 0 to {last}'))
    out.append(case("176", "marian-a", "decoder id", {"input_ids": whole(1, 2),
                                                       "decoder_input_ids": whole(1, 9999)},
                    '"decoder_input_ids": found 9999'))
    return out


def targets():
    return [
        case("177", "gpt2-a", "label", {"input_ids": whole(1, 2), "labels": whole(1, 97)},
             '"labels": found 97 at place 1 of 2, wanted 0 to 96 or -100'),
        case("177", "gpt2-a", "label minus 5", {"input_ids": whole(1, 2), "labels": whole(1, -5)},
             '"labels": found -5'),
        case("177", "bert-d", "class", {"input_ids": whole(1, 2), "labels": labels_of(3)},
             '"labels": found 3 at place 0 of 1, wanted 0 to 2 or -100'),
        case("177", "gpt2-a", "labels that all are ignored",
             {"input_ids": whole(1, 2), "labels": whole(-100, -100)}, "every one is -100"),
        case("177", "marian-a", "label", {"input_ids": whole(1, 2), "labels": whole(1, 9999)},
             '"labels": found 9999'),
        case("178", "bert-a", "token type", {"input_ids": whole(1, 2),
                                             "token_type_ids": whole(0, 7)},
             '"token_type_ids": found 7'),
    ]


def shapes():
    return [
        case("179", "gpt2-a", "one axis", {"input_ids": labels_of(1, 2)}, "wanted integers",
             "input_ids"),
        case("179", "gpt2-a", "floats", {"input_ids": floats(1, 2)}, "wanted whole numbers"),
        case("179", "gpt2-a", "mask of another length",
             {"input_ids": whole(1, 2), "attention_mask": whole(1, 1, 1)}, "[1, 3]",
             "attention_mask"),
        case("179", "opt-a", "mask of other numbers",
             {"input_ids": whole(1, 2), "attention_mask": whole(1, 2)}, "holds 2, wanted 0 and 1",
             "attention_mask"),
        case("179", "bert-d", "labels of another batch",
             {"input_ids": whole(1, 2), "labels": labels_of(1, 2)}, "", ""),
        case("179", "gpt2-a", "more tokens than positions", {"input_ids": whole(*[1] * 5000)},
             "5000", ""),
        case("179", "bert-a", "more tokens than positions", {"input_ids": whole(*[1] * 5000)},
             "5000", ""),
        case("180", "vit-a", "channels", {"pixel_values": floats(1, 7, 8, 8)},
             '"pixel_values": found [1, 7, 8, 8], wanted [batch, '),
        case("180", "vit-a", "three axes", {"pixel_values": floats(3, 8, 8)},
             '"pixel_values": found [3, 8, 8]'),
        case("180", "vit-a", "less than a patch", {"pixel_values": floats(1, 3, 1, 1)}, "", ""),
        case("181", "patchtst-a", "window", {"past_values": floats(1, 21, 3)},
             '"past_values": found [1, 21, 3], wanted [batch, 22, 3]'),
        case("181", "patchtst-a", "series", {"past_values": floats(1, 22, 4)},
             '"past_values": found [1, 22, 4]'),
        case("181", "patchtst-a", "future", {"past_values": floats(1, 22, 3),
                                             "future_values": floats(1, 5, 3)},
             '"future_values": found [1, 5, 3], wanted [batch, 6, 3]'),
    ]


def names():
    return [
        case("182", "gpt2-a", "unknown tensor", {"input_ids": whole(1, 2), "input_id": whole(1, 2)},
             "model reads"),
        case("183", "gpt2-a", "no ids", {"labels": whole(1, 2)}, "input_ids", "", MISSING),
        case("183", "vit-a", "no pixels", {"labels": labels_of(1)}, "pixel_values", "", MISSING),
    ]


def small():
    """Too little room: a truncation for special tokens, an image for a patch."""
    tokenizer = json.dumps({
        "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "b": 1}},
        "truncation": {"direction": "Right", "max_length": 1, "strategy": "LongestFirst",
                       "stride": 0},
        "post_processor": {"type": "BertProcessing", "sep": ["b", 1], "cls": ["b", 1]}})
    pixel = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de00000"
                          "00c4944415478da6360606000000004000127346b9d0000000049454e44ae426082")
    return [
        Case("184", "truncation below the special tokens", {"tokenizer.json": tokenizer},
             ("tokenizer", "encode", "@"), stdin="a\n", file="", place="truncation",
             words="wanted room for the 2 special tokens"),
        Case("185", "an image below a patch",
             {"preprocessor_config.json": '{"size": {"height": 1, "width": 1}}', "x.png": pixel},
             ("classify", "@", "@/x.png"), golden="vit-a", file="preprocessor_config.json",
             place="size", words="wanted at least a patch of 4 x 4"),
    ]


def cases():
    return small() + ids() + targets() + shapes() + names()
