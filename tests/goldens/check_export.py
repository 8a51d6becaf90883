"""Loads a model directory that jogak wrote with transformers and compares the logits.

    jogak forward MODEL_DIR --input in.safetensors --output out.safetensors
    python check_export.py MODEL_DIR in.safetensors out.safetensors [--no-tokenizer]

in.safetensors holds `input_ids` [B, T] (and `attention_mask`, `labels` if wanted), out.safetensors
what `jogak forward` made of it: `logits`, and `loss` where labels were given. Every weight must be
found and used, the tokenizer must load and bring text back (--no-tokenizer: the directory has
none), and max |a - b| / max |b| must stay within 1e-4. Exit status: 0 agreed, 1 not.
"""

import argparse
import sys

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

TOLERANCE = 1e-4


def check_model(folder, inputs, outputs):
    model, info = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True)
    problems = [f"{what}: {names}" for what, names in info.items() if names]
    with torch.no_grad():
        expected = model.eval()(**inputs)
    for name in ("logits", "loss") if "labels" in inputs else ("logits",):
        if name not in outputs:
            problems.append(f"{name}: not in the output file")
            continue
        a, b = outputs[name].double(), expected[name].double()
        if a.shape != b.shape:
            problems.append(f"{name}: jogak gives {list(a.shape)}, transformers {list(b.shape)}")
            continue
        error = ((a - b).abs().max() / b.abs().max()).item()
        print(f"{name}: max |a - b| / max |b| = {error:.2e}")
        if not error <= TOLERANCE:  # NaN fails too
            problems.append(f"{name}: {error:.2e} is above {TOLERANCE:.0e}")
    return problems


def check_tokenizer(folder, ids, vocab_size):
    """Text made of the given ids must survive encoding and decoding again."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    print(f"tokenizer: {type(tokenizer).__name__}, {len(tokenizer)} tokens")
    problems = []
    if len(tokenizer) > vocab_size:
        problems.append(f"tokenizer: {len(tokenizer)} tokens, the model has only {vocab_size}")
    for row in ids.tolist():
        text = tokenizer.decode([i for i in row if i < len(tokenizer)], skip_special_tokens=True)
        again = tokenizer.decode(tokenizer.encode(text, add_special_tokens=False))
        if not text or again != text:
            problems.append(f"tokenizer: {text!r} comes back as {again!r}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_dir")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--no-tokenizer", action="store_true")
    args = parser.parse_args()
    disable_progress_bar()
    set_verbosity_error()
    inputs, outputs = load_file(args.input), load_file(args.output)
    known = ("input_ids", "attention_mask", "labels")
    inputs = {name: t.long() for name, t in inputs.items() if name in known}
    problems = check_model(args.model_dir, inputs, outputs)
    if not args.no_tokenizer:
        vocab_size = outputs["logits"].shape[-1] if "logits" in outputs else 0
        problems += check_tokenizer(args.model_dir, inputs["input_ids"], vocab_size)
    for problem in problems:
        print(f"{args.model_dir}: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
