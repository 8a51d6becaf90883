"""Reading a prompt and writing tokens with GPT-2 in transformers (float32, CPU, batch 1), timed.

    python generate_gpt2_transformers.py --prompt 512 --tokens 64

Random weights and prompt, greedy, with a cache. The loop calls the model itself, so that prefill
and decoding can be told apart; generate() takes as long. Prints one line of JSON:
prefill_tokens_per_s, decode_tokens_per_s (best round of each), first_token_ms (the best prefill),
peak_rss_mb.
"""

import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from measure import generation_args, print_generation


def round_of(model, ids, tokens):
    """Seconds for the prompt and its first token, and for the tokens after it."""
    start = time.perf_counter()
    out = model(ids, use_cache=True, logits_to_keep=1)
    token = out.logits[:, -1].argmax(-1, keepdim=True)
    middle = time.perf_counter()
    for _ in range(tokens):
        out = model(token, past_key_values=out.past_key_values, use_cache=True)
        token = out.logits[:, -1].argmax(-1, keepdim=True)
    return middle - start, time.perf_counter() - middle


def main():
    args = generation_args(__doc__)
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    config = GPT2Config(n_layer=args.layers, n_head=args.heads, n_embd=args.width,
                        vocab_size=args.vocab, n_positions=args.positions)
    model = GPT2LMHeadModel(config).eval()
    ids = torch.randint(0, args.vocab, (1, args.prompt))
    with torch.inference_mode():
        round_of(model, ids, min(4, args.tokens))  # warm-up
        rounds = [round_of(model, ids, args.tokens) for _ in range(args.rounds)]
    print_generation(args, rounds)


if __name__ == "__main__":
    main()
