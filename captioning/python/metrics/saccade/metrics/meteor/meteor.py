"""METEOR 1.5 as pycocoevalcap.meteor.meteor has it, in this process."""

from __future__ import annotations

import importlib.util
import logging
import os
import warnings
from pathlib import Path
from typing import Any, List, Mapping, Optional, Tuple

from .. import _metrics
from .._captions import pairs_of
from ..errors import DataError, MetricWarning

_LOGGER = logging.getLogger("saccade")
_TABLE = "paraphrase-en.gz"


def cache_folder() -> Optional[Path]:
    """saccade's folder of the user's cache; None where there is no such place."""
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(caches):
        return Path(caches) / "saccade"
    home = os.environ.get("HOME", "")
    return Path(home) / ".cache" / "saccade" if home else None


def find_paraphrases() -> Optional[Path]:
    """METEOR's table of paraphrases: SACCADE_PARAPHRASES, the user's cache, pycocoevalcap.

    None where there is none, and where the variable is "none". Raises DataError where the file that
    the variable names is missing.
    """
    named = os.environ.get("SACCADE_PARAPHRASES", "")
    if named and named != "none" and not Path(named).is_file():
        raise DataError(f"SACCADE_PARAPHRASES: {named}: no such file; name {_TABLE}, or none")
    if named:
        return None if named == "none" else Path(named)
    cache = cache_folder()
    places = [cache / _TABLE] if cache else []
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        places.append(Path(folder) / "meteor" / "data" / _TABLE)
    return next((place for place in places if place.is_file()), None)


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


class Meteor:
    """METEOR 1.5 (-l en -norm), 0..1.

    `paraphrases` is METEOR's table, paraphrase-en.gz; None finds it, "none" does without, which
    gives lower scores than the original. `tables` says what is used. Many threads may share one.
    """

    def __init__(self, paraphrases: Optional[str] = None) -> None:
        if paraphrases is None:
            found = find_paraphrases()
            table = str(found) if found else ""
            if not table and os.environ.get("SACCADE_PARAPHRASES") != "none":
                warnings.warn(
                    "METEOR without paraphrases, which gives less than the original: no "
                    f"{_TABLE} was found; pip install pycocoevalcap brings it (no Java is used)",
                    MetricWarning,
                    stacklevel=2,
                )
        else:
            table = "" if paraphrases == "none" else os.fspath(paraphrases)
        self._meteor = _metrics.Meteor(table, str(cache_folder() or ""), _LOGGER.info)

    @property
    def tables(self) -> str:
        """The modules and tables of this METEOR, with their digests."""
        return self._meteor.tables

    def compute_score(
        self, gts: Mapping[Any, Any], res: Mapping[Any, Any]
    ) -> Tuple[float, List[float]]:
        """The score of the corpus, and those of the images in the order of `gts`.

        Both take an id to a list of tokenised captions; `res` has one caption in each list.
        Raises ValueError without images.
        """
        _, candidates, references = pairs_of(gts, res)
        if not candidates:
            raise ValueError("METEOR: no captions to score")
        return self._meteor.score(
            [_one_line(text) for text in candidates],
            [[_one_line(ref) for ref in refs] for refs in references],
        )

    def method(self) -> str:
        """The name of the metric."""
        return "METEOR"
