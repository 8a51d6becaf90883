"""Writes the StarCoder2 goldens: tiny models and what PyTorch and transformers compute with them.

    python make_starcoder2.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_llama.py.
"""

from transformers import Starcoder2Config, Starcoder2ForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=16, intermediate_size=24, num_attention_heads=4,
            num_key_value_heads=2, vocab_size=37, max_position_embeddings=40)  # fmt: skip
GOLDENS = {
    "starcoder2-a": Golden(seed=154, prompts=(1, 9), eos_id=5, eps=2e-5, config=BASE),
    "starcoder2-b": Golden(  # a window; no biases; its own head; a padding token
        seed=2, prompts=(3,), eos_id=13,
        config=BASE | dict(sliding_window=5, use_bias=False, tie_word_embeddings=False,
                           num_key_value_heads=1, norm_epsilon=1e-3, hidden_act="relu", pad_token_id=7,
                           rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=500.0))),
}  # fmt: skip


def make_model(golden):
    config = Starcoder2Config(**golden.config, attn_implementation="eager", bos_token_id=None,
                              eos_token_id=None)  # fmt: skip
    return decoders.fill(Starcoder2ForCausalLM(config), golden)


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, lambda model: None)
