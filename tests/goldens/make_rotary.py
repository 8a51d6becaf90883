"""Writes the goldens of decoders after LLaMA: tiny models and what transformers computes with them.

    python make_rotary.py [--out DIR] [NAME ...]        # all of them, next to this file

As make_llama.py, which has the variants of rotary positions; here are those of each family.
"""

from transformers import AutoConfig, AutoModelForCausalLM

import decoders
from decoders import Golden

BASE = dict(num_hidden_layers=2, hidden_size=16, intermediate_size=24, num_attention_heads=4,
            num_key_value_heads=2, vocab_size=37, max_position_embeddings=40, pad_token_id=None)
GEMMA = BASE | dict(head_dim=6)
PHI = BASE | dict(original_max_position_embeddings=12, rope_parameters=dict(
    rope_type="longrope", rope_theta=10000.0, short_factor=[1.5, 2.0], long_factor=[3.0, 5.0]))
LOCAL, FULL = "sliding_attention", "full_attention"
GOLDENS = {
    "qwen2-a": Golden(seed=3, family="qwen2", prompts=(1, 9), eos_id=3, eps=2e-5, config=BASE),
    "qwen2-b": Golden(  # the last layer local; tied; another gate
        seed=1, family="qwen2", prompts=(3, 14), eos_id=6,
        config=BASE | dict(use_sliding_window=True, sliding_window=4, max_window_layers=1,
                           num_key_value_heads=1, tie_word_embeddings=True, hidden_act="gelu",
                           pad_token_id=7)),
    "qwen2-c": Golden(  # kinds of layers as a list; YaRN; named without prefix
        seed=1, family="qwen2", prefix=False,
        config=BASE | dict(num_hidden_layers=3, use_sliding_window=True, sliding_window=3,
                           layer_types=[LOCAL, FULL, LOCAL],
                           rope_parameters=dict(rope_type="yarn", rope_theta=1000.0, factor=4.0,
                                                original_max_position_embeddings=10))),
    "mistral-a": Golden(seed=2, family="mistral", prompts=(2, 17), eos_id=1, eps=2e-5,
                        config=BASE | dict(sliding_window=5)),
    "mistral-b": Golden(  # no window; heads of 6 beside a width of 16
        seed=4, family="mistral", prompts=(4,), eos_id=5,
        config=BASE | dict(sliding_window=None, head_dim=6, tie_word_embeddings=True,
                           rms_norm_eps=1e-4)),
    "mistral-c": Golden(  # each token sees one before it; texts beyond the trained length
        seed=1, family="mistral", prompts=(6,), eos_id=2, shape=(2, 18),
        config=BASE | dict(sliding_window=2, max_position_embeddings=12, hidden_act="relu")),
    "qwen3-a": Golden(seed=1, family="qwen3", prompts=(1, 9), eos_id=0, eps=2e-5,
                      config=BASE | dict(head_dim=6)),
    "qwen3-b": Golden(  # biases; one key head; a width that heads do not divide; both layers local
        seed=1, family="qwen3", prompts=(5,), eos_id=10,
        config=BASE | dict(hidden_size=15, head_dim=4, num_key_value_heads=1, attention_bias=True,
                           use_sliding_window=True, sliding_window=6, max_window_layers=0,
                           tie_word_embeddings=True)),
    "gemma-a": Golden(seed=7, family="gemma", prompts=(1, 9), eos_id=1, eps=2e-5, embed=0.15, gain=0,
                      config=GEMMA),
    "gemma-b": Golden(  # its own head; biases; a padding token
        seed=2, family="gemma", prompts=(3,), eos_id=5, embed=0.2, gain=0,
        config=GEMMA | dict(tie_word_embeddings=False, attention_bias=True, num_key_value_heads=1,
                            pad_token_id=0, hidden_act="silu")),
    "gemma2-a": Golden(seed=20, family="gemma2", prompts=(1, 12), eos_id=11, eps=2e-5, embed=0.15,
                       gain=0, config=GEMMA | dict(sliding_window=5, query_pre_attn_scalar=9,
                                                   attn_logit_softcapping=1.5,
                                                   final_logit_softcapping=4.0)),
    "gemma2-b": Golden(  # no caps; three layers, two kinds
        seed=1, family="gemma2", prompts=(3,), eos_id=19, embed=0.2, gain=0,
        config=GEMMA | dict(num_hidden_layers=3, layer_types=[FULL, LOCAL, FULL], sliding_window=2,
                            tie_word_embeddings=False, attn_logit_softcapping=None, final_logit_softcapping=None,
                            hidden_activation="gelu", attention_bias=True)),
    "gemma3-a": Golden(seed=7, family="gemma3_text", prompts=(1, 12), eos_id=30, eps=2e-5, embed=0.15,
                       gain=0, config=GEMMA | dict(sliding_window=4, sliding_window_pattern=2,
                                                   query_pre_attn_scalar=6)),
    "gemma3-b": Golden(  # positions of both kinds in the keys of older files; capped logits
        seed=7, family="gemma3_text", prompts=(7,), eos_id=5, embed=0.2, gain=0,
        config=GEMMA | dict(num_hidden_layers=3, layer_types=[LOCAL, FULL, LOCAL], sliding_window=3,
                            final_logit_softcapping=3.0, rope_parameters={
                                FULL: dict(rope_type="linear", rope_theta=5000.0, factor=4.0),
                                LOCAL: dict(rope_type="default", rope_theta=100.0)}),
        old_config=dict(rope_parameters=None, rope_theta=5000.0, rope_local_base_freq=100.0,
                        rope_scaling=dict(rope_type="linear", factor=4.0))),
    "olmo2-a": Golden(seed=5, family="olmo2", prompts=(1, 9), eos_id=4, eps=2e-5, config=BASE),
    "olmo2-b": Golden(  # biases; as many key heads as queries; a padding token; tied
        seed=13, family="olmo2", prompts=(3,), eos_id=3,
        config=BASE | dict(num_key_value_heads=4, attention_bias=True, pad_token_id=1,
                           tie_word_embeddings=True, rope_parameters=dict(rope_theta=500.0))),
    "exaone4-a": Golden(seed=2, family="exaone4", prompts=(1, 9), eos_id=12, eps=2e-5,
                        config=BASE | dict(sliding_window=4, sliding_window_pattern=2)),
    "exaone4-b": Golden(  # no windows, all layers rotate; heads of 6; tied; a padding token
        seed=6, family="exaone4", prompts=(5,), eos_id=5,
        config=BASE | dict(sliding_window=None, layer_types=[FULL, FULL], head_dim=6,
                           tie_word_embeddings=True, pad_token_id=3, hidden_act="gelu",
                           rope_parameters=dict(rope_type="llama3", rope_theta=500.0, factor=4.0,
                                                original_max_position_embeddings=10,
                                                low_freq_factor=1.0, high_freq_factor=4.0))),
    "smollm3-a": Golden(seed=11, family="smollm3", prompts=(1, 9), eos_id=4, eps=2e-5,
                        config=BASE | dict(no_rope_layer_interval=2)),
    "smollm3-b": Golden(  # layers without positions are local; biases; its own head
        seed=1, family="smollm3", prompts=(5,), eos_id=5,
        config=BASE | dict(num_hidden_layers=3, no_rope_layers=[0, 1, 0], use_sliding_window=True,
                           sliding_window=4, attention_bias=True, mlp_bias=True,
                           tie_word_embeddings=False)),
    "phi3-a": Golden(seed=3, family="phi3", prompts=(1, 9), eos_id=3, eps=2e-5,
                     config=BASE | dict(original_max_position_embeddings=40)),
    "phi3-b": Golden(  # half of each head rotates; windows
        seed=1, family="phi3", prompts=(5,), eos_id=25,
        config=BASE | dict(hidden_size=32, sliding_window=4, tie_word_embeddings=True,
                           original_max_position_embeddings=40,
                           rope_parameters=dict(rope_type="default", rope_theta=500.0,
                                                partial_rotary_factor=0.5))),
    "phi3-c": Golden(  # longrope within the original length
        seed=1, family="phi3", shape=(2, 10), config=PHI | dict(pad_token_id=9)),
    "phi3-d": Golden(seed=1, family="phi3", shape=(2, 13), config=PHI),  # and beyond it
}  # fmt: skip


def make_model(golden):
    config = AutoConfig.for_model(golden.family, **golden.config, bos_token_id=None,
                                  eos_token_id=None)
    config._attn_implementation = "eager"
    return decoders.fill(AutoModelForCausalLM.from_config(config, attn_implementation="eager"),
                         golden)


def rotary_of(model):
    """None where layers have frequencies of their own."""
    rotary = model.model.rotary_emb
    return rotary if hasattr(rotary, "inv_freq") and model.config.model_type != "phi3" else None


if __name__ == "__main__":
    decoders.main(__doc__, GOLDENS, make_model, rotary_of)
