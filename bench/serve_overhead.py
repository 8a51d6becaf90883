#!/usr/bin/env python3
"""What HTTP, JSON and streaming cost one client: a token through `jogak serve` beside a token without a server.

    python3 bench/serve_overhead.py [--jogak build/jogak] [--model DIR] [--rounds 9] [--prompt 32] [--tokens 64] [--threads 2]

Two processes on the same directory: `jogak serve`, asked for one answer after the other as a stream over loopback, and `jogak bench
generate`. A round is an answer, the bench, and another answer, so that a machine that gets slower or faster is so for both; the client
computes on the same cores. Without --model GPT-2 124M with random weights is made. Two figures, medians of the rounds; ends with 1 where
one of them is above 5 %:

beside_bench_percent    a token in the stream, from the first piece of text to the last, over one of the bench
outside_passes_percent  a whole request, from sending it to its last byte, over the seconds that passes of the model took meanwhile
                        (/metrics): reading the request, choosing tokens, text, JSON, sending, and the client
"""

import argparse
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 0.05


def letters(number, length):
    """Another text each time, so that nothing of it was read before."""
    return "".join(chr(ord("a") + (number * 7919 + i * i * 31 + i) % 26) for i in range(length))


class Stream:
    """One connection that stays; milliseconds a token of one answer after the other."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def wait(self):
        """Until the model is open."""
        while True:
            self.connection.request("GET", "/health")
            reply = self.connection.getresponse()
            reply.read()
            if reply.status == 200:
                return
            time.sleep(0.05)

    def passes(self):
        """Seconds that passes of the model took so far."""
        self.connection.request("GET", "/metrics")
        lines = self.connection.getresponse().read().decode().splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith("jogak_model_seconds_total{")), 0.0)

    def ask(self, number, prompt, tokens):
        body = {"prompt": letters(number, prompt), "max_tokens": tokens, "temperature": 0, "stream": True,
                "stream_options": {"include_usage": True}}
        before, start = self.passes(), time.perf_counter()
        self.connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        assert reply.status == 200, reply.read()
        times, made = [], 0
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            made = event.get("usage", {}).get("completion_tokens", made)
            if any(choice["text"] for choice in event["choices"]):
                times.append(time.perf_counter())
        whole = time.perf_counter() - start
        assert made == tokens, made
        if len(times) < tokens:
            return None  # some pieces were held back
        return 1e3 * (times[-1] - times[0]) / (tokens - 1), whole / (self.passes() - before) - 1


@contextlib.contextmanager
def served(args, model):
    """A function that asks for one answer, a round's number at a time."""
    command = [args.jogak, "serve", model, "--preload", "--port", "0", "--threads", str(args.threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            stream = Stream(int(server.stdout.readline().strip().rsplit(":", 1)[1]))
            stream.wait()
            numbers = itertools.count()
            yield lambda: next(one for one in (stream.ask(i, args.prompt, args.tokens) for i in numbers) if one is not None)
        finally:
            server.terminate()


def alone(args, model):
    command = [args.jogak, "bench", "generate", "--model", model, "--batch", "1", "--seq", str(args.prompt), "--steps",
               str(args.tokens), "--threads", str(args.threads), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return 1e3 / json.loads(done.stdout.splitlines()[-1])["decode_tokens_per_s"]


def make_model(args, folder):
    """A token for every byte and names that no text spells, so that each token is a piece of text."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    words = [chr(c) for c in plain] + [chr(0x100 + i) for i in range(256 - len(plain))]
    words += [f"<{i}>" for i in range(50257 - len(words))]
    form = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = pathlib.Path(folder) / "tokenizer.json"
    tokenizer.write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": form,
        "post_processor": None, "decoder": form,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "vocab": {word: i for i, word in enumerate(words)}, "merges": []}}))
    model = str(pathlib.Path(folder) / "gpt2")
    sizes = dict(n_layer=12, n_head=12, n_embd=768, n_positions=1024, vocab_size=50257)
    sets = [word for key, value in sizes.items() for word in ("--set", f"{key}={value}")]
    subprocess.run([args.jogak, "new", model, "--family", "gpt2", "--tokenizer", str(tokenizer), *sets], check=True,
                   stderr=subprocess.DEVNULL)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jogak", default=str(ROOT / "build/jogak"))
    parser.add_argument("--model")
    for name, usual in (("rounds", 9), ("prompt", 32), ("tokens", 64), ("threads", os.cpu_count() or 1)):
        parser.add_argument("--" + name, type=int, default=usual)
    args = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        model = args.model or make_model(args, folder)
        with served(args, model) as ask:
            ask()  # warms up
            for turn in range(args.rounds):
                (before, more), without, (after, again) = ask(), alone(args, model), ask()
                rounds.append(((before + after) / 2, without, more, again))
                print(f"round {turn + 1}: {before:.2f} and {after:.2f} ms a token through the server, {without:.2f} between them without; "
                      f"outside passes {100 * more:.2f} and {100 * again:.2f} %", file=sys.stderr, flush=True)
    outside = statistics.median(share for one in rounds for share in one[2:])
    beside = statistics.median(one[0] / one[1] for one in rounds) - 1
    out = {"server_ms": round(statistics.median(one[0] for one in rounds), 3), "alone_ms": round(statistics.median(one[1] for one in rounds), 3),
           "beside_bench_percent": round(100 * beside, 2), "outside_passes_percent": round(100 * outside, 2)}
    print(json.dumps(out))
    raise SystemExit(max(outside, beside) > MOST)


if __name__ == "__main__":
    main()
