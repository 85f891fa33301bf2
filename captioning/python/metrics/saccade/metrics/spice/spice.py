"""SPICE is Java; this is a bridge to pycocoevalcap's, which nothing else here needs."""

from __future__ import annotations

import importlib
from typing import Any, Mapping

from ..errors import DataError


class Spice:
    """pycocoevalcap.spice.spice.Spice, where that package, Java and its models are there."""

    def __init__(self) -> None:
        try:
            original = importlib.import_module("pycocoevalcap.spice.spice")
        except ImportError as error:
            raise DataError(
                "SPICE: needs pycocoevalcap and Java 8; leave it out, or pip install pycocoevalcap"
            ) from error
        self._original: Any = original.Spice()

    def compute_score(self, gts: Mapping[Any, Any], res: Mapping[Any, Any]) -> Any:
        """(float, list of dicts category -> pr, re, f, ...), as pycocoevalcap gives it."""
        return self._original.compute_score(gts, res)

    def method(self) -> str:
        return "SPICE"
