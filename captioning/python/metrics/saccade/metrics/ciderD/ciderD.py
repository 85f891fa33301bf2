"""CIDEr-D of the self-critical forks (pyciderevalcap.ciderD.ciderD): a reward."""

from __future__ import annotations

import io
import os
import pickle
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from .. import _metrics
from .._captions import text_of
from ..cider.cider import Scores, check_form, scores_of
from ..errors import DataError


class _Plain(pickle.Unpickler):
    """Reads containers, texts and numbers, and runs nothing."""

    _ALLOWED = {
        ("collections", "defaultdict"),
        ("collections", "OrderedDict"),
        ("collections", "Counter"),
        ("builtins", "float"),
        ("builtins", "int"),
        ("__builtin__", "float"),
        ("__builtin__", "int"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy._core.multiarray", "scalar"),
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"it holds {module}.{name}")
        return super().find_class(module, name)


def _frequencies(df: str) -> _metrics.Frequencies:
    path = df if os.path.isfile(df) else os.path.join("data", df + ".p")
    try:
        with open(path, "rb") as file:
            held = _Plain(io.BytesIO(file.read()), encoding="latin1").load()
        grams = [(list(gram), float(count)) for gram, count in held["document_frequency"].items()]
        return _metrics.Frequencies(float(held["ref_len"]), grams)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise DataError(
            f"{path}: holds no document frequencies ({error}); expected a pickle of "
            "{'ref_len': images, 'document_frequency': {('a', 'dog'): images}}"
        ) from error


class CiderD:
    """CIDEr-D, 0..10, of captions whose images may repeat.

    `df` is 'corpus', for the frequencies of the references that are scored, or the name of
    data/NAME.p (such as 'coco-train-idxs'), or a file of that form.
    """

    def __init__(self, n: int = 4, sigma: float = 6.0, df: str = "corpus") -> None:
        check_form(n, sigma)
        self._n = n
        self._sigma = sigma
        self._df: Optional[_metrics.Frequencies] = None if df == "corpus" else _frequencies(df)

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Sequence[Mapping[str, Any]]
    ) -> Scores:
        """The mean, and the score of each of `res`: {'image_id': key of gts, 'caption': [text]}."""
        candidates: List[str] = []
        references: List[List[str]] = []
        for entry in res:
            image, hypo = entry["image_id"], entry["caption"]
            refs = gts[image]
            assert type(hypo) is list, f"image {image!r}: its caption must be in a list, got {hypo!r:.60}"
            assert len(hypo) == 1, f"image {image!r}: needs exactly one caption, got {len(hypo)}"
            assert type(refs) is list, f"image {image!r}: its references must be a list, got {refs!r:.60}"
            assert len(refs) > 0, f"image {image!r}: needs a reference"
            candidates.append(text_of(hypo[0], image))
            references.append([text_of(ref, image) for ref in refs])
        return scores_of(candidates, references, self._n, self._sigma, self._df)

    def method(self) -> str:
        """The name of the metric."""
        return "CIDEr-D"
