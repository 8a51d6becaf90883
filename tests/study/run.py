#!/usr/bin/env python3
"""Holds docs/study.md to its commands: run.py SOURCE JOGAK [--all].

The first rows of its first two tables, or all of them, are trained again, with the instructions that the page names; every
figure must come out as it is written there.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NAMES = {'nothing': 'none'}  # what the page calls it, where train.off does not


def tables(page):
    """[(row, figures)] of the parts that are off, [(options, figures)] of the variants."""
    parts, variants = [], []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if re.fullmatch(r'\| [a-z]+ \| [0-9.]+ \| [0-9.]+ \|.*', line):
            parts.append((cells[0], tuple(cells[1:3])))
        elif line.startswith('| `--vary '):
            variants.append((cells[0].strip('`').split(), tuple(cells[1].split(', '))))
    return parts, variants


def trained(source, program, options):
    """The variants of study.json."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            [program, 'study', source / 'recipes/study.toml', '--steps', '800', *options, '--out', f'{place}/out'],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, 'JOGAK_MAX_ISA': 'avx2'})
        return json.loads(pathlib.Path(f'{place}/out/study.json').read_text(encoding='utf-8'))['variants']


def shown(variant, key):
    return f'{variant[key]["mean"]:.3f}'


def main():
    source, program, every = pathlib.Path(sys.argv[1]), sys.argv[2], '--all' in sys.argv
    if 'avx2' not in pathlib.Path('/proc/cpuinfo').read_text():
        print('this processor has no AVX2, with which the figures were made')
        return 77
    parts, variants = tables((source / 'docs/study.md').read_text(encoding='utf-8'))
    assert len(parts) >= 7 and len(variants) >= 4, 'docs/study.md has lost a table'
    if not every:
        parts, variants = parts[:2], variants[:1]
    wrong = 0
    made = trained(source, program, ['--vary', 'train.off=' + ','.join(NAMES.get(row, row) for row, _ in parts)])
    for (row, figures), variant in zip(parts, made, strict=True):
        found = shown(variant, 'valid_loss'), shown(variant, 'whole_loss')
        if found != figures:
            print(f'without {row}: docs/study.md has {figures}, its command gives {found}')
            wrong = 1
    for options, figures in variants:
        found = tuple(shown(one, 'valid_loss') for one in trained(source, program, options))
        if found != figures:
            print(f'{" ".join(options)}: docs/study.md has {figures}, its command gives {found}')
            wrong = 1
    return wrong


if __name__ == '__main__':
    sys.exit(main())
