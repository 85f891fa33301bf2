"""What values of Python are to saccade: settings of configs, messages, folders of models."""

from __future__ import annotations

import json
import logging
import os
from typing import Any, List, Mapping, Sequence, Union

Path = Union[str, "os.PathLike[str]"]

_LOGGER = logging.getLogger("saccade")


def tell(warning: bool, text: str) -> None:
    """Logs a message of the library."""
    _LOGGER.log(logging.WARNING if warning else logging.INFO, "%s", text)


def plain(value: Any) -> Any:
    """The value with paths as texts and numbers of NumPy as those of Python."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def settings(values: Mapping[str, Any]) -> List[str]:
    """`key=value` of each, in YAML, of which JSON is a part."""
    return [f"{key}={json.dumps(plain(value))}" for key, value in values.items()]


def model_folders() -> List[str]:
    """The folders of models that SACCADE_MODELS names."""
    return [folder for folder in os.environ.get("SACCADE_MODELS", "").split(":") if folder]


def paths(given: Union[Path, Sequence[Path]]) -> List[str]:
    """One path or several, as texts."""
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(one) for one in given]
