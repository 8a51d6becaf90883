"""Writes sampling.json: what transformers' logits processors make of random scores.

    python3 tests/generate/make_sampling.py

Each case has scores (multiples of 1/8, so that many are equal), the tokens so far, the options and
the probabilities a token is drawn with; 0 means it was filtered out.
"""
import json
import pathlib

import torch
import transformers
from transformers import (LogitsProcessorList, MinPLogitsWarper, RepetitionPenaltyLogitsProcessor,
                          TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

OPTIONS = [
    dict(temperature=1.0),
    dict(temperature=0.5),
    dict(temperature=1.7, top_k=1),
    dict(temperature=1.0, top_k=5),
    dict(temperature=1.0, top_k=1000),
    dict(temperature=0.8, top_p=0.9),
    dict(temperature=1.0, top_p=0.3),
    dict(temperature=1.0, top_p=0.0),
    dict(temperature=1.3, min_p=0.1),
    dict(temperature=1.0, min_p=1.0),
    dict(temperature=1.0, repeat_penalty=1.3),
    dict(temperature=0.7, repeat_penalty=0.8),
    dict(temperature=0.7, top_k=8, top_p=0.85, min_p=0.05, repeat_penalty=1.2),
    dict(temperature=2.5, top_k=20, top_p=0.95, min_p=0.02),
]


def probabilities(scores, history, o):
    steps = LogitsProcessorList()
    if o.get("repeat_penalty", 1.0) != 1.0:
        steps.append(RepetitionPenaltyLogitsProcessor(o["repeat_penalty"]))
    steps.append(TemperatureLogitsWarper(o["temperature"]))
    if o.get("top_k", 0):
        steps.append(TopKLogitsWarper(o["top_k"]))
    if o.get("top_p", 1.0) < 1.0:
        steps.append(TopPLogitsWarper(o["top_p"]))
    if o.get("min_p", 0.0):
        steps.append(MinPLogitsWarper(o["min_p"]))
    return steps(history[None], scores[None])[0].softmax(-1)


def main():
    random = torch.Generator().manual_seed(7)
    cases = []
    for o in OPTIONS:
        for _ in range(3):
            step = 1 / 64 if "top_p" in o else 1 / 8
            scores = (torch.randn(40, generator=random) * 2 / step).round() * step
            if "top_p" in o:  # no equals here
                scores = scores + torch.randperm(40, generator=random) / 8192
            history = torch.randint(0, 44, (12,), generator=random)  # some beyond the scores
            p = probabilities(scores, history, o)
            cases.append({"options": o, "scores": scores.tolist(), "history": history.tolist(),
                          "probabilities": [float(f"{x:.6g}") for x in p.tolist()]})
    text = json.dumps({"transformers": transformers.__version__, "cases": cases},
                      separators=(",", ":"))
    path = pathlib.Path(__file__).with_name("sampling.json")
    path.write_text(text.replace('{"options"', '\n{"options"') + "\n")
    print(path.name, len(text), "bytes,", len(cases), "cases")


if __name__ == "__main__":
    main()
