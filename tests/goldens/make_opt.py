"""Writes the OPT goldens: tiny models and what PyTorch and transformers compute with them.

    python make_opt.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_llama.py.
"""

from transformers import OPTConfig, OPTForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=24, ffn_dim=32, num_attention_heads=3, vocab_size=37,
            max_position_embeddings=40, dropout=0.0, pad_token_id=1)
GOLDENS = {
    "opt-a": Golden(seed=3, prompts=(2, 9), eos_id=2, eps=2e-5, embed=0.3, config=BASE),
    "opt-b": Golden(  # as 350m: norms behind, words in a narrower space
        seed=2, prompts=(3,), eos_id=4,
        config=BASE | dict(do_layer_norm_before=False, word_embed_proj_dim=10, pad_token_id=None)),
    "opt-c": Golden(  # no biases, no last norm, its own head; another activation
        seed=1, config=BASE | dict(enable_bias=False, _remove_final_layer_norm=True,
                                   tie_word_embeddings=False, activation_function="gelu")),
}  # fmt: skip


def make_model(golden):
    config = OPTConfig(**golden.config, attn_implementation="eager", bos_token_id=None,
                       eos_token_id=None)
    return decoders.fill(OPTForCausalLM(config), golden)


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, lambda model: None)
