"""Kinds 300 to 309: matrices of small integers whose scales, shapes, words or zeros are wrong."""

import struct

from case import GOLDENS, Case, read_safetensors, safetensors, tensor_entries

Q4, Q8 = "quantized/llama-q4", "quantized/bert-q8-zeros"
LAYER = "model.layers.1.mlp.down_proj.weight"  # [64, 128] in groups of 32
DENSE = "bert.encoder.layer.0.output.dense.weight"  # [64, 96], a scale and a zero a row


def floats(shape, values):
    return ("F32", shape, struct.pack(f"<{len(values)}f", *values))


def changed(kind, what, golden, tensor, new, words, at=None):
    """The golden's model with one tensor made anew (None: left out), refused by its name."""
    tensors = read_safetensors(GOLDENS / golden / "model.safetensors")
    if new is None:
        del tensors[tensor]
    else:
        tensors[tensor] = new(*tensors[tensor]) if callable(new) else new
    name = at or tensor
    return Case(kind, what, {"model.safetensors": safetensors(*tensor_entries(tensors))},
                ("forward", "@", "--input", "@/in.safetensors", "--output", "@/out.safetensors"),
                golden=golden, words=f"tensor {name}: {words}", prepare=inputs)


def inputs(directory):
    ids = {"input_ids": ("I64", [1, 2], struct.pack("<2q", 1, 2))}
    (directory / "in.safetensors").write_bytes(safetensors(*tensor_entries(ids)))


def bad_scale(value):
    def change(dtype, shape, data):
        return dtype, shape, data[:28] + struct.pack("<f", value) + data[32:]
    return change


def scales():
    out = []
    for what, value in (("zero", 0.0), ("negative", -0.5), ("NaN", float("nan")),
                        ("infinite", float("inf"))):
        out.append(changed("300", f"scale {what}", Q4, LAYER + "_scale", bad_scale(value),
                           "found a scale of"))
        out.append(changed("300", f"scale of a row {what}", Q8, DENSE + "_scale", bad_scale(value),
                           "found a scale of"))
    return out


def shapes():
    ones = [1.0] * 64
    return [
        changed("301", "scales of fewer rows", Q4, LAYER + "_scale", floats([63, 4], [1.0] * 252),
                "found scales of shape [63, 4]"),
        changed("301", "scales of three axes", Q4, LAYER + "_scale", floats([64, 4, 1], ones * 4),
                "found scales of shape [64, 4, 1]"),
        changed("301", "no scales", Q4, LAYER + "_scale", None, "found no", LAYER + "_packed"),
        changed("301", "scales in whole numbers", Q4, LAYER + "_scale",
                ("I64", [64, 4], b"\1" * 2048), "found I64"),
        changed("302", "groups that do not divide", Q4, LAYER + "_scale",
                floats([64, 3], ones * 3), "found 3 groups, which do not divide 128 columns"),
        changed("302", "more groups than columns", Q4, LAYER + "_scale",
                floats([64, 256], ones * 256), "found 256 groups, which do not divide 128"),
    ]


def sizes():
    shape = LAYER + "_shape"
    return [
        changed("303", f"shape {rows} x {cols}", Q4, shape,
                ("I64", [2], struct.pack("<2q", rows, cols)), words, at)
        for rows, cols, words, at in (
            (64, 1 << 62, f"found 64 x {1 << 62}", None),
            (64, (1 << 63) - 1, "found 64 x 9223372036854775807", None),
            (64, -128, "found 64 x -128", None),
            (64, 0, "found 64 x 0", None),
            (1 << 40, 128, f"found {1 << 40} x 128", None),
            (64, 90, "found 16 words a row for 90 columns", LAYER + "_packed"))
    ] + [
        changed("304", "packed words of one axis", Q4, LAYER + "_packed",
                lambda dtype, shape, data: (dtype, [1024], data), "found I32 [1024]"),
        changed("304", "packed words as floats", Q4, LAYER + "_packed",
                lambda dtype, shape, data: ("F32", shape, data), "found F32 [64, 16]"),
        changed("304", "no shape beside the words", Q4, shape, None, "found no", LAYER + "_packed"),
        changed("305", "zeros of another shape", Q8, DENSE + "_zero_point",
                ("I8", [65, 1], b"\0" * 65), "found I8 [65, 1], wanted I8 [64, 1]"),
    ]


def cases():
    return scales() + shapes() + sizes()
