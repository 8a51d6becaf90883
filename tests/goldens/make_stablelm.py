"""Writes the StableLM goldens: tiny models and what PyTorch and transformers compute with them.

    python make_stablelm.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_llama.py.
"""

from transformers import StableLmConfig, StableLmForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=32, intermediate_size=24, num_attention_heads=4,
            num_key_value_heads=2, vocab_size=37, max_position_embeddings=40)  # fmt: skip
GOLDENS = {
    "stablelm-a": Golden(seed=3, prompts=(1, 9), eos_id=0, eps=2e-5, config=BASE),
    "stablelm-b": Golden(  # side by side; biases; half of a head rotates; a padding token
        seed=2, prompts=(3,), eos_id=35,
        config=BASE | dict(use_parallel_residual=True, use_qkv_bias=True, tie_word_embeddings=True,
                           num_key_value_heads=4, layer_norm_eps=1e-3, hidden_act="gelu", pad_token_id=7,
                           rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0,
                                                partial_rotary_factor=0.5))),
}  # fmt: skip


def make_model(golden):
    config = StableLmConfig(**golden.config, attn_implementation="eager", bos_token_id=None,
                            eos_token_id=None)  # fmt: skip
    return decoders.fill(StableLmForCausalLM(config), golden)


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, lambda model: None)
