#!/usr/bin/env python3
"""Holds `jogak export --as pytorch` to `jogak forward`: run.py SOURCE JOGAK [PYTHON].

Every golden of the laboratory, a model for each value of each choice, and models of choices drawn at random are exported, loaded
by PyTorch and run; logits must agree within 1e-5 of the largest. Skipped (77) where PYTHON has no torch or no safetensors.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5
DRAWN = 40
BASE = {'vocab_size': 23, 'd_model': 16, 'heads': 4, 'd_ff': 24, 'max_position_embeddings': 16}
CHOICES = {
    'wiring': ['encoder-decoder', 'encoder', 'decoder'],
    'mixer': ['attention', 'gru', 'gru-attention'],
    'encoder_layers': [1, 2],
    'decoder_layers': [1, 2],
    'heads': [1, 2, 4],
    'kv_heads': [1, 2, 4],
    'd_k': [4, 6],
    'd_v': [4, 10],
    'positions': ['sinusoidal', 'learned', 'rope', 'alibi', 'relative', 'index', 'none'],
    'position_join': ['add', 'concatenate'],
    'norm': ['layer', 'rms', 'batch', 'none'],
    'norm_place': ['post', 'pre'],
    'feed_forward': ['relu', 'gelu', 'silu', 'swiglu', 'none'],
    'qkv_bias': [True, False],
    'one_qkv_matrix': [False, True],
    'cross_attention_from': ['last', 'same'],
    'scale_scores': [True, False],
    'residual': [True, False],
    'causal_mask': [True, False],
    'scale_embedding': [True, False],
    'share_encoder_decoder_embeddings': [True, False],
    'tie_word_embeddings': [True, False],
    'num_labels': [None, 3],
}  # fmt: skip

# Weights away from where they start, so that every one of them matters, and inputs.
STIR = r'''
import json, sys, torch
from safetensors.torch import load_file, save_file
for place in sys.argv[1:]:
    random = torch.Generator().manual_seed(5)
    weights = load_file(f"{place}/model.safetensors")
    for name, w in weights.items():
        noise = torch.randn(w.shape, generator=random) if w.is_floating_point() else None
        if noise is not None:
            weights[name] = 0.5 + noise.abs() if name.endswith("running_var") else w + 0.15 * noise
    save_file(weights, f"{place}/model.safetensors", metadata={"format": "pt"})
    config = json.load(open(f"{place}/config.json"))
    ids = lambda rows, length: torch.randint(0, config["vocab_size"], (rows, length), generator=random)
    given = {"input_ids": ids(2, 9)}
    if config["wiring"] != "decoder":
        given["attention_mask"] = torch.ones(2, 9, dtype=torch.int64)
        given["attention_mask"][1, 6:] = 0
    if config["wiring"] == "encoder-decoder":
        given["decoder_input_ids"] = ids(2, 7)
    save_file(given, f"{place}/in.safetensors")
'''
COMPARE = r'''
import sys, importlib.util, torch
from safetensors.torch import load_file
for line in sys.stdin.read().splitlines():
    name, source, directory, file, out = line.split("\t")
    spec = importlib.util.spec_from_file_location("model", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    given = load_file(file)
    inputs = {k: given[k] for k in ("input_ids", "decoder_input_ids", "attention_mask") if k in given}
    with torch.no_grad():
        theirs = module.load(directory)(**inputs)
    ours = load_file(out)["logits"]
    real = torch.ones(ours.shape[:-1], dtype=torch.bool)
    if "decoder_input_ids" not in given and "attention_mask" in given and ours.dim() == 3:
        real = given["attention_mask"].bool()  # what stands at padded places means nothing
    print(f"{name}\t{((ours - theirs)[real].abs().max() / theirs[real].abs().max()).item():.2e}")
'''


def models_wanted():
    """{name: settings}: each value of each choice alone, in the wiring that has it, and some of all drawn."""
    out = {}
    for key, values in CHOICES.items():
        for value in values:
            wirings = ['encoder'] if key == 'num_labels' else ['encoder-decoder', 'decoder', 'encoder']
            for wiring in wirings if key in ('positions', 'norm', 'num_labels', 'feed_forward') else wirings[:1]:
                out[f'{wiring}, {key}={value}'] = {'wiring': wiring, key: value}
    dice = random.Random(11)
    for i in range(DRAWN):
        out[f'drawn {i + 1}'] = possible({key: dice.choice(values) for key, values in CHOICES.items()}, dice)
    return out


def possible(drawn, dice):
    """The same with what cannot be together put right."""
    if drawn['mixer'] != 'attention' and dice.random() < 0.7:
        drawn['mixer'] = 'attention'
    if drawn['mixer'] != 'attention':
        drawn |= {'wiring': 'encoder-decoder', 'decoder_layers': drawn['encoder_layers']}
    if drawn['positions'] not in ('sinusoidal', 'learned', 'index'):
        drawn['position_join'] = 'add'
    drawn['kv_heads'] = dice.choice([n for n in (1, 2, 4) if drawn['heads'] % n == 0])
    if drawn['one_qkv_matrix']:
        drawn |= {'kv_heads': drawn['heads'], 'd_v': drawn['d_k']}
    if drawn['wiring'] != 'encoder-decoder':
        drawn['cross_attention_from'] = 'last'
    if drawn['cross_attention_from'] == 'same':
        drawn['decoder_layers'] = drawn['encoder_layers']
    if drawn['wiring'] != 'encoder':
        drawn['num_labels'] = None
    return drawn


def made(program, place, settings):
    """Whether there is such a model; what cannot be together is refused by its key."""
    words = [f'{key}={json.dumps(value) if isinstance(value, bool) else value}'
             for key, value in (BASE | settings).items() if value is not None]  # fmt: skip
    ran = subprocess.run([program, 'new', place, '--family', 'lab', '--preset', 'tiny',
                          *(part for word in words for part in ('--set', word))], capture_output=True, text=True)  # fmt: skip
    assert ran.returncode in (0, 2, 65), ran.stderr
    return ran.returncode == 0


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    python = sys.argv[3] if len(sys.argv) > 3 else sys.executable
    if subprocess.run([python, '-c', 'import torch, safetensors.torch'], capture_output=True).returncode != 0:
        print(f'{python} has no torch or no safetensors; -DJOGAK_TORCH_PYTHON=... names one that has')
        return 77
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = []  # name, directory, inputs
        for golden in sorted((source / 'tests/goldens').glob('lab-*')):
            file = next(golden / n for n in ('golden.safetensors', 'gru.safetensors') if (golden / n).exists())
            cases.append((golden.name, golden, file))
        wanted = models_wanted()
        places = {name: f'{place}/{i}' for i, name in enumerate(wanted)}
        there = dict(zip(wanted, pool.map(lambda name: made(program, places[name], wanted[name]), wanted)))
        names = [name for name, fine in there.items() if fine]
        refused = [name for name, fine in there.items() if not fine]
        subprocess.run([python, '-c', STIR, *(places[name] for name in names)], check=True)
        cases += [(name, places[name], f'{places[name]}/in.safetensors') for name in names]

        def exported(case):
            at, (name, directory, file) = case
            model, out = f'{place}/export-{at}.py', f'{place}/out-{at}.safetensors'
            subprocess.run([program, 'export', directory, model, '--as', 'pytorch'], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([program, 'forward', directory, '--input', file, '--output', out, '--threads', '1'],
                           check=True, capture_output=True)  # fmt: skip
            return '\t'.join(map(str, (name, model, directory, file, out)))

        lines = '\n'.join(pool.map(exported, enumerate(cases)))
        ran = subprocess.run([python, '-c', COMPARE], input=lines, check=True, stdout=subprocess.PIPE, text=True)
    found = dict(line.split('\t') for line in ran.stdout.splitlines())
    far = {name: value for name, value in found.items() if not float(value) <= TOLERANCE}
    for name, value in sorted(far.items()):
        print(f'{name}: {value} {wanted.get(name, "")}')
    print(f'{len(found)} models, the farthest {max(found.values(), key=float)}; cannot be: {", ".join(refused) or "none"}')
    return 1 if far or len(refused) > 2 else 0


if __name__ == '__main__':
    sys.exit(main())
