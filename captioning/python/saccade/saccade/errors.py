"""The errors of saccade, as exceptions of Python. Each is also the nearest one of Python's own."""

from .metrics.errors import DataError, Error, IoError, UsageError


class InternalError(Error, RuntimeError):
    """A fault of saccade."""


class ShapeError(Error, ValueError):
    """Arrays or pictures that do not fit."""


class CheckpointError(Error):
    """A checkpoint that is missing, damaged or of others."""


class DivergedError(Error, ArithmeticError):
    """NaN or infinity in training."""


class BusyError(Error):
    """The directory of a run that is in use, or not empty."""


__all__ = [
    "BusyError",
    "CheckpointError",
    "DataError",
    "DivergedError",
    "Error",
    "InternalError",
    "IoError",
    "ShapeError",
    "UsageError",
]
