"""Writes io/every_dtype.safetensors and io/ours.safetensors (only the types jogak loads).

    python make_io.py [--out DIR]        # versions: requirements.txt

The values follow from the element's place, so the test computes them instead of reading them from
a second file: element i of a float tensor is i / 4 - 1, of a whole-number tensor i * 3 - 4 (u8:
i * 3 + 4), of a bool tensor whether i is a multiple of 3. `rank0` is -1, `empty` has shape
[2, 0, 3]. Types that jogak lists but does not load hold zeros. The metadata has one entry, because
the reference writer puts several in random order.
"""

import argparse
import pathlib

import torch
from safetensors.torch import save_file

FLOATS = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
WHOLE = {"i32": torch.int32, "i64": torch.int64}
LISTED = {
    "i8": torch.int8, "i16": torch.int16, "u16": torch.uint16, "u32": torch.uint32,
    "u64": torch.uint64, "c64": torch.complex64, "f8_e4m3": torch.float8_e4m3fn,
    "f8_e5m2": torch.float8_e5m2,
}  # fmt: skip


def tensors():
    count = torch.arange(15)
    out = {name: (count / 4 - 1).to(t).view(3, 5) for name, t in FLOATS.items()}
    out |= {name: (count * 3 - 4).to(t).view(5, 3) for name, t in WHOLE.items()}
    out["u8"] = (count * 3 + 4).to(torch.uint8)
    out["bool"] = (count % 3 == 0).view(1, 15)
    out["rank0"] = torch.tensor(-1.0)
    out["empty"] = torch.zeros(2, 0, 3)
    out['한글 "name"\n'] = torch.tensor([1, 2], dtype=torch.int64)
    out |= {f"listed.{name}": torch.zeros(3, dtype=t) for name, t in LISTED.items()}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    folder = parser.parse_args().out / "io"
    folder.mkdir(parents=True, exist_ok=True)
    every = tensors()
    save_file(every, folder / "every_dtype.safetensors", metadata={"format": "pt"})
    ours = {name: t for name, t in every.items() if not name.startswith("listed.")}
    save_file(ours, folder / "ours.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
