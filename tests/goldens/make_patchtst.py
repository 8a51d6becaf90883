"""Writes the PatchTST goldens: tiny forecasters and what PyTorch and transformers compute with them.

    python make_patchtst.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.

Two things are not as transformers 5.22 has them. Heads of their own for each series
(share_projection false) fail there in every case; here each head reads its own series, as in the
published model. And patches at the end (padding_patch "end", a key of jogak) are made as the
published model makes them: the scaled series goes on with its last value for one stride.
"""

import copy
from dataclasses import dataclass

import torch
from transformers import PatchTSTConfig, PatchTSTForPrediction

import tiny
from series import make_inputs


@dataclass
class Golden:
    seed: int
    config: dict
    mask: bool = False  # some values are unknown
    pad_end: bool = False
    train: bool = False  # one pass in training, with the statistics that BatchNorm learns


BASE = dict(num_input_channels=3, context_length=22, patch_length=5, patch_stride=3,
            num_hidden_layers=2, d_model=16, num_attention_heads=4, ffn_dim=24, prediction_length=6)
GOLDENS = {
    "patchtst-a": Golden(51, BASE, train=True),
    "patchtst-b": Golden(52, dict(BASE, pooling_type=None, pre_norm=False), pad_end=True, train=True),
    "patchtst-c": Golden(53, dict(
        BASE, norm_type="layernorm", positional_encoding_type="random", use_cls_token=True,
        scaling="mean", norm_eps=1e-3), mask=True),
    "patchtst-d": Golden(54, dict(
        BASE, share_embedding=False, share_projection=False, pooling_type=None,
        num_hidden_layers=1), mask=True),
    "patchtst-e": Golden(55, dict(
        BASE, channel_attention=True, pooling_type="max", scaling=None, patch_stride=5,
        context_length=20, num_hidden_layers=1), train=True),
    "patchtst-f": Golden(56, dict(
        BASE, channel_attention=True, norm_type="layernorm", pre_norm=False, bias=False,
        activation_function="relu", share_projection=False, d_model=12, num_attention_heads=3)),
    "patchtst-g": Golden(57, dict(
        BASE, num_input_channels=1, use_cls_token=True, scaling=True, patch_stride=1,
        context_length=9, num_hidden_layers=1, minimum_scale=0.7)),
    "patchtst-h": Golden(58, dict(
        BASE, positional_encoding_type="random", share_projection=False, use_cls_token=True,
        num_input_channels=1, num_hidden_layers=1, d_model=10, num_attention_heads=1)),
}  # fmt: skip


def own_heads(head, embedding):
    """The head's forward where every series has a projection of its own."""
    if head.use_cls_token:
        pooled = embedding[:, :, 0]
    elif head.pooling_type:
        pooled = embedding.mean(2) if head.pooling_type == "mean" else embedding.max(2).values
    else:
        pooled = embedding.flatten(2)
    return torch.stack([p(pooled[:, i]) for i, p in enumerate(head.projections)], 2)


def prepare(model, golden):
    if not model.config.share_projection:
        model.head.forward = lambda embedding: own_heads(model.head, embedding)
    if golden.pad_end:  # the model was made for a window one stride longer
        patchify, stride = type(model.model.patchifier).forward, model.config.patch_stride
        own = model.model.patchifier
        own.sequence_start = 0
        own.forward = lambda x: patchify(own, torch.cat([x, x[:, -1:].expand(-1, stride, -1)], 1))
    return model


def no_rounding(grads):
    """A shift that BatchNorm takes off again has no gradient: rounding there becomes 0."""
    top = max(g.abs().max().item() for g in grads.values())
    return {k: g if g.abs().max() > 1e-5 * top else torch.zeros_like(g) for k, g in grads.items()}


def passes(model, golden, inputs, training):
    model = prepare(copy.deepcopy(model), golden)
    model.train(training)
    out = model(**inputs, output_attentions=True, output_hidden_states=True)
    tensors = {"prediction_outputs": out.prediction_outputs, "loss": out.loss}
    grads = tiny.gradients(model, out.loss)
    if not training:
        tensors |= {"loc": out.loc, "scale": out.scale} | tiny.pieces(out)
        layers = model.config.num_hidden_layers
        last = model.model(**{k: v for k, v in inputs.items() if k != "future_values"})
        return tensors | grads | {f"hidden_states.{layers}": last.last_hidden_state}
    learnt = {f"running.{n}": b for n, b in model.named_buffers() if "batchnorm" in n}
    return {f"train.{k}": t for k, t in (tensors | no_rounding(grads) | learnt).items()}


def build(name, golden, folder):
    c = PatchTSTConfig(**golden.config)
    context = c.context_length
    if golden.pad_end:
        c.context_length += c.patch_stride
    model = PatchTSTForPrediction._from_config(c, attn_implementation="eager")
    model = tiny.randomise(model, golden.seed)

    def run(model, inputs):
        tensors = passes(model, golden, inputs, training=False)
        return tensors | (passes(model, golden, inputs, training=True) if golden.train else {})

    config = {"context_length": context, "padding_patch": "end"} if golden.pad_end else None
    tiny.make(name, folder, model, make_inputs(golden, c, context, unseen=(2, 1)), run, again=not golden.pad_end,
              config=config)  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, build)
