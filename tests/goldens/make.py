"""Writes the GPT-2 goldens: tiny models and what PyTorch and transformers compute with them.

    python make.py [--out DIR] [NAME ...]        # all of them, next to this file

Everything runs in float32 on the CPU with one thread and fixed seeds. The same work is done once
more in float64, and the training also with gradients shaken by what another order of summation
would change; a golden that moves by more than a third of the tests' tolerance (1e-4 of the largest
element) is refused, so a failing test cannot be the reference's rounding. README.md lists the
tensors.
"""

import copy
from dataclasses import dataclass

import torch
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

import tiny
from checks import check_generation, check_hidden_states, check_loads, check_rounding
from decoders import generate
from steps import check_training, training


@dataclass
class Golden:
    seed: int
    config: dict
    shape: tuple = (2, 17)  # of input_ids
    embed: float = 1.0  # scale of the embeddings
    prefix: bool = True  # False: named as GPT2Model names them, with the old mask buffers
    eps: float = 0  # AdamW's; 0: no training
    clip: float = 1.0
    prompts: tuple = ()  # their lengths
    eos_id: int = -1  # for the beam search that can finish early


BASE = dict(n_layer=2, n_head=4, n_embd=32, vocab_size=97, n_positions=40)
GOLDENS = {
    "gpt2-a": Golden(seed=23, config=BASE, eps=1e-8, prompts=(1, 5, 17, 28), eos_id=47),
    "gpt2-b": Golden(seed=23, config=BASE, prefix=False),
    "gpt2-c": Golden(
        seed=34,
        config=dict(n_layer=2, n_head=3, n_embd=24, vocab_size=97, n_positions=40,
                    tie_word_embeddings=False),
        eps=2e-5,  # large enough that no element's path is rounding, and to be seen itself
        clip=2.0,  # the later steps stay below it
        prompts=(3, 9),
        eos_id=42,
    ),
    "gpt2-d": Golden(
        seed=13,
        config=dict(n_layer=2, n_head=2, n_embd=16, vocab_size=61, n_positions=24,
                    activation_function="gelu"),
    ),
    "gpt2-e": Golden(
        seed=15,
        config=dict(n_layer=2, n_head=3, n_embd=30, vocab_size=53, n_positions=19, n_inner=50,
                    layer_norm_epsilon=1e-6),
        shape=(2, 19),
        embed=0.04,  # a variance so small that the epsilon of the first LayerNorm matters
    ),
    "gpt2-f": Golden(
        seed=16,
        config=dict(n_layer=3, n_head=2, n_embd=16, vocab_size=61, n_positions=24,
                    scale_attn_by_inverse_layer_idx=True, reorder_and_upcast_attn=True),
    ),
}


def make_model(golden):
    config = GPT2Config(
        **golden.config, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, summary_first_dropout=0.0,
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = GPT2LMHeadModel._from_config(config, attn_implementation="eager")
    random = torch.Generator().manual_seed(golden.seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=random)
            if name.endswith("bias"):
                p.copy_(0.2 * noise)
            elif p.dim() == 1:  # LayerNorm gains
                p.copy_(1 + 0.3 * noise)
            elif "wpe" in name:  # large enough that greedy text does not repeat one token
                p.copy_(golden.embed * 0.8 * noise)
            elif "wte" in name or "lm_head" in name:
                p.copy_(golden.embed * 0.3 * noise)
            else:  # Conv1D, [in, out]
                p.copy_(noise * 1.3 / p.shape[0] ** 0.5)
    return model.eval()


def make_inputs(golden):
    random = torch.Generator().manual_seed(golden.seed + 1000)
    vocab = golden.config["vocab_size"]
    ids = torch.randint(0, vocab, golden.shape, generator=random)
    ids[1, 3] = ids[1, 4] = ids[0, 6]  # an embedding row used more than once
    labels = ids.clone()
    labels[0, :4] = -100  # a prompt that does not count
    labels[1, 9] = -100
    labels[1, -2:] = -100  # the padding at a line's end
    return ids, labels


def run(model, ids, labels):
    out = model(ids, labels=labels, output_attentions=True, output_hidden_states=True,
                use_cache=False)
    model.zero_grad()
    out.loss.backward()
    tensors = {"logits": out.logits, "loss": out.loss}
    tensors |= {f"attentions.{i}": a for i, a in enumerate(out.attentions)}
    tensors |= {f"hidden_states.{i}": h for i, h in enumerate(out.hidden_states)}
    tensors |= {f"grads.{name}": p.grad for name, p in model.named_parameters()}
    return {name: t.detach().clone() for name, t in tensors.items()}


def all_tensors(model, golden):
    ids, labels = make_inputs(golden)
    tensors = run(model, ids, labels)
    tensors |= {"input_ids": ids, "labels": labels}
    tensors |= generate(model, golden)
    if golden.eps:
        tensors |= training(model, golden)
    return tensors


def in_float64(model):
    model = copy.deepcopy(model).double()
    for block in model.transformer.h:  # it would compute in float32; the formula is the same
        block.attn.reorder_and_upcast_attn = False
    return model


def without_prefix(tensors):
    return {name.replace("transformer.", ""): t for name, t in tensors.items()}


def save_without_prefix(model, folder):
    """As the published gpt2 file: no prefix, no head, and the causal mask kept as a buffer."""
    weights = without_prefix(dict(model.transformer.named_parameters()))
    n = model.config.n_positions
    for layer in range(model.config.n_layer):
        weights[f"h.{layer}.attn.bias"] = torch.ones(n, n).tril().view(1, 1, n, n)
    save_file({k: t.detach() for k, t in weights.items()}, folder / "model.safetensors",
              metadata={"format": "pt"})


def make(name, golden, folder):
    model = make_model(golden)
    tensors = all_tensors(model, golden)
    check_hidden_states(model, tensors)
    check_generation(name, model, golden, tensors)
    model64 = in_float64(model)
    exact = all_tensors(model64, golden)
    check_rounding(name, tensors, exact, golden.eps)
    if golden.eps:
        check_training(name, model64, golden, exact)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    if not golden.prefix:
        save_without_prefix(model, folder)
        tensors = without_prefix(tensors)
    save_file({k: t.contiguous() for k, t in tensors.items()}, folder / "golden.safetensors")
    check_loads(folder, tensors)


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, make)
