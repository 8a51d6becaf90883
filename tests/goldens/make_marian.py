"""Writes the Marian goldens: tiny encoder-decoders and what transformers computes with them.

    python make_marian.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py, by seq2seq.py.
"""

from functools import partial

from transformers import MarianConfig, MarianMTModel

import seq2seq
import tiny

Golden = partial(seq2seq.Golden, kinds=(MarianConfig, MarianMTModel))
BASE = dict(vocab_size=67, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, eos_token_id=0,
            forced_eos_token_id=0, pad_token_id=66, decoder_start_token_id=66,
            max_position_embeddings=30, dropout=0.0)
GOLDENS = {
    "marian-a": Golden(seed=3, train=True, penalties=(1.0, 0.6), config=dict(
        BASE, activation_function="relu", scale_embedding=True)),
    "marian-b": Golden(seed=4, bias=True, penalties=(1.0,), config=dict(
        BASE, activation_function="swish", d_model=24, encoder_layers=3, decoder_layers=1,
        encoder_attention_heads=3, decoder_attention_heads=2, encoder_ffn_dim=40,
        share_encoder_decoder_embeddings=False, decoder_vocab_size=71, scale_embedding=True)),
    "marian-c": Golden(seed=5, bias=True, config=dict(
        BASE, activation_function="gelu", d_model=15, encoder_attention_heads=3,
        decoder_attention_heads=5, decoder_start_token_id=2, tie_word_embeddings=False,
        decoder_vocab_size=67)),
}  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, seq2seq.make)
