"""Writes rope.json: RoPE's frequencies as transformers computes them, for sizes people use.

    python make_rope.py [--out DIR]        # next to this file
"""

import argparse
import json
import logging
import pathlib

import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

YARN = dict(rope_type="yarn", rope_theta=10000.0, factor=16.0,
            original_max_position_embeddings=4096)
LLAMA3 = dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0,
              high_freq_factor=4.0, original_max_position_embeddings=8192)
# head_dim, max_position_embeddings, lengths of texts, and further keys of config.json
CASES = [
    (128, 2048, (1,), dict()),
    (64, 2048, (1,), dict(rope_theta=1000000.0)),
    (128, 8192, (1, 9000), dict(rope_theta=500000.0, rope_scaling=None)),
    (128, 8192, (1,), dict(rope_scaling=dict(type="linear", factor=4.0))),
    (64, 2048, (1, 2048, 2049, 5000, 8192), dict(rope_scaling=dict(type="dynamic", factor=4.0),
                                                 rope_theta=26000.0)),
    (128, 65536, (1,), dict(rope_parameters=YARN)),
    (64, 65536, (1,), dict(rope_parameters=YARN | dict(beta_fast=16, beta_slow=2, truncate=False))),
    (128, 65536, (1,), dict(rope_parameters=YARN | dict(mscale=1.0, mscale_all_dim=0.707))),
    (128, 65536, (1,), dict(rope_parameters=YARN | dict(attention_factor=1.25))),
    (96, 65536, (1,), dict(rope_parameters=YARN | dict(factor=None))),
    (128, 131072, (1, 100000), dict(rope_parameters=LLAMA3)),
    (64, 131072, (1,), dict(rope_parameters=LLAMA3 | dict(factor=32.0))),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    out = []
    for head, positions, lengths, keys in CASES:
        for length in lengths:
            given = json.loads(json.dumps(keys))  # transformers writes into what it is given
            config = LlamaConfig(head_dim=head, max_position_embeddings=positions, **given)
            rotary = LlamaRotaryEmbedding(config)
            rotary(torch.zeros(1), torch.tensor([[length - 1]]))
            out.append(dict(config=keys | dict(max_position_embeddings=positions), width=head,
                            length=length, factor=float(rotary.attention_scaling),
                            frequencies=rotary.inv_freq.tolist()))
    lines = ",\n".join(json.dumps(case) for case in out)
    (args.out / "rope.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
