"""Writes the T5 goldens: tiny encoder-decoders and what transformers computes with them.

    python make_t5.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py, by seq2seq.py.
"""

from functools import partial

from transformers import T5Config, T5ForConditionalGeneration

import seq2seq
import tiny

Golden = partial(seq2seq.Golden, kinds=(T5Config, T5ForConditionalGeneration), words=(2, 60))
BASE = dict(vocab_size=67, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, pad_token_id=0,
            eos_token_id=1, decoder_start_token_id=0, dropout_rate=0.0,
            relative_attention_num_buckets=8, relative_attention_max_distance=12)
GOLDENS = {
    "t5-a": Golden(seed=3, train=True, penalties=(1.0, 0.6), lessons=250, config=BASE),
    # As T5 1.1: a gate, a head of its own, outputs that are not scaled; sides of unequal depth.
    "t5-b": Golden(seed=2, head=True, penalties=(1.0,), lessons=300, config=dict(
        BASE, feed_forward_proj="gated-gelu", tie_word_embeddings=False, d_model=24, d_kv=5,
        num_layers=3, num_decoder_layers=1, num_heads=3)),
    # As files of 2020: tables and a bias that nobody reads stand in it once more.
    "t5-c": Golden(seed=5, sources=((40, 4, 33), (11, 2, 5)), config=dict(
        BASE, feed_forward_proj="gated-silu", d_model=15, d_kv=4, num_heads=5, d_ff=20,
        relative_attention_num_buckets=7, relative_attention_max_distance=21,
        layer_norm_epsilon=1e-3, decoder_start_token_id=2),
        in_config=dict(n_positions=64),
        twice=(("shared.weight", "encoder.embed_tokens.weight"),
               ("shared.weight", "decoder.embed_tokens.weight"),
               ("decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"))),
}  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, seq2seq.make)
