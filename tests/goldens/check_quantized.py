"""compressed-tensors both ways: transformers opens what jogak quantises, jogak opens what compressed-tensors writes.

    python check_quantized.py [--jogak build/jogak] [--json]

Ours: LLaMA, BERT and ViT in their own classes with random weights, quantised by `jogak quantize` to q8 and q4 in groups
of 16 and 64; transformers with compressed-tensors opens each directory, and its logits are held against
`jogak forward` of the same directory. Theirs: the schemes of make_quantized.py and more, compressed by compressed-tensors
(symmetric or not; a scale for a row or a group; int-quantized and pack-quantized), opened by both. A row says how far the
logits are apart, as a share of the largest; 1e-3 is the bar.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM, ViTConfig, ViTForImageClassification

import make_quantized as theirs
from tiny import randomise

HERE = pathlib.Path(__file__).parent
BAR = 1e-3
WIDE = dict(hidden_size=128, intermediate_size=256)
OURS = {
    "llama": (LlamaForCausalLM, LlamaConfig(**theirs.LLAMA | WIDE)),
    "llama-tied": (LlamaForCausalLM, LlamaConfig(**theirs.LLAMA | WIDE, tie_word_embeddings=True)),
    "bert": (BertForMaskedLM, BertConfig(**theirs.BERT | WIDE)),
    "vit": (ViTForImageClassification, ViTConfig(**theirs.VIT | WIDE)),
}
TYPES = [("q8", None), ("q8", 16), ("q4", 16), ("q4", 64)]
MORE = {  # beyond make_quantized's
    "llama-q8-group": (LlamaForCausalLM, LlamaConfig(**theirs.LLAMA), theirs.WEIGHTS | dict(num_bits=8), "pack-quantized"),
    "bert-q4-zeros": (BertForMaskedLM, BertConfig(**theirs.BERT), theirs.WEIGHTS | dict(symmetric=False), "pack-quantized"),
    "vit-q8": (ViTForImageClassification, ViTConfig(**theirs.VIT), theirs.CHANNEL, "int-quantized"),
    "vit-q4-zeros": (ViTForImageClassification, ViTConfig(**theirs.VIT | dict(num_labels=16)), theirs.WEIGHTS | dict(symmetric=False, group_size=16),
                     "pack-quantized"),
}


def jogak_logits(jogak, folder, place, kind):
    inputs, outputs = place / "in.safetensors", place / "out.safetensors"
    save_file(theirs.inputs_of(kind), inputs)
    subprocess.run([jogak, "forward", folder, "--input", inputs, "--output", outputs, "--overwrite"], check=True)
    return load_file(outputs)["logits"]


def apart(jogak, folder, place, kind):
    with torch.no_grad():
        wanted = theirs.opened(folder)(**theirs.inputs_of(kind)).logits
    got = jogak_logits(jogak, folder, place, kind)
    return ((got - wanted).abs().max() / wanted.abs().max()).item()


def ours_rows(jogak, place):
    for name, (cls, config) in OURS.items():
        model = cls(config).eval()
        randomise(model, 11)
        source = place / name
        model.save_pretrained(source)
        for kind, group in TYPES:
            out = place / f"{name}-{kind}-{group}"
            more = ["--group", str(group)] if group else []
            subprocess.run([jogak, "quantize", source, out, "--type", kind, *more], check=True, stdout=subprocess.DEVNULL)
            yield f"ours {name} {kind}" + (f" groups of {group}" if group else ""), apart(jogak, out, place, name)


def their_rows(jogak, place):
    theirs.MODELS.update(MORE)
    for name in theirs.MODELS:
        theirs.write(place / "theirs", name)
        yield f"theirs {name}", apart(jogak, place / "theirs" / name, place, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jogak", default=HERE.parent.parent / "build/jogak")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as place:
        for make in (ours_rows, their_rows):
            for name, distance in make(args.jogak, pathlib.Path(place)):
                rows[name] = distance
                print(f"{distance:.2e}  {name}", file=sys.stderr)
    worst = max(rows, key=rows.get)
    print(json.dumps(rows) if args.json else f"{len(rows)} directories, the farthest {rows[worst]:.2e} ({worst}), wanted {BAR:.0e}")
    sys.exit(0 if rows[worst] <= BAR else 1)


if __name__ == "__main__":
    main()
