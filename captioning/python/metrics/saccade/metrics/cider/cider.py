"""CIDEr as pycocoevalcap.cider.cider has it, which is CIDEr-D."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt

from .. import _metrics
from .._captions import pairs_of, warn

_MOST = 4

Scores = Tuple[np.float64, npt.NDArray[np.float64]]


def check_form(n: int, sigma: float) -> None:
    if not 1 <= n <= _MOST:
        raise ValueError(f"CIDEr: n must be 1 to {_MOST}, got {n}")
    if not sigma > 0:
        raise ValueError(f"CIDEr: sigma must be above 0, got {sigma}")


def scores_of(
    candidates: List[str],
    references: List[List[str]],
    n: int,
    sigma: float,
    frequencies: Optional[_metrics.Frequencies] = None,
) -> Scores:
    """The mean and the scores of the images."""
    if not candidates:
        raise ValueError("CIDEr: no captions to score")
    if frequencies is None:
        if not any(ref.split() for refs in references for ref in refs):
            raise ValueError("CIDEr: no reference has a word")
        if len(candidates) == 1:
            warn("CIDEr of one image is 0, because its document frequencies are of the images scored")
    scores = np.array(_metrics.cider(candidates, references, n, sigma, frequencies), dtype=np.float64)
    return np.float64(np.mean(scores)), scores


class Cider:
    """CIDEr-D, 0..10, so that 1.2 is no error: n-grams up to `n` (1 to 4), weighted by how rare
    they are in the references of the images that are scored."""

    def __init__(self, test: Any = None, refs: Any = None, n: int = 4, sigma: float = 6.0) -> None:
        check_form(n, sigma)
        self._n = n
        self._sigma = sigma

    def compute_score(self, gts: Mapping[Any, Any], res: Mapping[Any, Any]) -> Scores:
        """The mean, and the scores of the images in the order of `gts`.

        Both take an id to a list of tokenised captions; `res` has one caption in each list.
        Raises ValueError without images, and where no reference has a word.
        """
        _, candidates, references = pairs_of(gts, res)
        return scores_of(candidates, references, self._n, self._sigma)

    def method(self) -> str:
        """The name of the metric."""
        return "CIDEr"
