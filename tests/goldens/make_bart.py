"""Writes the goldens of BART, mBART and M2M100: tiny encoder-decoders and what transformers computes
with them.

    python make_bart.py [--out DIR] [NAME ...]        # all of them, next to this file

As make.py, by seq2seq.py.
"""

from functools import partial

import transformers as hf

import seq2seq
import tiny

BASE = dict(vocab_size=67, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, pad_token_id=1,
            eos_token_id=2, bos_token_id=0, decoder_start_token_id=2, max_position_embeddings=30,
            dropout=0.0, attention_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0)
UNEVEN = dict(d_model=24, encoder_layers=3, decoder_layers=1, encoder_attention_heads=3,
              decoder_attention_heads=2, encoder_ffn_dim=40)


def maker(name):
    kinds = getattr(hf, name + "Config"), getattr(hf, name + "ForConditionalGeneration")
    return partial(seq2seq.Golden, kinds=kinds, words=(3, 60))


Bart, MBart, M2M100 = maker("Bart"), maker("MBart"), maker("M2M100")
GOLDENS = {
    "bart-a": Bart(seed=1, train=True, penalties=(1.0, 0.6), lessons=700, config=dict(
        BASE, forced_eos_token_id=2)),
    # As bart-large-cnn: a first token that is forced, texts of at least two.
    "bart-b": Bart(seed=1, bias=True, penalties=(1.0,), lessons=500, config=dict(
        BASE, **UNEVEN, activation_function="relu", scale_embedding=True, forced_eos_token_id=2),
        settings=dict(forced_bos_token_id=0, min_length=2, no_repeat_ngram_size=2)),
    "bart-c": Bart(seed=5, bias=True, config=dict(
        BASE, d_model=15, encoder_attention_heads=3, decoder_attention_heads=5,
        activation_function="gelu_new", decoder_start_token_id=5, tie_word_embeddings=False)),
    "mbart-a": MBart(seed=1, train=True, penalties=(1.0,), lessons=300, config=dict(
        BASE, scale_embedding=True, forced_eos_token_id=2)),
    # The language wanted comes first: a token that is forced.
    "mbart-b": MBart(seed=4, bias=True, penalties=(1.0,), config=dict(
        BASE, **UNEVEN, activation_function="silu", decoder_start_token_id=7),
        settings=dict(forced_bos_token_id=61)),
    "m2m_100-a": M2M100(seed=3, train=True, penalties=(1.0, 1.4), config=BASE,
                        settings=dict(forced_bos_token_id=62)),
    # An odd width, and padding elsewhere: positions count from behind it.
    "m2m_100-b": M2M100(seed=4, config=dict(
        BASE, d_model=15, encoder_attention_heads=3, decoder_attention_heads=5, pad_token_id=4,
        scale_embedding=False, activation_function="gelu", tie_word_embeddings=False),
        words=(5, 60)),
}  # fmt: skip


if __name__ == "__main__":
    tiny.main(__doc__, GOLDENS, seq2seq.make)
