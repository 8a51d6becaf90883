"""Beam search over a Marian directory with CTranslate2 (float32, CPU), timed.

    python translate_ctranslate2.py MODEL_DIR --sentences 32 --length 25 --new 25 --beams 4

Random source tokens; every translation has exactly --new tokens (an end may not come before).
Prints one line of JSON: seconds (median of the rounds), tokens_per_s of the output, version.
"""

import argparse
import json
import pathlib
import statistics
import tempfile
import time

import ctranslate2
import torch
from ctranslate2.converters import TransformersConverter

from measure import peak_rss_mb, print_json


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    for name, default in dict(sentences=32, length=25, new=25, beams=4, rounds=3,
                              threads=2).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--compute", default="float32")
    args = parser.parse_args()
    vocab = json.loads((args.model / "vocab.json").read_text())
    tokens = [token for token, _ in sorted(vocab.items(), key=lambda item: item[1])]
    tokens = [t for t in tokens if t not in ("</s>", "<unk>", "<pad>")]
    random = torch.Generator().manual_seed(1)
    ids = torch.randint(0, len(tokens), (args.sentences, args.length), generator=random)
    source = [[tokens[i] for i in row] for row in ids.tolist()]
    with tempfile.TemporaryDirectory() as place:
        TransformersConverter(str(args.model)).convert(place, force=True)
        translator = ctranslate2.Translator(place, device="cpu", inter_threads=1,
                                            intra_threads=args.threads, compute_type=args.compute)
        seconds = []
        for i in range(args.rounds + 1):
            start = time.perf_counter()
            results = translator.translate_batch(
                source, beam_size=args.beams, max_batch_size=args.sentences,
                min_decoding_length=args.new, max_decoding_length=args.new)
            if i > 0:
                seconds.append(time.perf_counter() - start)
    written = sum(len(r.hypotheses[0]) for r in results)
    median = statistics.median(seconds)
    print_json({"seconds": median, "tokens": written, "tokens_per_s": written / median,
                "peak_rss_mb": peak_rss_mb(), "version": ctranslate2.__version__})


if __name__ == "__main__":
    main()
