"""Reading a prompt and writing tokens with GPT-2 in llama.cpp (CPU, batch 1), timed.

    python generate_gpt2_llama.py --prompt 512 --tokens 64 [--type f32|bf16|q8|q4]

Writes a GGUF file with random weights (PyPI gguf) to a temporary directory and runs it through PyPI
llama-cpp-python, greedy, with flash attention; where that is not installed, through the server of
PyPI xllamacpp, in this process and without HTTP, by its own clock. bf16, Q8_0 and Q4_0 are the
matrices; of Q4_0 the table of words, which is the head, is Q8_0, as jogak keeps it. Prints one line
of JSON: prefill_tokens_per_s, decode_tokens_per_s (best round of each), first_token_ms (the best
prefill), peak_rss_mb.
"""

import pathlib
import tempfile
import time
from importlib.util import find_spec

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, quants

from measure import generation_args, print_generation


def byte_characters():
    """The 256 characters byte-level BPE writes bytes as: llama.cpp asks for a vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in plain] + [chr(256 + i) for i in range(256 - len(plain))]


TYPES = {"bf16": GGMLQuantizationType.BF16, "q8": GGMLQuantizationType.Q8_0,
         "q4": GGMLQuantizationType.Q4_0}  # fmt: skip


def type_of(name, kind):
    """What a matrix is kept in; None: f32."""
    if name == "position_embd":
        return None
    return TYPES.get("q8" if kind == "q4" and name == "token_embd" else kind)


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
        short = type_of(name, getattr(args, "type", "f32"))
        if short is None:
            return writer.add_tensor(f"{name}.weight", values)
        writer.add_tensor(f"{name}.weight", quants.quantize(values, short), raw_dtype=short)

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


class ByServer:
    """llama.cpp as xllamacpp brings it; prompts that differ are read anew."""

    def __init__(self, path, args):
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = path
        params.n_parallel, params.n_ctx = 1, args.positions
        params.n_batch = params.n_ubatch = args.prompt
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = args.threads
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        self.server, self.rng, self.vocab = xllamacpp.Server(params), np.random.default_rng(3), args.vocab

    def round_of(self, ids, tokens):
        ids = self.rng.integers(0, self.vocab - 1, len(ids)).tolist()
        answer = self.server.handle_completions({
            "prompt": ids, "max_tokens": tokens + 1, "temperature": 0, "ignore_eos": True,
            "cache_prompt": False})
        times = answer["timings"]
        assert times["prompt_n"] >= len(ids) - 1 and times["predicted_n"] >= tokens, times
        return times["prompt_ms"] / 1e3, times["predicted_ms"] / 1e3 * tokens / times["predicted_n"]


def opened(path, args):
    """What runs a round."""
    if find_spec("llama_cpp") is None:
        return ByServer(str(path), args).round_of
    from llama_cpp import Llama  # its writer of models serves others too

    model = Llama(str(path), n_ctx=args.positions, n_batch=args.prompt, n_ubatch=args.prompt,
                  n_threads=args.threads, n_threads_batch=args.threads, flash_attn=True,
                  verbose=False)
    return lambda ids, tokens: round_of(model, ids, tokens)


def main():
    args = generation_args(__doc__, TYPES)
    ids = np.random.default_rng(2).integers(0, args.vocab, args.prompt).tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.gguf"
        write_model(path, args)
        run = opened(path, args)
        run(ids, min(4, args.tokens))  # warm-up
        rounds = [run(ids, args.tokens) for _ in range(args.rounds)]
    print_generation(args, rounds)


if __name__ == "__main__":
    main()
