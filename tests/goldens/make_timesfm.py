"""Writes the TimesFM goldens: tiny forecasters and what PyTorch and transformers compute with them.

    python make_timesfm.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors. Series have an
axis of their own, of size 1, which transformers' TimesFM does without. A patch of which nothing is
known looks at everything there and at nothing here; no result is made of it, and goldens that have
one keep the results and gradients alone.
"""

from dataclasses import dataclass

import torch
from transformers import TimesFmConfig, TimesFmModelForPrediction

import tiny
from steps import learn


@dataclass
class Golden:
    seed: int
    config: dict
    short: int = 0  # so many values are missing at the beginning
    learns: bool = False  # ten steps of AdamW


BASE = dict(patch_length=4, context_length=20, horizon_length=6, freq_size=3, num_hidden_layers=2,
            hidden_size=16, intermediate_size=20, head_dim=6, num_attention_heads=3)  # fmt: skip
GOLDENS = {
    "timesfm-a": Golden(1, BASE, learns=True),
    "timesfm-b": Golden(2, dict(
        BASE, use_positional_embedding=True, min_timescale=2, max_timescale=500, quantiles=[0.25, 0.5, 0.9],
        hidden_size=14, head_dim=5, num_attention_heads=2, rms_norm_eps=1e-3, num_hidden_layers=1),
        short=2, learns=True),
    "timesfm-c": Golden(3, dict(BASE, use_positional_embedding=True, horizon_length=9, quantiles=[0.1]),
                        short=6),
}  # fmt: skip


def make_inputs(golden, c):
    random = torch.Generator().manual_seed(golden.seed + 1000)
    shape = (4, c.context_length + c.horizon_length, 1)
    series = torch.randn(shape, generator=random).cumsum(1) + 5 * torch.randn(
        shape[0], 1, 1, generator=random)  # fmt: skip
    inputs = {"past_values": series[:, : c.context_length].contiguous(),
              "future_values": series[:, c.context_length :].contiguous()}  # fmt: skip
    if golden.short:
        seen = torch.ones(inputs["past_values"].shape, dtype=torch.bool)
        seen[1, : golden.short] = False
        inputs["past_observed_mask"] = seen
        inputs["past_values"][~seen] = 0.0
    return inputs


def mask_in_float32(model):
    """The least float64 is not finite in the float32 that softmax is made in."""
    made = type(model.decoder)._prepare_4d_attention_mask
    model.decoder._prepare_4d_attention_mask = lambda dtype, **more: made(
        dtype=torch.float32, **more).to(dtype)  # fmt: skip


def run(model, inputs):
    mask_in_float32(model)
    past, future = inputs["past_values"][..., 0], inputs["future_values"][..., 0]
    rows = list(past)
    seen = inputs.get("past_observed_mask")
    if seen is not None:
        rows = [row[keep[:, 0].bool()] for row, keep in zip(past, seen)]
    looked, passed, hooks = [], [], []
    for layer in model.decoder.layers:
        hooks.append(layer.self_attn.register_forward_hook(
            lambda module, args, out: looked.append(out[1])))  # fmt: skip
        hooks.append(layer.register_forward_pre_hook(lambda module, args: passed.append(args[0])))
    out = model(past_values=rows, future_values=future)
    for hook in hooks:
        hook.remove()
    tensors = {"prediction_outputs": out.mean_predictions[..., None],
               "full_predictions": out.full_predictions, "loss": out.loss}  # fmt: skip
    if seen is None or not (~seen.bool())[:, : model.config.patch_length].all(dim=1).any():
        tensors |= {f"attentions.{i}": x for i, x in enumerate(looked)}
        passed.append(out.last_hidden_state)
        tensors |= {f"hidden_states.{i}": x for i, x in enumerate(passed)}
    return tensors | tiny.gradients(model, out.loss)


def build(name, golden, folder):
    c = TimesFmConfig(**golden.config)
    model = TimesFmModelForPrediction._from_config(c, attn_implementation="eager")
    model = tiny.randomise(model, golden.seed)
    tiny.make(name, folder, model, make_inputs(golden, c), run,
              more=learn if golden.learns else None)  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
