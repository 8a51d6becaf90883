"""Writes the ViT goldens: tiny image encoders and what PyTorch and transformers compute with them.

    python make_vit.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

from dataclasses import dataclass

import torch
from transformers import ViTConfig, ViTForImageClassification, ViTModel

import tiny


@dataclass
class Golden:
    seed: int
    kind: type
    config: dict
    images: tuple  # how many, height, width
    new_names: bool = False  # in the file, as transformers 5 has them in memory


BASE = dict(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40,
            image_size=16, patch_size=4, num_channels=3, num_labels=3)
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
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)
    count, height, width = golden.images
    inputs = {"pixel_values": torch.randn(count, c.num_channels, height, width, generator=random)}
    if golden.kind is ViTModel:
        patches = (height // c.patch_size) * (width // c.patch_size)
        inputs["weights.last_hidden_state"] = torch.randn(
            count, patches + 1, c.hidden_size, generator=random)
        inputs["weights.pooler_output"] = torch.randn(count, c.pooler_output_size, generator=random)
    elif c.problem_type:
        inputs["labels"] = torch.randint(0, 2, (count, c.num_labels), generator=random).float()
    elif c.num_labels == 1:
        inputs["labels"] = torch.randn(count, generator=random)
    else:
        inputs["labels"] = torch.randint(0, c.num_labels, (count,), generator=random)
    return inputs


def run(model, inputs):
    c = model.config
    height, width = inputs["pixel_values"].shape[2:]
    other_size = not isinstance(c.image_size, list) and (height, width) != (c.image_size,) * 2
    given = {k: v for k, v in inputs.items() if not k.startswith("weights.")}
    out = model(**given, output_attentions=True, output_hidden_states=True,
                interpolate_pos_encoding=other_size)  # fmt: skip
    tensors = tiny.pieces(out)
    if isinstance(model, ViTModel):
        parts = {k[8:]: out[k[8:]] for k in inputs if k.startswith("weights.")}
        loss = sum((inputs["weights." + k] * x).sum() for k, x in parts.items())
        tensors |= parts
    else:
        loss = out.loss
        tensors["logits"] = out.logits
    return tensors | {"loss": loss} | tiny.gradients(model, loss)


def build(name, golden, folder):
    c = ViTConfig(**golden.config)
    model = tiny.randomise(golden.kind._from_config(c, attn_implementation="eager"), golden.seed)
    tiny.make(name, folder, model, make_inputs(golden, c), run,
              rename=str if golden.new_names else None)  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
