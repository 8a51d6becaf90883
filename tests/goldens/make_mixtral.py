"""Writes the Mixtral goldens: tiny mixtures of experts and what transformers computes with them.

    python make_mixtral.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_rotary.py. transformers holds all experts of a layer as one tensor; files have each by itself.
"""

import torch
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

import decoders
import make_rotary
from decoders import Golden
from make_rotary import BASE, rotary_of


def apart(tensors):
    """Experts by their names in the file: gate w1, up w3, down w2."""
    out = {}
    for name, t in tensors.items():
        place, _, kind = name.partition(".mlp.")
        place += ".block_sparse_moe."
        if kind == "gate.weight":
            out[place + kind] = t
        elif kind == "experts.gate_up_proj":
            for e, (gate, up) in enumerate(part.chunk(2) for part in t):
                out |= {f"{place}experts.{e}.w1.weight": gate, f"{place}experts.{e}.w3.weight": up}
        elif kind == "experts.down_proj":
            out |= {f"{place}experts.{e}.w2.weight": part for e, part in enumerate(t)}
        else:
            out[name] = t
    return {name: t.clone() for name, t in out.items()}


def balanced(model, golden):
    """The loss with that of experts that are asked unevenly, and its gradients; the latter masked, too."""
    ids, labels = decoders.make_inputs(golden)
    out = model(ids, labels=labels, use_cache=False, output_router_logits=True)
    model.zero_grad()
    out.loss.backward()
    tensors = {"balanced.loss": out.loss, "balanced.aux": out.aux_loss}
    tensors |= {f"balanced.grads.{n}": p.grad.clone() for n, p in model.named_parameters()}
    mask = torch.ones_like(ids)
    mask[1, :5] = 0
    routes, c = out.router_logits, model.config
    tensors |= {"balanced.mask": mask, "balanced.masked_aux": load_balancing_loss_func(
        routes, c.num_local_experts, c.num_experts_per_tok, mask)}
    tensors |= {f"balanced.router_logits.{i}": t.view(*ids.shape, -1) for i, t in enumerate(routes)}
    return {name: t.detach().clone() for name, t in tensors.items()}


def make_model(golden):
    """One product an expert: the others know no float64."""
    model = make_rotary.make_model(golden)
    model.set_experts_implementation("eager")
    return model


COMMON = dict(family="mixtral", also=balanced, convert=apart)
GOLDENS = {
    "mixtral-a": Golden(seed=5, prompts=(1, 9), eos_id=0, eps=2e-5, **COMMON, config=BASE | dict(
        num_local_experts=4, num_experts_per_tok=2, router_aux_loss_coef=0.05)),
    # Windows; three of five experts; tied; a padding token; another gate.
    "mixtral-b": Golden(seed=5, prompts=(5,), eos_id=12, **COMMON, config=BASE | dict(
        num_local_experts=5, num_experts_per_tok=3, sliding_window=4, tie_word_embeddings=True,
        pad_token_id=7, hidden_act="gelu", head_dim=6, num_key_value_heads=1, intermediate_size=20,
        router_aux_loss_coef=0.3)),
}  # fmt: skip


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, rotary_of)
