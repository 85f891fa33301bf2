"""The tokens of Stanford's PTB tokenizer, as pycocoevalcap.tokenizer.ptbtokenizer has them."""

from __future__ import annotations

from typing import Any, Dict, Hashable, List, Mapping

from .. import _metrics
from .._captions import valid

PUNCTUATIONS = ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-"] + [
    ".", "?", "!", ",", ":", "-", "--", "...", ";"
]  # fmt: skip


def _caption(item: Any, image: Hashable) -> str:
    text = item["caption"] if isinstance(item, Mapping) else item
    if not isinstance(text, str):
        raise TypeError(
            f"image {image!r}: expected {{'caption': str}} or a str, got {type(text).__name__}"
        )
    return valid(text, image)


class PTBTokenizer:
    """`java edu.stanford.nlp.process.PTBTokenizer -preserveLines -lowerCase` without Java."""

    def tokenize(self, captions_for_image: Mapping[Any, Any]) -> Dict[Any, List[str]]:
        """Takes an id to a list of {'caption': str} (or of str), and gives it a list of str, whose
        tokens have a space between them and no punctuation among them.

        An id with an empty list is left out. Line ends in a caption count as spaces.
        """
        images = [image for image, captions in captions_for_image.items() for _ in captions]
        texts = [
            _caption(item, image)
            for image, captions in captions_for_image.items()
            for item in captions
        ]
        out: Dict[Any, List[str]] = {}
        for image, line in zip(images, _metrics.tokenize(texts)):
            out.setdefault(image, []).append(line)
        return out
