"""Writes the laboratory's goldens: tiny models of lab_reference.py and what PyTorch computes with them.

    python make_lab.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in float64, and a golden that hangs on
rounding is refused. README.md lists the tensors.
"""

import copy
import json
from dataclasses import dataclass

import torch
from safetensors.torch import save_file

import tiny
from checks import check_rounding
from lab_reference import Lab, Recurrent, check_against_torch

DECODER = dict(vocab_size=61, wiring="decoder", decoder_layers=2)
PAIR = dict(vocab_size=67, pad_token_id=66, decoder_start_token_id=66, eos_token_id=0)
SOURCES, TARGETS = (9, 4, 7), (8, 10, 3)


@dataclass
class Golden:
    seed: int
    config: dict
    weights: float = 1.3  # of the matrices, times 1 / sqrt(inputs)


GOLDENS = {
    # The model of 2017.
    "lab-a": Golden(1, PAIR),
    # As a modern decoder: RoPE, RMSNorm first, SwiGLU, key heads that are shared, no bias.
    "lab-b": Golden(2, DECODER | dict(
        positions="rope", norm="rms", norm_place="pre", feed_forward="swiglu", kv_heads=2,
        qkv_bias=False, d_ff=40, scale_embedding=False)),
    "lab-c": Golden(3, DECODER | dict(  # ALiBi, values of another width, GELU, a head of its own
        positions="alibi", norm_place="pre", feed_forward="gelu", d_k=6, d_v=10, d_model=24,
        tie_word_embeddings=False)),
    "lab-d": Golden(4, PAIR | dict(  # layers that read their like, one matrix, positions beside
        cross_attention_from="same", one_qkv_matrix=True, position_join="concatenate",
        positions="learned", norm_place="pre", feed_forward="silu", scale_scores=False,
        share_encoder_decoder_embeddings=False)),
    "lab-e": Golden(5, PAIR | dict(  # a number for each distance; BatchNorm; sides of unequal depth
        positions="relative", norm="batch", norm_place="pre", encoder_layers=3, decoder_layers=1,
        d_k=5, d_v=7), weights=0.5),  # which BatchNorm does not hold down
    "lab-f": Golden(6, dict(  # an encoder alone that fills in
        vocab_size=53, wiring="encoder", encoder_layers=2, positions="relative", norm_place="pre",
        feed_forward="gelu")),
    "lab-g": Golden(7, DECODER | dict(  # the bare index, no norm, no feed-forward
        positions="index", position_join="concatenate", norm="none", feed_forward="none",
        scale_embedding=False)),
    "lab-h": Golden(8, PAIR | dict(  # no residual, the index added, ALiBi's opposite: none
        positions="index", residual=False, norm="rms", scale_embedding=False, encoder_layers=1,
        decoder_layers=1)),
    "lab-i": Golden(11, DECODER | dict(  # no positions and no mask
        positions="none", causal_mask=False, norm_place="pre", feed_forward="silu", kv_heads=1)),
    "lab-j": Golden(12, PAIR | dict(  # learned positions added, norms of the batch behind, two heads of words
        positions="learned", norm="batch", cross_attention_from="same", qkv_bias=False,
        tie_word_embeddings=False), weights=0.5),
    "lab-k": Golden(13, PAIR | dict(  # waves beside the words, no norm, shared key heads on both sides
        position_join="concatenate", norm="none", feed_forward="gelu", kv_heads=2), weights=0.5),
    "lab-l": Golden(14, PAIR | dict(  # ALiBi both ways, two vocabularies
        positions="alibi", norm="rms", norm_place="pre", feed_forward="swiglu", d_v=10,
        decoder_vocab_size=71, share_encoder_decoder_embeddings=False)),
    "lab-m": Golden(15, PAIR | dict(  # RoPE on both sides, one matrix
        positions="rope", one_qkv_matrix=True, norm_place="pre")),
    "lab-gru": Golden(9, PAIR | dict(mixer="gru", gru_width=20)),
    "lab-gru-attention": Golden(10, PAIR | dict(mixer="gru-attention", gru_width=12)),
}  # fmt: skip


def make_model(golden):
    model = (Recurrent if "gru" in golden.config.get("mixer", "") else Lab)(golden.config)
    random = torch.Generator().manual_seed(golden.seed)
    width = model.c["d_model"]
    scaled = model.c["scale_embedding"]
    with torch.no_grad():
        for name, p in [*model.named_parameters(), *model.named_buffers()]:
            if name.endswith("num_batches_tracked"):
                p.fill_(7)
                continue
            noise = torch.randn(p.shape, generator=random)
            if name.endswith("running_var"):
                p.copy_(0.5 + noise.abs())
            elif p.dim() == 1 and name.endswith(("norm.weight",)):
                p.copy_(1 + 0.3 * noise)
            elif p.dim() == 1:
                p.copy_(0.2 * noise)
            elif "embed_positions" in name or "relative" in name:
                p.copy_(0.7 * noise)
            elif "embed" in name or "shared" in name or "lm_head" in name:
                p.copy_(noise * (1 / width**0.5 if scaled else 0.6))
            else:
                p.copy_(noise * golden.weights / p.shape[1] ** 0.5)
    return model.eval()


def sentences(lengths, random, fill):
    ids = torch.full((len(lengths), max(lengths)), fill)
    for row, n in zip(ids, lengths):
        row[: n - 1] = torch.randint(1, 60, (n - 1,), generator=random)
        row[n - 1] = 0
    return ids


def inputs_of(golden):
    c, random = golden.config, torch.Generator().manual_seed(golden.seed + 1000)
    if c.get("wiring") in ("encoder", "decoder"):
        ids = torch.randint(0, c["vocab_size"], (2, 13), generator=random)
        labels = ids.clone()
        labels[0, :4] = labels[1, 9] = -100
        out = {"input_ids": ids, "labels": labels}
        if c["wiring"] == "encoder":
            out["attention_mask"] = torch.ones_like(ids)
            out["attention_mask"][1, 9:] = 0
            out["labels"][1, 9:] = -100
        return out
    ids = sentences(SOURCES, random, c["pad_token_id"])
    labels = sentences(TARGETS, random, -100)
    shifted = labels.roll(1, 1)
    shifted[:, 0] = c["decoder_start_token_id"]
    mask = (torch.arange(ids.shape[1]) < torch.tensor(SOURCES).unsqueeze(1)).long()
    return {"input_ids": ids, "attention_mask": mask, "labels": labels,
            "decoder_input_ids": shifted.masked_fill(shifted == -100, c["pad_token_id"])}  # fmt: skip


def run(model, inputs):
    out = model(**{k: v for k, v in inputs.items() if k != "labels"})
    logits, labels = out["logits"], inputs["labels"]
    if model.c["wiring"] == "decoder":
        logits, labels = logits[:, :-1], labels[:, 1:]
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
    model.zero_grad()
    loss.backward()
    rename = getattr(model, "file_name", lambda name: name)
    grads = {f"grads.{rename(n)}": p.grad for n, p in model.named_parameters() if p.grad is not None}
    return tiny.detached(out | {"loss": loss} | grads)


def make(name, golden, folder):
    model, inputs = make_model(golden), inputs_of(golden)
    tensors = run(model, inputs)
    check_rounding(name, tensors, run(copy.deepcopy(model).double(), inputs), 1)
    folder.mkdir(parents=True, exist_ok=True)
    config = {"architectures": ["JogakLab"], "model_type": "jogak-lab"} | model.c
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    rename = getattr(model, "file_name", lambda n: n)
    weights = {rename(n): t for n, t in model.state_dict().items()}
    save_file(tiny.detached(weights), folder / "model.safetensors", metadata={"format": "pt"})
    # A recurrent model has no layers to look into: tests that walk every golden would look for them.
    file = "gru.safetensors" if "gru" in name else "golden.safetensors"
    save_file(tiny.detached(inputs) | tensors, folder / file)


if __name__ == "__main__":
    check_against_torch()
    tiny.main(__doc__, GOLDENS, make)
