"""Reading a prompt and writing tokens with GPT-2 in llama.cpp (float32, CPU, batch 1), timed.

    python generate_gpt2_llama.py --prompt 512 --tokens 64

Writes a GGUF file with random weights (PyPI gguf) to a temporary directory and runs it through PyPI
llama-cpp-python, greedy, with flash attention. Prints one line of JSON: prefill_tokens_per_s,
decode_tokens_per_s (best round of each), first_token_ms (the best prefill), peak_rss_mb.
"""

import pathlib
import tempfile
import time

import numpy as np
from gguf import GGUFWriter

from measure import generation_args, print_generation


def byte_characters():
    """The 256 characters byte-level BPE writes bytes as: llama.cpp asks for a vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in plain] + [chr(256 + i) for i in range(256 - len(plain))]


def write_model(path, args):
    rng = np.random.default_rng(1)
    writer = GGUFWriter(path, "gpt2")
    writer.add_context_length(args.positions)
    writer.add_embedding_length(args.width)
    writer.add_feed_forward_length(4 * args.width)
    writer.add_block_count(args.layers)
    writer.add_head_count(args.heads)
    writer.add_layer_norm_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    letters = byte_characters()
    writer.add_token_list(letters + [f"<{i}>" for i in range(args.vocab - len(letters))])
    writer.add_token_types([1] * args.vocab)
    writer.add_token_merges([f"{letters[0]} {letters[1]}"])
    writer.add_bos_token_id(args.vocab - 1)
    writer.add_eos_token_id(args.vocab - 1)

    def matrix(name, rows, cols):
        values = rng.standard_normal((rows, cols), dtype=np.float32) * np.float32(0.02)
        writer.add_tensor(f"{name}.weight", values)

    def norm(name):
        writer.add_tensor(f"{name}.weight", np.ones(args.width, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(args.width, np.float32))

    def linear(name, rows, cols):
        matrix(name, rows, cols)
        writer.add_tensor(f"{name}.bias", np.zeros(rows, np.float32))

    matrix("token_embd", args.vocab, args.width)
    matrix("position_embd", args.positions, args.width)
    for i in range(args.layers):
        norm(f"blk.{i}.attn_norm")
        linear(f"blk.{i}.attn_qkv", 3 * args.width, args.width)
        linear(f"blk.{i}.attn_output", args.width, args.width)
        norm(f"blk.{i}.ffn_norm")
        linear(f"blk.{i}.ffn_up", 4 * args.width, args.width)
        linear(f"blk.{i}.ffn_down", args.width, 4 * args.width)
    norm("output_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def round_of(model, ids, tokens):
    """Seconds for the prompt and its first token, and for the tokens after it."""
    model.reset()
    start = time.perf_counter()
    model.eval(ids)
    token = model.sample(temp=0)
    middle = time.perf_counter()
    for _ in range(tokens):
        model.eval([token])
        token = model.sample(temp=0)
    return middle - start, time.perf_counter() - middle


def main():
    from llama_cpp import Llama  # its writer of models serves others too

    args = generation_args(__doc__)
    ids = np.random.default_rng(2).integers(0, args.vocab, args.prompt).tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.gguf"
        write_model(path, args)
        model = Llama(str(path), n_ctx=args.positions, n_batch=args.prompt, n_ubatch=args.prompt,
                      n_threads=args.threads, n_threads_batch=args.threads, flash_attn=True,
                      verbose=False)
        round_of(model, ids, min(4, args.tokens))  # warm-up
        rounds = [round_of(model, ids, args.tokens) for _ in range(args.rounds)]
    print_generation(args, rounds)


if __name__ == "__main__":
    main()
