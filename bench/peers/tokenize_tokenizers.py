"""Encodes and decodes a text with PyPI tokenizers on one thread, timed.

    python tokenize_tokenizers.py TOKENIZER.json TEXT [--document 4000] [--rounds 3]

The text is cut into documents of whole lines as `jogak bench tokenizer` cuts it. Each way is the
fastest the library has: encode_batch_fast (ids without offsets), encode_batch, decode_batch, all
documents in one call; making Python lists of the ids is not timed. Seconds are the process's CPU
time, the best of the rounds. Prints one line of JSON.
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import argparse
import array
import gc
import hashlib
import time

import tokenizers

from measure import peak_rss_mb, print_json


def documents_of(text, least):
    """Whole lines, as many as it takes to reach `least` bytes."""
    out, at = [], 0
    while at < len(text):
        end = text.find(b"\n", min(at + least, len(text)) - 1) + 1 or len(text)
        out.append(text[at:end].decode())
        at = end
    return out


def best_seconds(rounds, work):
    """(the least CPU seconds of a call, what the last call gave)"""
    best = float("inf")
    for _ in range(rounds):
        result = None  # freed before the clock starts
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tokenizer")
    parser.add_argument("text")
    parser.add_argument("--document", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with open(args.text, "rb") as file:
        text = file.read()
    documents = documents_of(text, args.document)
    gc.disable()
    load, tokenizer = best_seconds(
        args.rounds, lambda: tokenizers.Tokenizer.from_file(args.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encode, encodings = best_seconds(args.rounds, lambda: tokenizer.encode_batch_fast(documents))
    ids = [e.ids for e in encodings]
    del encodings
    full, _ = best_seconds(args.rounds, lambda: tokenizer.encode_batch(documents))
    del _
    decode, decoded = best_seconds(args.rounds, lambda: tokenizer.decode_batch(ids))
    hashed = hashlib.sha256()
    for one in ids:
        hashed.update(array.array("i", one).tobytes())
    megabytes = len(text) / 1e6
    print_json({
        "bytes": len(text), "documents": len(documents), "tokens": sum(map(len, ids)),
        "load_ms": 1e3 * load, "encode_mb_s": megabytes / encode,
        "encode_full_mb_s": megabytes / full, "decode_mb_s": megabytes / decode,
        "ids_sha256": hashed.hexdigest(),
        "text_sha256": hashlib.sha256("".join(decoded).encode()).hexdigest(),
        "peak_rss_mb": peak_rss_mb(), "version": tokenizers.__version__,
    })  # fmt: skip


if __name__ == "__main__":
    main()
