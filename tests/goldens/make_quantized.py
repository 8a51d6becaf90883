"""Writes goldens of quantised directories: tiny models as compressed-tensors writes them, and what
transformers computes with them.

    python make_quantized.py [--out DIR]

quantized/NAME is the directory; its golden.safetensors holds the inputs and the logits that transformers
gives when it has opened that very directory. README.md lists the tensors. make_quantized.py --open DIR
opens a directory that jogak wrote and prints how far its logits are from those in DIR/golden.safetensors.
"""

import argparse
import json
import pathlib

import torch
from compressed_tensors.compressors import ModelCompressor
from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config
from safetensors.torch import load_file, save_file
from transformers import (AutoModelForCausalLM, AutoModelForImageClassification, AutoModelForMaskedLM, BertConfig,
                          BertForMaskedLM, LlamaConfig, LlamaForCausalLM, ViTConfig, ViTForImageClassification)

from tiny import randomise

HERE = pathlib.Path(__file__).parent
LLAMA = dict(vocab_size=96, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=64)
BERT = dict(vocab_size=96, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=32)
VIT = dict(image_size=16, patch_size=8, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_labels=5)
WEIGHTS = dict(num_bits=4, type="int", symmetric=True, strategy="group", group_size=32, dynamic=False)
CHANNEL = dict(WEIGHTS, num_bits=8, strategy="channel", group_size=None)
MODELS = {  # model, scheme of its layers, format
    "llama-q4": (LlamaForCausalLM, LlamaConfig(**LLAMA), WEIGHTS, "pack-quantized"),
    "llama-q4-zeros": (LlamaForCausalLM, LlamaConfig(**LLAMA), WEIGHTS | dict(symmetric=False, group_size=16), "pack-quantized"),
    "llama-q8": (LlamaForCausalLM, LlamaConfig(**LLAMA, tie_word_embeddings=True), CHANNEL, "int-quantized"),
    "bert-q8-zeros": (BertForMaskedLM, BertConfig(**BERT), CHANNEL | dict(symmetric=False), "int-quantized"),
    "bert-q8-packed": (BertForMaskedLM, BertConfig(**BERT), CHANNEL, "pack-quantized"),
    "vit-q4": (ViTForImageClassification, ViTConfig(**VIT), WEIGHTS | dict(strategy="channel", group_size=None), "pack-quantized"),
}


def inputs_of(kind):
    random = torch.Generator().manual_seed(5)
    if kind.startswith("vit"):
        return {"pixel_values": torch.randn((2, 3, 16, 16), generator=random)}
    return {"input_ids": torch.randint(0, 96, (2, 9), generator=random)}


def opened(folder):
    kind = json.loads((folder / "config.json").read_text())["architectures"][0]
    for part, auto in (("CausalLM", AutoModelForCausalLM), ("MaskedLM", AutoModelForMaskedLM), ("Image", AutoModelForImageClassification)):
        if part in kind:
            return auto.from_pretrained(folder, dtype=torch.float32).eval()
    raise SystemExit(f"{folder}: no class for {kind}")


def scales_of(model, weights):
    """What an observer would find: scales and zeros from the smallest and the largest of each group."""
    low, high = -(2 ** (weights["num_bits"] - 1)), 2 ** (weights["num_bits"] - 1) - 1
    for module in model.modules():
        if not hasattr(module, "weight_scale"):
            continue
        w = module.weight.data
        grouped = w.view(w.shape[0], module.weight_scale.shape[1], -1)
        if weights["symmetric"]:
            module.weight_scale.data = grouped.abs().amax(-1) / high
            continue
        least, most = grouped.amin(-1).clamp(max=0), grouped.amax(-1).clamp(min=0)
        module.weight_scale.data = (most - least) / (high - low)
        module.weight_zero_point.data = (low - least / module.weight_scale.data).round().clamp(low, high).to(torch.int8)


def write(out, name):
    cls, config, weights, form = MODELS[name]
    model = cls(config).eval()
    randomise(model, 11)
    head = {"llama": ["lm_head"], "bert": ["cls.predictions.decoder"], "vit": []}[name.split("-")[0]]
    about = QuantizationConfig(config_groups={"group_0": {"targets": ["Linear"], "weights": weights, "format": form}}, format=form,
                               ignore=head, quantization_status="frozen")
    apply_quantization_config(model, about)
    scales_of(model, weights)
    compressor = ModelCompressor(quantization_config=about)
    compressor.compress_model(model)
    folder = out / name
    model.save_pretrained(folder)
    compressor.update_config(folder)
    inputs = inputs_of(name)
    with torch.no_grad():
        logits = opened(folder)(**inputs).logits
    save_file({**inputs, "logits": logits.contiguous()}, folder / "golden.safetensors")
    print(name, sorted(load_file(folder / "model.safetensors"))[:6])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "quantized")
    parser.add_argument("--open", type=pathlib.Path)
    args = parser.parse_args()
    if args.open:
        golden = load_file(args.open / "golden.safetensors")
        wanted = golden.pop("logits")
        with torch.no_grad():
            got = opened(args.open)(**golden).logits
        print(json.dumps({"apart": (got - wanted).abs().max().item(), "largest": wanted.abs().max().item()}))
        return
    for name in MODELS:
        write(args.out, name)


if __name__ == "__main__":
    main()
