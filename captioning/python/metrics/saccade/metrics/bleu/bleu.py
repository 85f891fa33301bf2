"""BLEU-1..4 as pycocoevalcap.bleu.bleu has it."""

from __future__ import annotations

from typing import Any, List, Mapping, Tuple

from .. import _metrics
from .._captions import pairs_of

_MOST = 4


class Bleu:
    """BLEU up to `n`-grams (1 to 4), each 0..1; the closest reference counts as the length."""

    def __init__(self, n: int = 4) -> None:
        if not 1 <= n <= _MOST:
            raise ValueError(f"Bleu: n must be 1 to {_MOST}, got {n}")
        self._n = n

    def compute_score(
        self, gts: Mapping[Any, Any], res: Mapping[Any, Any], verbose: int = 1
    ) -> Tuple[List[float], List[List[float]]]:
        """The scores of the corpus, and for each n those of the images in the order of `gts`.

        Both take an id to a list of tokenised captions; `res` has one caption in each list.
        Prints the counts unless `verbose` is 0; with 2 also those of each image.
        """
        _, candidates, references = pairs_of(gts, res)
        scores = _metrics.bleu(candidates, references)
        if verbose > 1:
            for refs, own in zip(references, scores.counts):
                lengths = [len(ref.split()) for ref in refs]
                print(
                    {"reflen": lengths, "testlen": own.length, "guess": own.guess, "correct": own.correct},
                    own.reference_length,
                )
        if verbose > 0:
            total, n = scores.sum, self._n
            print(
                {
                    "testlen": total.length,
                    "reflen": total.reference_length,
                    "guess": total.guess[:n],
                    "correct": total.correct[:n],
                }
            )
            print("ratio:", (total.length + 1e-15) / (total.reference_length + 1e-9))
        return scores.corpus[: self._n], scores.images[: self._n]

    def method(self) -> str:
        """The name of the metric."""
        return "Bleu"
