#!/usr/bin/env python3
"""Checks a certificate of `jogak info DIR --parity CERTIFICATE` with transformers.

    pip install torch transformers sentencepiece
    python3 scripts/replay-parity.py CERTIFICATE DIR

The files of DIR must be those the certificate was made from (SHA-256), transformers must use every
tensor and miss none, its outputs for the certificate's inputs must be within the tolerance
(max |a - b| / max |b|), and its tokenizer must cut the certificate's texts into the same ids. Exit
status: 0 all agrees, 1 something does not.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import torch
import transformers
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

DEFAULT_CLASS = {  # for a configuration that names no architecture
    "gpt2": "GPT2LMHeadModel", "llama": "LlamaForCausalLM", "falcon": "FalconForCausalLM",
    "marian": "MarianMTModel", "bert": "BertModel", "vit": "ViTModel",
    "patchtst": "PatchTSTForPrediction",
}  # fmt: skip
OUTPUT_NAMES = {"logits": ("logits", "prediction_logits")}  # ours, and transformers' for the same


def tensor(json):
    kind = torch.float32 if json["dtype"] == "f32" else torch.int64
    number = float if json["dtype"] == "f32" else int
    return torch.tensor([number(x) for x in json["data"].split()], dtype=kind).reshape(json["shape"])


def check_files(certificate, folder):
    for file in certificate["files"]:
        path = folder / file["name"]
        if not path.is_file():
            yield f"{path}: missing"
            continue
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{file['name']}: {file['bytes']} bytes, SHA-256 {found[:16]}..")
        if found != file["sha256"]:
            yield f"{path}: SHA-256 {found}, the certificate has {file['sha256']}"


def own_heads(head, embedding):
    """A projection for each series: transformers fails there, the published model does this."""
    if head.use_cls_token:
        pooled = embedding[:, :, 0]
    elif head.pooling_type:
        pooled = embedding.mean(2) if head.pooling_type == "mean" else embedding.max(2).values
    else:
        pooled = embedding.flatten(2)
    return torch.stack([p(pooled[:, i]) for i, p in enumerate(head.projections)], 2)


def prepare_patchtst(model, stride):
    """What the published model has and transformers has not; stride: of patches at the end."""
    if not model.config.share_projection:
        model.head.forward = lambda embedding: own_heads(model.head, embedding)
    if stride:
        own = model.model.patchifier
        patchify = type(own).forward
        own.sequence_start = 0
        own.forward = lambda x: patchify(own, torch.cat([x, x[:, -1:].expand(-1, stride, -1)], 1))


def load(certificate, folder):
    config = transformers.AutoConfig.from_pretrained(folder)
    stride = 0
    if getattr(config, "padding_patch", None) == "end":
        stride = config.patch_stride
        config.context_length += stride  # the window is one stride longer
    name = (config.architectures or [DEFAULT_CLASS[certificate["model_type"]]])[0]
    model, info = getattr(transformers, name).from_pretrained(
        folder, config=config, dtype=torch.float32, output_loading_info=True)
    if certificate["model_type"] == "patchtst":
        prepare_patchtst(model, stride)
    print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters")
    problems = [f"{what}: {sorted(names)}" for what, names in info.items()
                if names and what != "unexpected_keys"]  # fmt: skip
    return model.eval(), problems


def counted(value, inputs):
    """Rows of padding say nothing: only the others are compared."""
    mask = inputs.get("decoder_attention_mask", inputs.get("attention_mask"))
    if "decoder_input_ids" in inputs or mask is None or value.shape[:2] != mask.shape:
        return value
    return value[mask.bool()]


def check_outputs(certificate, folder):
    model, problems = load(certificate, folder)
    yield from problems
    inputs = {name: tensor(json) for name, json in certificate["inputs"].items()}
    with torch.no_grad():
        out = model(**inputs)
    for name, json in certificate["outputs"].items():
        known = [n for n in OUTPUT_NAMES.get(name, (name,)) if n in out]
        if not known:
            print(f"{name}: transformers gives none for this head")
            continue
        a, b = tensor(json).double(), out[known[0]].double()
        if a.shape != b.shape:
            yield f"{name}: jogak gives {list(a.shape)}, transformers {list(b.shape)}"
            continue
        a, b = counted(a, inputs), counted(b, inputs)
        far = ((a - b).abs().max() / b.abs().max()).item()
        print(f"{name} {json['shape']}: max |a - b| / max |b| = {far:.1e}")
        if not far <= certificate["tolerance"]:  # NaN fails, too
            yield f"{name}: {far:.1e} is above {certificate['tolerance']:.0e}"


def check_tokens(certificate, folder):
    if not certificate["tokens"]:
        return
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for one in certificate["tokens"]:
        ids = tokenizer(one["text"])["input_ids"]
        if ids != one["ids"]:
            yield f"tokens of {one['text']!r}: jogak {one['ids']}, transformers {ids}"
    print(f"tokenizer: {len(certificate['tokens'])} texts cut")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("certificate", type=Path)
    parser.add_argument("directory", type=Path)
    args = parser.parse_args()
    disable_progress_bar()
    set_verbosity_error()
    certificate = json.loads(args.certificate.read_text())
    problems = []
    for check in (check_files, check_outputs, check_tokens):
        problems += check(certificate, args.directory)
    for problem in problems:
        print(f"{args.certificate}: {problem}", file=sys.stderr)
    print("differs" if problems else f"agrees with transformers {transformers.__version__}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
