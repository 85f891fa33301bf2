"""What the tests of the package saccade share: photos, small configs, messages."""

import copy
import logging
import os
from pathlib import Path

import numpy as np

PHOTOS = Path(os.environ["SACCADE_PHOTOS"])
DOGS = PHOTOS / "dogs.jpg"
TINY = {
    "data": {
        "type": "scenes",
        "min_count": 1,
        "captions_per_image": 3,
        "scenes": {"train": 24, "val": 6, "test": 6, "size": 32},
    },
    "encoder": {"type": "cnn", "image_size": 32, "channels": [8, 8, 8, 8], "positions": "coordinates"},
    "attention": {"score": "additive", "gate": "scalar", "hidden": 16},
    "decoder": {"type": "lstm", "hidden": 24, "embedding": 16, "init_hidden": 16, "dropout": 0.2},
    "objective": {"doubly_stochastic": 0},
    "optimizer": {"type": "adam", "lr": np.float64(5e-3)},
    "train": {"batch": 8, "shard": 4, "stop": "6u", "validate_every": "3u", "checkpoint_every": "2u"},
    "search": {"beam": 2, "max_length": 6, "min_length": 2},
}
HEADS = {
    "attention": {"score": "scaled_dot", "heads": 2, "hidden": 16},
    "decoder": {"type": "transformer", "hidden": 16, "embedding": 16, "layers": 2, "heads": 2},
    "encoder": {
        "type": "vit",
        "image_size": 32,
        "positions": "learned",
        "vit": {"patch": 8, "width": 16, "layers": 3, "heads": 2, "class_token": True},
    },
}


def tiny(**sections):
    return {**copy.deepcopy(TINY), **sections}


class Messages(logging.Handler):
    """What the library says while it is entered."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())

    def __enter__(self):
        logging.getLogger("saccade").addHandler(self)
        logging.getLogger("saccade").propagate = False
        return self

    def __exit__(self, *_):
        logging.getLogger("saccade").removeHandler(self)
        logging.getLogger("saccade").propagate = True
