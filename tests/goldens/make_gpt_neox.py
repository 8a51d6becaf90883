"""Writes the GPT-NeoX goldens: tiny models and what PyTorch and transformers compute with them.

    python make_gpt_neox.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_llama.py.
"""

import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=24, intermediate_size=32, num_attention_heads=3,
            vocab_size=37, max_position_embeddings=40)
HEAD = {"lm_head.": "embed_out."}
GOLDENS = {
    "gpt_neox-a": Golden(seed=4, prompts=(1, 9), eos_id=0, eps=2e-5, config=BASE, rename=HEAD),
    "gpt_neox-b": Golden(  # one after the other; whole heads rotate; keys of older files; tied
        seed=7, prompts=(3,), eos_id=25,
        config=BASE | dict(use_parallel_residual=False, attention_bias=False,
                           tie_word_embeddings=True, hidden_act="gelu_new",
                           rope_parameters=dict(rope_theta=500.0, partial_rotary_factor=1.0)),
        old_config=dict(rope_parameters=None, rotary_emb_base=500, rotary_pct=1.0)),
    "gpt_neox-c": Golden(  # half of each head; linear scaling; masks that carry nothing
        seed=1, rename=HEAD, config=BASE | dict(num_hidden_layers=3, layer_norm_eps=1e-3,
                                   rope_parameters=dict(rope_type="linear", factor=2.0,
                                                        rope_theta=10000.0,
                                                        partial_rotary_factor=0.5)),
        extra=lambda weights: {
            "gpt_neox.layers.0.attention.bias": torch.ones(1, 1, 4, 4, dtype=torch.bool),
            "gpt_neox.layers.0.attention.masked_bias": torch.tensor(-1e9)}),
}  # fmt: skip


def make_model(golden):
    config = GPTNeoXConfig(**golden.config, attn_implementation="eager", bos_token_id=None,
                           eos_token_id=None)
    return decoders.fill(GPTNeoXForCausalLM(config), golden)


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, lambda model: None)
