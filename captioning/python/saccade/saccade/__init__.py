"""Image captioning with visual attention.

    m = saccade.load("soft")
    c = m.caption("photo.jpg")
    c.text, c.words[0].probability, c.maps.shape, c.map_on_photo(0), c.overlay()

`train`, `evaluate`, `compare` and `runs` work on models of one's own; `saccade.metrics` scores
captions. Messages go to the logger "saccade". Errors are `saccade.Error`.
"""

from ._processor import missing as _missing

if _missing():  # before modules that need the instructions are loaded
    raise ImportError(
        f"this saccade was built for processors that have {_missing()}, which this one lacks; build "
        "it on this machine"
    )

from .caption import Caption, Word
from .errors import (
    BusyError,
    CheckpointError,
    DataError,
    DivergedError,
    Error,
    InternalError,
    IoError,
    ShapeError,
    UsageError,
)
from .model import EncoderAttention, Model, load, plugin
from .runs import Examples, Reward, Update, compare, evaluate, runs, train

__all__ = [
    "BusyError",
    "Caption",
    "CheckpointError",
    "DataError",
    "DivergedError",
    "EncoderAttention",
    "Error",
    "Examples",
    "InternalError",
    "IoError",
    "Model",
    "Reward",
    "ShapeError",
    "Update",
    "UsageError",
    "Word",
    "compare",
    "evaluate",
    "load",
    "plugin",
    "runs",
    "train",
]
