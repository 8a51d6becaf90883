"""Writes the Falcon goldens: tiny models and what PyTorch and transformers compute with them.

    python make_falcon.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py: float32 on the CPU, one thread, fixed seeds; everything is computed once more in
float64, and a golden that hangs on rounding is refused. README.md lists the tensors.

With ALiBi transformers 5.22 adds the lines once by its default attention (sdpa), but twice by the
one that shows its weights (eager): they stand in the mask, and are added to the scores beside it.
Falcon was trained with them once, which is what a plain call gives; here the second time is taken
out of eager attention, and what it computes must be what the default gives.
"""

from transformers import FalconConfig, FalconForCausalLM
from transformers.models.falcon.modeling_falcon import FalconAttention

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=24, ffn_hidden_size=40, num_attention_heads=4,
            vocab_size=61, max_position_embeddings=40)
OLD_ALIBI = dict(alibi=True, parallel_attn=False, multi_query=False, bias=True)  # falcon-rw
NEW = dict(new_decoder_architecture=True, num_kv_heads=2)
GOLDENS = {
    # falcon-7b: one key head, parallel
    "falcon-a": Golden(seed=138, prompts=(1, 5, 17, 28), eos_id=14, eps=2e-5, config=BASE),
    # falcon-rw: ALiBi, one after the other, a key head for each query head, biases
    "falcon-b": Golden(seed=267, prompts=(3, 9), eos_id=59, config=BASE | OLD_ALIBI),
    # falcon-40b: groups, two norms
    "falcon-c": Golden(seed=13, prompts=(4, 11), eos_id=7, eps=2e-5, config=BASE | NEW),
    # falcon-11b: groups, one norm; its own head
    "falcon-d": Golden(seed=1, prompts=(6,), eos_id=36, config=BASE | NEW | dict(
        num_ln_in_parallel_attn=1, tie_word_embeddings=False, num_attention_heads=6,
        rope_parameters=dict(rope_theta=500042.0))),
    # ALiBi with six heads, beyond a power of two, and with groups; biases; no ffn_hidden_size
    "falcon-e": Golden(seed=91, prompts=(2, 8), eos_id=18, config=BASE | NEW | dict(
        alibi=True, bias=True, num_attention_heads=6, num_kv_heads=3, ffn_hidden_size=None)),
    # one key head, one after the other; linear scaling in the keys of older files; n_embed
    "falcon-f": Golden(seed=6, embed=0.02, config=BASE | dict(
        parallel_attn=False, bias=True, layer_norm_epsilon=1e-4, activation="relu",
        rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=3.0)),
        old_config=dict(rope_parameters=None, rope_scaling=dict(type="linear", factor=3.0),
                        rope_theta=10000.0, n_embed=24)),
    # a key head for each query head with rotary positions; named without prefix; the head twice
    "falcon-g": Golden(seed=7, prefix=False, config=BASE | dict(
        multi_query=False, num_hidden_layers=3, num_attention_heads=2),
        extra=lambda weights: {"lm_head.weight": weights["transformer.word_embeddings.weight"].clone()}),
    # ALiBi over one key head, parallel, places beyond 256, which bf16 rounds
    "falcon-h": Golden(seed=8, shape=(2, 300), inside=False, config=BASE | dict(
        alibi=True, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=640,
        vocab_size=23)),
}  # fmt: skip


def show_lines_once():
    forward = FalconAttention.forward

    def once(self, hidden_states, alibi, attention_mask, **kwargs):
        twice = alibi is not None and self.config._attn_implementation == "eager"
        return forward(self, hidden_states, alibi * 0 if twice else alibi, attention_mask, **kwargs)

    FalconAttention.forward = once


def make_model(golden):
    config = FalconConfig(**golden.config, attn_implementation="eager", bos_token_id=None,
                          eos_token_id=None)
    return decoders.fill(FalconForCausalLM(config), golden)


def rotary_of(model):
    return None if model.config.alibi else model.transformer.rotary_emb


if __name__ == "__main__":
    show_lines_once()
    decoders.main(__doc__, GOLDENS, make_model, rotary_of)
