"""Translates lines with a directory that jogak wrote, by jogak and by transformers, and compares.

    python check_marian.py MODEL_DIR LINES.txt [--jogak build/jogak] [--beams 4]

Tokenizer, weights and beam search must all agree for a line to come out the same. Prints how many
lines are equal; exit status 0 when all are, 1 when not.
"""

import argparse
import pathlib
import subprocess
import sys

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar, set_verbosity_error


def translate(folder, lines, beams):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, info = AutoModelForSeq2SeqLM.from_pretrained(
        folder, attn_implementation="eager", output_loading_info=True)
    problems = {what: names for what, names in info.items() if names}
    if problems:
        sys.exit(f"{folder}: {problems}")
    print(f"{type(tokenizer).__name__}, {len(tokenizer)} tokens; {type(model).__name__}")
    out = []
    for line in lines:  # one by one: no padding, as each sentence alone
        with torch.no_grad():
            ids = model.eval().generate(**tokenizer(line, return_tensors="pt"), num_beams=beams)
        out.append(tokenizer.decode(ids[0], skip_special_tokens=True))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_dir")
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("--jogak", default=pathlib.Path(__file__).parents[2] / "build" / "jogak")
    parser.add_argument("--beams", type=int, default=4)
    args = parser.parse_args()
    disable_progress_bar()
    set_verbosity_error()
    lines = args.lines.read_text().splitlines()
    done = subprocess.run([args.jogak, "translate", args.model_dir, "--beams", str(args.beams)],
                          input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    ours, theirs = done.stdout.splitlines(), translate(args.model_dir, lines, args.beams)
    different = [(s, a, b) for s, a, b in zip(lines, ours, theirs, strict=True) if a != b]
    for source, a, b in different[:10]:
        print(f"{source}\n  jogak        {a}\n  transformers {b}")
    print(f"{len(lines) - len(different)} of {len(lines)} lines are the same")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
