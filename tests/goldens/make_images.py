"""Writes images/: small PNG and JPEG files, and what Pillow makes of them.

    python make_images.py [--out DIR] [--drawn N]        # versions: requirements.txt

expected.safetensors holds for every file NAME: NAME as u8 [height, width, channels] (grey or RGB),
NAME.grey after convert("L"), and NAME.HxW after a bilinear resize of the first. Of rgb.png also FILTER.HxW after
other resizes, and SHORTEST-HxW after CLIP's: the shorter side resized, the middle cut out, black around what is smaller.
source.N are noise of drawn sizes, drawn.N.FILTER.HxW what resizes make of them: which side comes first shows there.
"""

import argparse
import io
import pathlib

import numpy as np
import simplejpeg
from PIL import Image
from safetensors.numpy import save_file
from transformers import CLIPImageProcessorPil

SIZES = [(7, 9), (28, 28), (5, 40), (1, 1)]  # height, width
CROPS = [(16, 16, 16), (12, 7, 10), (40, 33, 21), (9, 14, 15)]  # shortest side, height, width


def picture(seed, height, width, channels):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        wave = 120 + 90 * np.sin(x / (3 + c) + c) + 40 * np.cos(y / (2 + c))
        planes.append(np.clip(wave + rng.normal(0, 6, wave.shape), 0, 255))
    return np.stack(planes, -1).astype(np.uint8)


def files():
    rgb, grey = picture(1, 23, 31, 3), picture(2, 17, 19, 1)[..., 0]
    colour, plain = Image.fromarray(rgb), Image.fromarray(grey)
    alpha = Image.fromarray(np.dstack([rgb, picture(3, 23, 31, 1)]))
    yield "rgb.png", colour, {}
    yield "grey.png", plain, {}
    yield "alpha.png", alpha, {}
    yield "palette.png", colour.quantize(13), {}
    yield "bits.png", plain.point(lambda v: 255 * (v > 120)).convert("1"), {}
    yield "sixteen.png", Image.fromarray(grey.astype(np.uint16) * 257 + 3), {}
    yield "rgb.jpg", colour, {"quality": 88}
    yield "whole.jpg", colour, {"quality": 92, "subsampling": 0}
    yield "quarter.jpg", colour, {}
    yield "grey.jpg", plain, {"quality": 80}
    yield "progressive.jpg", colour, {"quality": 75, "progressive": True}
    yield "restart.jpg", colour, {"quality": 75, "restart_marker_blocks": 1}


def add_filters_and_crops(image, expected):
    for height, width in SIZES:
        for name, kind in (("bicubic", Image.Resampling.BICUBIC), ("lanczos", Image.Resampling.LANCZOS)):
            expected[f"{name}.{height}x{width}"] = np.asarray(image.resize((width, height), kind)).copy()
    for shortest, height, width in CROPS:
        processor = CLIPImageProcessorPil(size={"shortest_edge": shortest}, crop_size={"height": height, "width": width},
                                          do_rescale=False, do_normalize=False)
        seen = processor(image, return_tensors="np")["pixel_values"][0]
        expected[f"{shortest}-{height}x{width}"] = seen.transpose(1, 2, 0).astype(np.uint8).copy()


def add_drawn_sizes(images, expected):
    rng = np.random.default_rng(13)
    for n in range(images):
        height, width = (int(v) for v in rng.integers(1, 33, 2))
        expected[f"source.{n}"] = rng.integers(0, 256, (height, width, 3), np.uint8)
        for kind in (Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS):
            high, wide = (int(v) for v in rng.integers(1, 33, 2))
            made = Image.fromarray(expected[f"source.{n}"]).resize((wide, high), kind)
            expected[f"drawn.{n}.{kind.name.lower()}.{high}x{wide}"] = np.asarray(made).copy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--drawn", default=24, type=int, help="images of drawn sizes")
    parser.add_argument("--out", default=pathlib.Path(__file__).parent / "images", type=pathlib.Path)
    options = parser.parse_args()
    out = options.out
    out.mkdir(exist_ok=True)
    expected = {}
    for name, image, settings in files():
        if name == "quarter.jpg":  # Pillow does not write it
            (out / name).write_bytes(simplejpeg.encode_jpeg(np.asarray(image), 85, "RGB", "411"))
        else:
            image.save(out / name, **settings)
        read = Image.open(io.BytesIO((out / name).read_bytes()))
        if name == "sixteen.png":  # Pillow keeps 16 bits; the upper eight are what is seen
            read = Image.fromarray((np.asarray(read) >> 8).astype(np.uint8))
        read = read.convert("L" if read.mode in ("1", "L") else "RGB")
        array = np.asarray(read)
        expected[name] = np.ascontiguousarray(array.reshape(*array.shape[:2], -1))
        expected[name + ".grey"] = np.asarray(read.convert("L"))[..., None].copy()
        for height, width in SIZES:
            small = np.asarray(read.resize((width, height), Image.Resampling.BILINEAR))
            expected[f"{name}.{height}x{width}"] = small.reshape(height, width, -1).copy()
    add_filters_and_crops(Image.open(out / "rgb.png"), expected)
    add_drawn_sizes(options.drawn, expected)
    save_file(expected, out / "expected.safetensors")


if __name__ == "__main__":
    main()
