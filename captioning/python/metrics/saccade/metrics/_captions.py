"""Checks of what is scored, the same for all metrics."""

from __future__ import annotations

import warnings
from typing import Any, Hashable, List, Mapping, Sequence, Tuple

from .errors import DataError, MetricWarning

Pairs = Tuple[List[Hashable], List[str], List[List[str]]]


def warn(text: str) -> None:
    """Warns at the line of the caller's caller."""
    warnings.warn(text, MetricWarning, stacklevel=4)


def valid(text: str, image: Hashable) -> str:
    """The text. Raises DataError where it has a surrogate, which is no character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"image {image!r}: {text!r:.60} is not Unicode text: {error.reason} at {error.start}"
        ) from None
    return text


def text_of(item: Any, image: Hashable) -> str:
    """A caption, also of the form that the tokenizer takes: {'caption': ...}."""
    if isinstance(item, str):
        return valid(item, image)
    if isinstance(item, Mapping) and isinstance(item.get("caption"), str):
        warn(
            f"image {image!r}: scored as it is written, because it is a dict; tokenise first: "
            "PTBTokenizer().tokenize(captions) gives the strings that scorers take"
        )
        return valid(str(item["caption"]), image)
    raise TypeError(f"image {image!r}: a caption must be a str, got {type(item).__name__}")


def pairs_of(gts: Mapping[Any, Any], res: Mapping[Any, Any]) -> Pairs:
    """Ids, captions and references in the order of gts.

    Raises AssertionError, which names the image, where the ids differ, where an image has not
    exactly one caption in a list, or no list with a reference.
    """
    if gts.keys() != res.keys():
        lacking = [f"{i!r} has no caption" for i in gts if i not in res]
        lacking += [f"{i!r} has no references" for i in res if i not in gts]
        raise AssertionError("gts and res must have the same images: " + _first(lacking))
    candidates: List[str] = []
    references: List[List[str]] = []
    for image, refs in gts.items():
        hypo = res[image]
        assert type(hypo) is list, f"image {image!r}: its caption must be in a list, got {hypo!r:.60}"
        assert len(hypo) == 1, f"image {image!r}: needs exactly one caption, got {len(hypo)}"
        assert type(refs) is list, f"image {image!r}: its references must be a list, got {refs!r:.60}"
        assert len(refs) >= 1, f"image {image!r}: needs a reference"
        candidates.append(text_of(hypo[0], image))
        references.append([text_of(ref, image) for ref in refs])
    ids = list(gts)
    empty = [repr(i) for i, text in zip(ids, candidates) if not text.strip()]
    if empty:
        warn(f"captions without a word, which score 0 wherever a reference has one: images {_first(empty)}")
    return ids, candidates, references


def _first(items: Sequence[str], count: int = 3) -> str:
    more = f" and {len(items) - count} more" if len(items) > count else ""
    return ", ".join(items[:count]) + more
