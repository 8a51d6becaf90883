"""Writes the goldens of ViT and its kin: tiny image encoders and what PyTorch and transformers compute with them.

    python make_vit.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

from dataclasses import dataclass

import torch
from transformers import (DeiTForImageClassification, DeiTForImageClassificationWithTeacher,
                          DeiTModel, Dinov2ForImageClassification, Dinov2Model,
                          ViTForImageClassification, ViTModel)  # fmt: skip

import tiny
from steps import learn


@dataclass
class Golden:
    seed: int
    kind: type
    config: dict
    images: tuple  # how many, height, width
    new_names: bool = False  # in the file, as transformers 5 has them in memory
    learns: bool = False  # ten steps of AdamW


BASE = dict(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
            image_size=16, patch_size=4, num_channels=3, num_labels=3)
SMALL = dict(BASE, hidden_size=16, num_attention_heads=2, intermediate_size=20, image_size=12)
DINO = {k: v for k, v in SMALL.items() if k != "intermediate_size"} | dict(mlp_ratio=2)
GOLDENS = {
    "vit-a": Golden(41, ViTForImageClassification, BASE, (2, 16, 16)),
    "vit-b": Golden(41, ViTForImageClassification, BASE, (2, 28, 20)),
    "vit-c": Golden(43, ViTForImageClassification, dict(
        BASE, qkv_bias=False, image_size=[12, 20], patch_size=[4, 5], num_channels=1,
        hidden_act="gelu_new", layer_norm_eps=1e-6, num_labels=4,
        problem_type="multi_label_classification"), (3, 12, 20), new_names=True),
    "vit-d": Golden(44, ViTModel, dict(
        BASE, hidden_size=16, num_attention_heads=4, num_channels=5, pooler_output_size=9,
        pooler_act="gelu"), (2, 11, 14)),
    "vit-e": Golden(45, ViTForImageClassification, dict(
        BASE, hidden_size=15, num_hidden_layers=1, num_labels=1, image_size=8, patch_size=2,
        num_channels=2, hidden_act="relu"), (2, 8, 8)),
    "deit-a": Golden(51, DeiTForImageClassification, SMALL, (2, 12, 12), learns=True),
    "deit-b": Golden(52, DeiTForImageClassificationWithTeacher, dict(
        SMALL, qkv_bias=False, hidden_act="relu", layer_norm_eps=1e-6, num_channels=1,
        num_hidden_layers=1), (2, 20, 16)),
    "deit-c": Golden(53, DeiTModel, dict(
        SMALL, num_hidden_layers=1, pooler_output_size=9, pooler_act="gelu"), (2, 12, 12)),
    "dinov2-a": Golden(61, Dinov2ForImageClassification, dict(DINO, layerscale_value=0.5),
                       (2, 12, 12), learns=True),
    "dinov2-b": Golden(62, Dinov2ForImageClassification, dict(
        DINO, use_swiglu_ffn=True, qkv_bias=False, use_mask_token=False, num_channels=1,
        num_hidden_layers=1, mlp_ratio=3, num_labels=4,
        problem_type="multi_label_classification"), (2, 16, 8)),
    "dinov2-c": Golden(63, Dinov2Model, dict(DINO, hidden_act="gelu_new", num_hidden_layers=1),
                       (2, 8, 16)),
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)
    count, height, width = golden.images
    inputs = {"pixel_values": torch.randn(count, c.num_channels, height, width, generator=random)}
    if golden.kind.__name__.endswith("Model"):
        tokens = (height // c.patch_size) * (width // c.patch_size) + (2 if c.model_type == "deit" else 1)
        pooled = getattr(c, "pooler_output_size", c.hidden_size)
        inputs["weights.last_hidden_state"] = torch.randn(count, tokens, c.hidden_size, generator=random)
        inputs["weights.pooler_output"] = torch.randn(count, pooled, generator=random)
    elif c.problem_type:
        inputs["labels"] = torch.randint(0, 2, (count, c.num_labels), generator=random).float()
    elif c.num_labels == 1:
        inputs["labels"] = torch.randn(count, generator=random)
    else:
        inputs["labels"] = torch.randint(0, c.num_labels, (count,), generator=random)
    return inputs


def fused(grads):
    """SwiGLU's gate and what it opens are one matrix in the file."""
    out = {}
    for name, grad in grads.items():
        if ".mlp.gate_proj." in name:
            beside = grads[name.replace("gate_proj", "up_proj")]
            out[name.replace("gate_proj", "weights_in")] = torch.cat([grad, beside])
        elif ".mlp.up_proj." not in name:
            out[name] = grad
    return out


def run(model, inputs):
    c = model.config
    height, width = inputs["pixel_values"].shape[2:]
    other_size = not isinstance(c.image_size, list) and (height, width) != (c.image_size,) * 2
    given = {k: v for k, v in inputs.items() if not k.startswith("weights.")}
    taught = isinstance(model, DeiTForImageClassificationWithTeacher)
    labels = given.pop("labels") if taught else None
    if c.model_type != "dinov2":  # which always does so
        given["interpolate_pos_encoding"] = other_size
    out = model(**given, output_attentions=True, output_hidden_states=True)
    tensors = tiny.pieces(out)
    if type(model).__name__.endswith("Model"):
        parts, loss = tiny.weighted(out, inputs)
        tensors |= parts
    else:
        loss = torch.nn.functional.cross_entropy(out.logits, labels) if taught else out.loss
        tensors["logits"] = out.logits
    return tensors | {"loss": loss} | fused(tiny.gradients(model, loss))


def build(name, golden, folder):
    c = golden.kind.config_class(**golden.config)
    model = tiny.randomise(golden.kind._from_config(c, attn_implementation="eager"), golden.seed)
    tiny.make(name, folder, model, make_inputs(golden, c), run,
              more=learn if golden.learns else None,
              rename=str if golden.new_names else None)  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
