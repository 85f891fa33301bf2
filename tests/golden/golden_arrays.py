"""What make_golden.py and make_formulas.py share: the formula of weights, inputs and cotangents, which
golden.h has in C++, and the file of results."""
import json
import os
import struct

import numpy as np
import torch


def numbers(name, shape):
    """Numbers in [-1/2, 1/2): FNV-1a of the name seeds SplitMix64, whose top 24 bits count."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    count = int(np.prod(shape))
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    unit = (z >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5
    return unit.reshape(shape)


def tensor(values):
    """Doubles that are floats, as the test has them."""
    return torch.from_numpy(np.asarray(values).astype(np.float32).astype(np.float64))


def sample(values, count):
    flat = values.detach().reshape(-1).numpy()
    return flat[np.arange(count) * len(flat) // count]


def size(values):
    return float(values.detach().norm())


arrays = {}


def keep(name, values):
    if isinstance(values, torch.Tensor):
        values = values.detach().numpy()
    arrays[name] = np.asarray(values, dtype=np.float32)


def write(path):
    """Writes everything that was kept into a file of the form safetensors."""
    header, offset = {}, 0
    for name, array in sorted(arrays.items()):
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), path)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in sorted(arrays.items()):
            file.write(array.tobytes())
    print(f"{path}: {offset + len(text) + 8} bytes")
