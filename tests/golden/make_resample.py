"""Writes resample.json: what PIL makes of a small picture, to which tests/vision compares `resample`.

    python3 make_resample.py        needs Pillow 13 and numpy
"""
import json
import os

import numpy as np
from PIL import Image

HEIGHT, WIDTH = 29, 41
SIZES = [(7, 9), (12, 41), (29, 5), (40, 60), (13, 70), (5, 33)]  # smaller, one axis, larger, both
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


def picture():
    """Slopes, with edges of all heights; the test computes the same."""
    y, x, c = np.meshgrid(np.arange(HEIGHT), np.arange(WIDTH), np.arange(3), indexing="ij")
    return ((7 * x + 13 * y + 50 * c + 5 * (x * y % 31)) % 256).astype(np.uint8)


def main():
    whole = Image.fromarray(picture())
    cases = [
        {"interpolation": name, "height": h, "width": w,
         "levels": np.asarray(whole.resize((w, h), kind))[::2, ::3].ravel().tolist()}
        for name, kind in FILTERS.items() for h, w in SIZES
    ]
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "resample.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


main()
