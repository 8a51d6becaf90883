"""Tokens a second and time to the first token of `jogak serve` and of llama.cpp's server, in turn.

    python compare_serve.py [--rounds 3] [--clients 16] [--llama-server BINARY] [--cpus 0,1] [--only SERVER]

GPT-2 124M with random weights in f32, two threads, each server a process of its own on loopback. `--clients` connections ask one after
the other, every prompt another one, answers as streams; nobody is answered from what was read for another. The peers: llama.cpp's own
server with as many slots as clients, from PyPI xllamacpp where that is installed (compiled for any machine: beside it jogak with
AVX2 alone) or where --llama-server names one, and llama-cpp-python's (one text at a time). `jogak alone` is one client of jogak serve, and beside it what `jogak bench generate` writes without a server: the difference is
HTTP, JSON and streaming. The best round counts. Writes bench/results/serve.json.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
from importlib.util import find_spec

from asking import free_port, load, wait_for
from compare import HERE, ROOT, cpu_name, parser, print_table, run_json
from generate_gpt2_llama import byte_characters, write_model

SIZES = dict(layers=12, heads=12, width=768, vocab=50257, positions=1024)


def pinned(args):
    return ["taskset", "-c", args.cpus] if args.cpus else []


def measure(command, port, more, clients, args):
    """One round: the server begins, is warmed up by one request of each client, and is asked."""
    with subprocess.Popen([*pinned(args), *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=os.environ | {"OMP_NUM_THREADS": str(args.threads)}) as server:
        try:
            wait_for(port, server)
            asyncio.run(load(port, more, min(2, clients), 1, 16, 8))
            return asyncio.run(load(port, more, clients, args.asks, args.prompt, args.tokens))
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def write_tokenizer(path):
    """The vocabulary of the GGUF file: a token for every byte, and names that no text spells."""
    letters = byte_characters()
    words = letters + [f"<{i}>" for i in range(SIZES["vocab"] - len(letters))]
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    path.write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": bytes_,
        "post_processor": None, "decoder": bytes_,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "vocab": {word: i for i, word in enumerate(words)}, "merges": []}}))


def make_models(folder, jogak):
    """The same sizes for both: a directory of Hugging Face's format, and a GGUF file."""
    hf, gguf, words = folder / "gpt2", folder / "gpt2.gguf", folder / "tokenizer.json"
    write_tokenizer(words)
    sets = [word for key, value in dict(n_layer=12, n_head=12, n_embd=768, n_positions=1024, vocab_size=50257).items()
            for word in ("--set", f"{key}={value}")]
    subprocess.run([jogak, "new", hf, "--family", "gpt2", "--tokenizer", words, *sets], check=True)
    write_model(gguf, types.SimpleNamespace(**SIZES))
    return hf, gguf


def servers(args, hf, gguf):
    """{name: (command, port, further fields of a request, clients)}"""
    out, port, usage = {}, free_port(), {"stream_options": {"include_usage": True}}
    ours = [args.jogak, "serve", hf, "--preload", "--port", port, "--threads", args.threads]
    out["jogak"] = (ours, port, usage, args.clients)
    out["jogak alone"] = (ours, port, usage, 1)
    narrow = ["env", "JOGAK_MAX_ISA=avx2", *ours]
    out["jogak avx2"] = (narrow, port, usage, args.clients)
    slots, whole = args.clients, usage | {"ignore_eos": True, "cache_prompt": False}
    if find_spec("xllamacpp"):
        port = free_port()
        out["xllamacpp"] = ([sys.executable, HERE / "serve_llama.py", gguf, port, slots, args.threads], port, whole, args.clients)
    if args.llama_server:
        port = free_port()
        out["llama.cpp"] = ([args.llama_server, "-m", gguf, "--host", "127.0.0.1", "--port", port, "-np", slots, "-c", 1024 * slots,
                             "-t", args.threads, "-tb", args.threads, "-fa", "on"], port, whole, args.clients)
    if find_spec("llama_cpp") and find_spec("uvicorn"):
        port = free_port()
        out["llama-cpp-python"] = ([sys.executable, "-m", "llama_cpp.server", "--model", gguf, "--host", "127.0.0.1", "--port", port,
                                    "--n_ctx", 1024, "--n_threads", args.threads, "--n_threads_batch", args.threads,
                                    "--flash_attn", "true", "--interrupt_requests", "false"], port, {}, args.clients)
    return {name: value for name, value in out.items() if not args.only or name in args.only}


def main():
    names = ["jogak", "jogak alone", "jogak avx2", "xllamacpp", "llama.cpp", "llama-cpp-python"]
    p = parser(__doc__.splitlines()[0], names)
    p.add_argument("--clients", type=int, default=16)
    p.add_argument("--prompt", type=int, default=32, help="tokens that are read")
    p.add_argument("--tokens", type=int, default=128, help="tokens that are written, in the mean")
    p.add_argument("--asks", type=int, default=3, help="requests of each client, one after the other")
    p.add_argument("--cpus", help="where servers run, such as 0,1 on a machine with more")
    p.add_argument("--llama-server", type=pathlib.Path)
    p.add_argument("--models", type=pathlib.Path, help="a folder where the models stay")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.models or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        made = (folder / "gpt2", folder / "gpt2.gguf") if (folder / "gpt2").exists() else make_models(folder, args.jogak)
        all_servers = servers(args, *made)
        rounds = {name: [] for name in all_servers}
        bench = []
        for i in range(args.rounds):
            for name in list(all_servers) if i % 2 == 0 else list(reversed(all_servers)):
                result = measure(*all_servers[name], args)
                rounds[name].append(result)
                print(f"  round {i + 1} of {args.rounds}: {name}: " + json.dumps({k: round(v, 1) for k, v in result.items()}),
                      file=sys.stderr, flush=True)
            if "jogak alone" in all_servers:
                bench.append(run_json([*pinned(args), args.jogak, "bench", "generate", "--family", "gpt2", "--batch", 1, "--seq", args.prompt, "--steps", args.tokens,
                                       "--threads", args.threads, "--json"], args.threads))
                print(f"  without a server: {1e3 / bench[-1]['decode_tokens_per_s']:.2f} ms a token", file=sys.stderr, flush=True)
    report(args, rounds, bench)


def report(args, rounds, bench):
    rows = []
    for name, several in rounds.items():
        best = max(r["tokens_per_s"] for r in several)
        first = min(r["first_token_ms"] for r in several)
        rows.append([name, f"{best:.1f}", f"{first:.0f}", f"{min(r['token_ms'] for r in several):.1f}"])
    print_table(["server", "tokens/s", "first token ms", "ms a token"], rows)
    out = args.out or ROOT / "bench/results/serve.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"schema": 1, "cpu": cpu_name(), "threads": args.threads, "clients": args.clients, "prompt": args.prompt,
                               "tokens": args.tokens, "rounds": rounds, "bench": bench}, indent=1) + "\n")


if __name__ == "__main__":
    main()
