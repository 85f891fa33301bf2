"""The errors of saccade, as exceptions of Python."""


class Error(Exception):
    """Base of all errors: one line that names the place, the fault and the remedy."""


class DataError(Error, ValueError):
    """Data that are missing or not valid."""


class UsageError(Error, ValueError):
    """An argument that is not valid."""


class IoError(Error, OSError):
    """A full disk, a missing permission."""


class MetricWarning(UserWarning):
    """A score that says little, or is not what its name promises."""
