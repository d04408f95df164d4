#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pictures/*: files of each format as Pillow writes them, and expected.npz: what Pillow reads
from them (convert("RGB") or convert("L")), and one picture resized by its BILINEAR.
Needs python3-pil and python3-numpy."""
import io
import pathlib
import struct

import numpy as np
from PIL import Image, ImageOps

FOLDER = pathlib.Path(__file__).parent / "pictures"


def scene(width, height):
    """Smooth colours with an edge and some noise."""
    y, x = np.mgrid[0:height, 0:width]
    red = 255 * x / max(width - 1, 1)
    green = 255 * y / max(height - 1, 1)
    blue = 128 + 100 * np.sin(x / 3.0) * np.cos(y / 2.0)
    pixels = np.stack([red, green, blue], -1)
    pixels[height // 4 : height // 2, width // 3 : width // 2] = [250, 10, 200]
    noise = np.random.default_rng(1).normal(0, 6, pixels.shape)
    return Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8))


def bmp(bits, width, height, rows, extra=b"", compression=0, top_down=False, colours=b""):
    """A BMP file of a form that Pillow reads but does not write."""
    begin = 14 + 40 + len(extra) + len(colours)
    info = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits,
                       compression, len(rows), 2835, 2835, len(colours) // 4, 0)
    return b"BM" + struct.pack("<IHHI", begin + len(rows), 0, 0, begin) + info + extra + colours + rows


def write_pictures():
    rgb = scene(23, 17)
    grey = rgb.convert("L")
    alpha = rgb.copy()
    alpha.putalpha(grey)
    rgb.save(FOLDER / "rgb.png")
    grey.save(FOLDER / "grey.png")
    alpha.save(FOLDER / "alpha.png")
    rgb.quantize(12).save(FOLDER / "palette.png")
    grey.convert("1").save(FOLDER / "bits.png")
    Image.fromarray((np.asarray(grey).astype(np.uint16) * 257)).save(FOLDER / "deep.png")
    rgb.save(FOLDER / "rgb.jpg", quality=95)
    grey.save(FOLDER / "grey.jpg", quality=95)
    rgb.save(FOLDER / "progressive.jpeg", quality=90, progressive=True)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        rgb.save(FOLDER / f"held-{orientation}.jpg", quality=95, exif=exif)
    rgb.convert("CMYK").save(FOLDER / "cmyk.jpg", quality=95)
    rgb.save(FOLDER / "lossless.webp", lossless=True)
    rgb.save(FOLDER / "lossy.webp", quality=90)
    rgb.save(FOLDER / "rgb.bmp")
    grey.save(FOLDER / "grey.bmp")
    grey.convert("1").save(FOLDER / "bits.bmp")
    alpha.save(FOLDER / "alpha.bmp")
    rng = np.random.default_rng(2)
    words = rng.integers(0, 1 << 16, (5, 6), dtype=np.uint16)
    (FOLDER / "masks.bmp").write_bytes(
        bmp(16, 6, 5, words.astype("<u2").tobytes(),
            extra=struct.pack("<III", 0xF800, 0x07E0, 0x001F), compression=3))
    (FOLDER / "topdown.bmp").write_bytes(
        bmp(24, 4, 3, rng.integers(0, 256, 36, dtype=np.uint8).tobytes(), top_down=True))
    nibbles = rng.integers(0, 256, 4 * 4, dtype=np.uint8)
    (FOLDER / "nibbles.bmp").write_bytes(
        bmp(4, 7, 4, nibbles.tobytes(),
            colours=rng.integers(0, 256, 64, dtype=np.uint8).tobytes()))


def main():
    FOLDER.mkdir(exist_ok=True)
    write_pictures()
    expected = {}
    for path in sorted(FOLDER.iterdir()):
        if path.suffix == ".npz":
            continue
        picture = ImageOps.exif_transpose(Image.open(path))
        if picture.mode == "I":  # 16 bits: the high byte
            pixels = (np.asarray(picture) >> 8).astype(np.uint8)
        else:
            pixels = np.asarray(picture.convert("L" if picture.mode == "L" and path.suffix != ".bmp"
                                                or picture.mode == "1" and path.suffix != ".bmp"
                                                else "RGB"))
        expected[path.name] = pixels.reshape(picture.height, picture.width, -1)
    rgb = Image.open(FOLDER / "rgb.png")
    expected["L"] = np.asarray(rgb.convert("L")).reshape(17, 23, 1)
    for width, height in [(8, 6), (60, 40), (23, 5), (3, 17), (1, 1)]:
        resized = rgb.resize((width, height), Image.BILINEAR)
        expected[f"stretch-{width}x{height}"] = np.asarray(resized)
    # the middle 17 x 17 of 23 x 17
    expected["crop-8x8"] = np.asarray(rgb.resize((8, 8), Image.BILINEAR, box=(3, 0, 20, 17)))
    np.savez_compressed(FOLDER / "expected.npz", **expected)


if __name__ == "__main__":
    main()
