"""ROUGE-L as pycocoevalcap.rouge.rouge has it."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .. import _metrics
from .._captions import pairs_of


class Rouge:
    """ROUGE-L, 0..1: F with beta 1.2 of the longest common subsequence."""

    def __init__(self) -> None:
        self.beta = 1.2

    def calc_score(self, candidate: Sequence[str], refs: Sequence[str]) -> float:
        """The score of one caption, in a list, against its references."""
        assert len(candidate) == 1, f"needs exactly one caption, got {len(candidate)}"
        assert len(refs) > 0, "needs a reference"
        return _metrics.rouge_l(list(candidate), [list(refs)])[0]

    def compute_score(
        self, gts: Mapping[Any, Any], res: Mapping[Any, Any]
    ) -> Tuple[np.float64, npt.NDArray[np.float64]]:
        """The mean (NaN of no images), and the scores of the images in the order of `gts`.

        Both take an id to a list of tokenised captions; `res` has one caption in each list.
        """
        _, candidates, references = pairs_of(gts, res)
        scores = np.array(_metrics.rouge_l(candidates, references), dtype=np.float64)
        return np.float64(np.mean(scores)) if len(scores) else np.float64("nan"), scores

    def method(self) -> str:
        """The name of the metric."""
        return "Rouge"
