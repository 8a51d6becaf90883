"""Writes the LLaMA goldens: tiny models and what PyTorch and transformers compute with them.

    python make_llama.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.
"""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=24, intermediate_size=40, num_attention_heads=4,
            vocab_size=61, max_position_embeddings=40)
GOLDENS = {
    "llama-a": Golden(seed=3, prompts=(1, 5, 17, 28), eos_id=59, eps=2e-5, config=BASE),
    "llama-b": Golden(  # groups of three; linear scaling and the keys of older files; tied
        seed=1, prompts=(3, 9), eos_id=25, eps=2e-5,
        config=BASE | dict(num_attention_heads=6, num_key_value_heads=2, tie_word_embeddings=True,
                           rope_parameters=dict(rope_type="linear", rope_theta=5000.0, factor=2.5)),
        old_config=dict(rope_parameters=None, rope_theta=5000.0,
                        rope_scaling=dict(type="linear", factor=2.5)),
    ),
    "llama-c": Golden(  # one key head; dynamic scaling, input and text longer than 16 positions
        seed=1, shape=(2, 22), prompts=(2, 11), eos_id=44,
        config=BASE | dict(num_key_value_heads=1, hidden_size=32, max_position_embeddings=16,
                           rope_parameters=dict(rope_type="dynamic", rope_theta=10000.0, factor=3.0)),
    ),
    "llama-d": Golden(  # heads of 10 beside a width of 24; attention bias; YaRN
        seed=1, prompts=(4,), eos_id=26,
        config=BASE | dict(head_dim=10, num_key_value_heads=2, attention_bias=True,
                           rope_parameters=dict(rope_type="yarn", rope_theta=100.0, factor=4.0,
                                                original_max_position_embeddings=10)),
    ),
    "llama-e": Golden(  # biases everywhere; llama3
        seed=1, prompts=(6,), eos_id=14,
        config=BASE | dict(hidden_size=32, num_key_value_heads=2, attention_bias=True,
                           mlp_bias=True,
                           rope_parameters=dict(rope_type="llama3", rope_theta=500.0, factor=8.0,
                                                low_freq_factor=1.0, high_freq_factor=4.0,
                                                original_max_position_embeddings=20)),
    ),
    "llama-f": Golden(  # another gate; an epsilon that matters; every further key of YaRN
        seed=6, embed=0.02, shape=(3, 12),
        config=BASE | dict(head_dim=16, hidden_act="gelu", rms_norm_eps=1e-4, mlp_bias=True,
                           rope_parameters=dict(rope_type="yarn", rope_theta=1000.0, factor=3.0,
                                                original_max_position_embeddings=13, beta_fast=2.0,
                                                beta_slow=0.5, mscale=0.8, mscale_all_dim=1.7,
                                                truncate=False)),
    ),
    "llama-g": Golden(  # named without prefix, with tensors that carry nothing; a padding token
        seed=7, prefix=False,
        config=BASE | dict(num_hidden_layers=3, num_key_value_heads=2, tie_word_embeddings=True,
                           pad_token_id=5, rope_parameters=dict(rope_theta=500000.0)),
        extra=lambda weights: {
            "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(3),
            "lm_head.weight": weights["model.embed_tokens.weight"].clone()},
    ),
    "llama-h": Golden(  # YaRN with its factor given; MLP bias alone; ReLU
        seed=8,
        config=BASE | dict(num_attention_heads=2, hidden_act="relu", mlp_bias=True,
                           rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=2.0,
                                                original_max_position_embeddings=20,
                                                attention_factor=1.3)),
    ),
    "llama-i": Golden(  # weights in bfloat16; rows of 33 and 70 weights, of no whole vectors
        seed=3, prompts=(4,), eos_id=26, bf16=True,
        config=BASE | dict(hidden_size=33, head_dim=6, num_attention_heads=3, num_key_value_heads=3,
                           intermediate_size=70, num_hidden_layers=3),
    ),
}  # fmt: skip


def make_model(golden):
    config = LlamaConfig(**golden.config, attn_implementation="eager", bos_token_id=None,
                         eos_token_id=None)
    return decoders.fill(LlamaForCausalLM(config), golden)


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, lambda model: model.model.rotary_emb)
