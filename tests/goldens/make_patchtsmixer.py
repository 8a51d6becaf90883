"""Writes the PatchTSMixer goldens: tiny forecasters and what PyTorch and transformers compute with them.

    python make_patchtsmixer.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors. hidden_states
begin with what goes into the first layer, as in every family; transformers begins behind it.
"""

from dataclasses import dataclass

import torch
from transformers import PatchTSMixerConfig, PatchTSMixerForPrediction

import tiny
from series import make_inputs
from steps import learn


@dataclass
class Golden:
    seed: int
    config: dict
    mask: bool = False  # some values are unknown
    learns: bool = False  # ten steps of AdamW, with dropout 0


BASE = dict(num_input_channels=3, context_length=22, patch_length=5, patch_stride=3, d_model=12,
            num_layers=2, prediction_length=6, dropout=0.0, head_dropout=0.0)  # fmt: skip
GOLDENS = {
    "patchtsmixer-a": Golden(1, BASE, learns=True),
    "patchtsmixer-b": Golden(2, dict(
        BASE, mode="mix_channel", self_attn=True, self_attn_heads=3, use_positional_encoding=True,
        positional_encoding_type="random", expansion_factor=3, scaling="mean", norm_eps=1e-3),
        learns=True),
    "patchtsmixer-c": Golden(3, dict(
        BASE, norm_mlp="BatchNorm", gated_attn=False, self_attn=True, use_positional_encoding=True,
        scaling=True, patch_stride=5, context_length=20, num_layers=1), mask=True),
    "patchtsmixer-d": Golden(4, dict(
        BASE, num_input_channels=1, norm_mlp="batchnorm", mode="mix_channel", scaling=None,
        num_layers=1, d_model=10)),
}  # fmt: skip


def run(model, inputs):
    given = {("observed_mask" if k == "past_observed_mask" else k): v for k, v in inputs.items()}
    looked, first, hooks = [], [], []
    for layer in model.model.encoder.mlp_mixer_encoder.mixers:
        if model.config.self_attn:
            hooks.append(layer.patch_mixer.self_attn_layer.register_forward_hook(
                lambda module, args, out: looked.append(out[1])))  # fmt: skip
    hooks.append(model.model.encoder.mlp_mixer_encoder.register_forward_pre_hook(
        lambda module, args: first.append(args[0])))  # fmt: skip
    out = model(**given, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    tensors = {"prediction_outputs": out.prediction_outputs, "loss": out.loss}
    tensors |= {f"attentions.{i}": x for i, x in enumerate(looked)}
    tensors |= {f"hidden_states.{i}": x for i, x in enumerate(first + list(out.hidden_states))}
    return tensors | tiny.gradients(model, out.loss)


def build(name, golden, folder):
    c = PatchTSMixerConfig(**golden.config)
    model = PatchTSMixerForPrediction._from_config(c, attn_implementation="eager")
    model = tiny.randomise(model, golden.seed)
    tiny.make(name, folder, model, make_inputs(golden, c, c.context_length), run,
              more=learn if golden.learns else None)  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
