#!/usr/bin/env python3
"""Holds `jogak export --as pytorch` to `jogak forward`: run.py SOURCE JOGAK [PYTHON].

Every golden of the laboratory is exported, loaded by PyTorch and run on the golden's inputs; logits must agree within 1e-5 of the
largest. Skipped (77) where PYTHON has no torch or no safetensors.
"""
import pathlib
import subprocess
import sys
import tempfile

INSIDE = r'''
import sys, importlib.util
import torch
from safetensors.torch import load_file
source, directory, file, out = sys.argv[1:]
spec = importlib.util.spec_from_file_location("model", source)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
given = load_file(file)
inputs = {k: given[k] for k in ("input_ids", "decoder_input_ids", "attention_mask") if k in given}
with torch.no_grad():
    theirs = module.load(directory)(**inputs)
ours = load_file(out)["logits"]
print(((ours - theirs).abs().max() / theirs.abs().max()).item())
'''
TOLERANCE = 1e-5


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    python = sys.argv[3] if len(sys.argv) > 3 else sys.executable
    if subprocess.run([python, '-c', 'import torch, safetensors.torch'], capture_output=True).returncode != 0:
        print(f'{python} has no torch or no safetensors; -DJOGAK_TORCH_PYTHON=... names one that has')
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        for golden in sorted((source / 'tests/goldens').glob('lab-*')):
            file = next(golden / n for n in ('golden.safetensors', 'gru.safetensors') if (golden / n).exists())
            model, out = f'{place}/{golden.name}.py', f'{place}/{golden.name}.safetensors'
            subprocess.run([program, 'export', golden, model, '--as', 'pytorch'], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([program, 'forward', golden, '--input', file, '--output', out], check=True, capture_output=True)
            ran = subprocess.run([python, '-c', INSIDE, model, golden, file, out], check=True, capture_output=True, text=True)
            far = float(ran.stdout)
            print(f'{golden.name}: {far:.1e}')
            wrong |= not far <= TOLERANCE
    return wrong


if __name__ == '__main__':
    sys.exit(main())
