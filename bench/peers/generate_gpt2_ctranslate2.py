"""Reading a prompt and writing tokens with GPT-2 in CTranslate2 (CPU, batch 1), timed.

    python generate_gpt2_ctranslate2.py --prompt 512 --tokens 64 [--compute int8]

A random GPT-2 of transformers, turned by CTranslate2's converter; greedy. The time of the tokens after the
prompt is that of writing them all less that of the first alone. Prints one line of JSON: prefill_tokens_per_s,
decode_tokens_per_s (best round of each), first_token_ms (the best prefill), peak_rss_mb.
"""

import json
import pathlib
import tempfile
import time

import ctranslate2
import torch
from ctranslate2.converters import TransformersConverter
from transformers import GPT2Config, GPT2LMHeadModel

from measure import generation_args, print_generation


def write_model(place, a):
    torch.manual_seed(1)
    GPT2LMHeadModel(GPT2Config(vocab_size=a.vocab, n_positions=a.positions, n_embd=a.width,
                               n_layer=a.layers, n_head=a.heads)).save_pretrained(place)
    letters = [chr(256 + i) for i in range(256)]
    words = letters + [f"<{i}>" for i in range(a.vocab - 257)] + ["<|endoftext|>"]
    (place / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (place / "merges.txt").write_text("#version: 0.2\n")
    (place / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "GPT2Tokenizer"}))
    return words


def seconds_of(model, prompt, tokens):
    start = time.perf_counter()
    model.generate_batch([prompt], beam_size=1, sampling_topk=1, min_length=tokens, max_length=tokens,
                         include_prompt_in_result=False)
    return time.perf_counter() - start


def main():
    a = generation_args(__doc__, compute="float32")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        words = write_model(place, a)
        TransformersConverter(str(place)).convert(str(place / "converted"), force=True)
        model = ctranslate2.Generator(str(place / "converted"), device="cpu", inter_threads=1,
                                      intra_threads=a.threads, compute_type=a.compute)
        ids = torch.randint(0, a.vocab - 1, (a.prompt,), generator=torch.Generator().manual_seed(2))
        prompt = [words[i] for i in ids.tolist()]
        seconds_of(model, prompt, 2)  # warm-up
        rounds = []
        for _ in range(a.rounds):
            first = seconds_of(model, prompt, 1)
            rounds.append((first, seconds_of(model, prompt, 1 + a.tokens) - first))
    print_generation(a, rounds)


if __name__ == "__main__":
    main()
