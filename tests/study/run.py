#!/usr/bin/env python3
"""Holds docs/study.md to its command: run.py SOURCE JOGAK.

The first rows of its table are trained again, with the instructions that the page names; every figure must come out as it
is written there.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROWS = {'nothing': 'none', 'mask': 'mask'}  # what the page calls it: what train.off does


def written(page):
    """{row: (valid loss, all parts on)} of the first table."""
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if line.startswith('|') and cells[0] in ROWS and cells[0] not in rows:
            rows[cells[0]] = tuple(cells[1:3])
    return rows


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    if 'avx2' not in pathlib.Path('/proc/cpuinfo').read_text():
        print('this processor has no AVX2, with which the figures were made')
        return 77
    page = (source / 'docs/study.md').read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            [program, 'study', source / 'recipes/study.toml', '--steps', '800', '--vary',
             'train.off=' + ','.join(ROWS.values()), '--out', f'{place}/out'],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, 'JOGAK_MAX_ISA': 'avx2'})
        made = json.loads(pathlib.Path(f'{place}/out/study.json').read_text(encoding='utf-8'))
    wrong = 0
    for (row, figures), variant in zip(written(page).items(), made['variants'], strict=True):
        found = tuple(f'{variant[key]["mean"]:.3f}' for key in ('valid_loss', 'whole_loss'))
        if found != figures:
            print(f'without {row}: docs/study.md has {figures}, its command gives {found}')
            wrong = 1
    return wrong


if __name__ == '__main__':
    sys.exit(main())
