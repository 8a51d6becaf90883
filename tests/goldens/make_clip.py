"""Writes the CLIP goldens: tiny models that read images and texts, and what transformers computes with them.

    python make_clip.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors; insides of the
side that reads are called text_hidden_states and text_attentions.
"""

from dataclasses import dataclass

import torch
from transformers import CLIPConfig, CLIPModel

import tiny
from steps import learn


@dataclass
class Golden:
    seed: int
    text: dict
    vision: dict
    config: dict
    lengths: tuple = (9, 6, 9)  # tokens of the texts, with their ends
    images: int = 3


TEXT = dict(vocab_size=67, hidden_size=20, intermediate_size=36, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=12, eos_token_id=66, bos_token_id=65)  # fmt: skip
VISION = dict(hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=3,
              image_size=12, patch_size=4)  # fmt: skip
GOLDENS = {
    "clip-a": Golden(2, TEXT, VISION, dict(projection_dim=16)),
    "clip-b": Golden(1, dict(TEXT, hidden_act="gelu", num_attention_heads=5, layer_norm_eps=1e-3,
                             eos_token_id=2, num_hidden_layers=1),
                     dict(VISION, num_channels=1, patch_size=3, hidden_act="relu", hidden_size=16,
                          num_attention_heads=4),
                     dict(projection_dim=10, logit_scale_init_value=1.5), lengths=(12, 4, 7)),
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)
    v = c.vision_config
    longest = max(golden.lengths)
    ids = torch.randint(3, 60, (len(golden.lengths), longest), generator=random)
    mask = torch.ones_like(ids)
    for row, length in enumerate(golden.lengths):
        ids[row, 0], ids[row, length - 1 :], mask[row, length:] = 65, 66, 0
    pixels = torch.randn(golden.images, v.num_channels, v.image_size, v.image_size, generator=random)
    return {"pixel_values": pixels, "input_ids": ids, "attention_mask": mask}


def run(model, inputs):
    out = model(**inputs, return_loss=True, output_attentions=True, output_hidden_states=True)
    seen, read = out.vision_model_output, out.text_model_output
    tensors = {"logits_per_image": out.logits_per_image, "loss": out.loss,
               "image_embeds": out.image_embeds, "text_embeds": out.text_embeds}  # fmt: skip
    tensors |= {"image_features": seen.pooler_output, "text_features": read.pooler_output}
    tensors |= tiny.pieces(seen)
    tensors |= {f"text_{k}": t for k, t in tiny.pieces(read).items()}
    return tensors | tiny.gradients(model, out.loss)


def build(name, golden, folder):
    c = CLIPConfig(text_config=golden.text, vision_config=golden.vision, **golden.config)
    model = CLIPModel._from_config(c, attn_implementation="eager")
    model = tiny.randomise(model, golden.seed)
    with torch.no_grad():
        model.logit_scale.fill_(c.logit_scale_init_value)
    tiny.make(name, folder, model, make_inputs(golden, c), run, more=learn)


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
