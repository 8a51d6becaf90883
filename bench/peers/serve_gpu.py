#!/usr/bin/env python3
"""Many clients of `jogak serve --device cuda`, and transformers' one batch of as many, in one run.

    bench/peers/serve_gpu.py [--jogak build-cuda/jogak] [--clients 64] [--rounds 3] [--prompt 128]
                             [--tokens 128] [--layers 16] [--width 2048]

A LLaMA of the 1B shape in bf16 with random weights, 32 heads, 8 of keys, 8,192 inner features, a
vocabulary of 512. Each client asks once a round, all at the same
time, answers come as streams; the peer generates one batch of the same sizes, greedily, and does not
stop early. Prints one JSON object: the best of the rounds.
"""

import argparse
import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from asking import free_port, load, wait_for


def make_model(jogak, folder, a):
    sets = {"hidden_size": a.width, "num_hidden_layers": a.layers, "num_attention_heads": 32, "num_key_value_heads": 8,
            "intermediate_size": 4 * a.width, "max_position_embeddings": 1024}  # fmt: skip
    words = folder / "words.txt"
    subprocess.run([jogak, "data", "make", "dates", words], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([jogak, "tokenizer", "train", "--vocab-size", "512", "--files", words, "--out", folder / "tokens"],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    subprocess.run([jogak, "new", folder / "model", "--family", "llama", "--tokenizer", folder / "tokens",
                    *(word for key, value in sets.items() for word in ("--set", f"{key}={value}"))],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return folder / "model"


def ours(a, model, clients):
    port = free_port()
    command = [a.jogak, "serve", model, "--preload", "--port", str(port), "--device", "cuda", "--dtype", "bf16"]
    more = {"ignore_eos": True, "stream_options": {"include_usage": True}}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(port, server)
            rounds = [asyncio.run(load(port, more, clients, 1, a.prompt, a.tokens)) for _ in range(a.rounds + 1)]
        finally:
            server.terminate()
    return max(rounds[1:], key=lambda one: one["tokens_per_s"])


def theirs(a, model):
    import torch
    from transformers import AutoModelForCausalLM

    net = AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16).cuda().eval()
    prompt = torch.randint(0, net.config.vocab_size, (a.clients, a.prompt), device="cuda")
    best = 0
    with torch.inference_mode():
        for turn in range(a.rounds + 1):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            net.generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=False, min_new_tokens=a.tokens,
                         max_new_tokens=a.tokens, pad_token_id=0)  # fmt: skip
            torch.cuda.synchronize()
            best = max(best, a.clients * a.tokens / (time.perf_counter() - begin)) if turn else 0
    return best


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--jogak", default="build-cuda/jogak")
    for name, value in dict(clients=64, rounds=3, prompt=128, tokens=128, layers=16, width=2048).items():
        p.add_argument(f"--{name}", type=int, default=value)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(a.jogak, pathlib.Path(folder), a)
        out = {"jogak": ours(a, model, a.clients), "jogak_alone": ours(a, model, 1)}
        print(json.dumps(out), file=sys.stderr, flush=True)
        out["transformers_tokens_per_s"] = theirs(a, model)
    print(json.dumps(out))


main()
