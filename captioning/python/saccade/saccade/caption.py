"""A caption and the attention of its words."""

from __future__ import annotations

import html
import math
import os
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _saccade
from .errors import UsageError

Pixels = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.float32]


@lru_cache(maxsize=None)
def _page() -> str:
    """The page of the explorer, with `{data}` where its data belong."""
    file = Path(__file__).parent / "share" / "saccade" / "explorer.html"
    return file.read_text(encoding="utf-8")


class Word(NamedTuple):
    """A word of a caption."""

    text: str
    log_probability: float
    """Of this word given those before it, in nats."""
    gate: Optional[float]
    """How much of the context the word takes, 0..1; None without a gate."""
    sentinel: Optional[float]
    """The weight of no region; None without a sentinel."""
    chosen: Optional[Tuple[int, int]]
    """Row and column of the region that hard attention took; of regions from elsewhere 0 and its number."""

    @property
    def probability(self) -> float:
        """Of this word given those before it."""
        return math.exp(self.log_probability)


class Caption:
    """What a model says of a photo. A notebook shows it as a card of the explorer."""

    def __init__(
        self,
        models: _saccade.Opened,
        spoken: _saccade.Spoken,
        photo: _saccade.Given,
    ) -> None:
        self._models = models
        self._spoken = spoken
        self._photo = photo

    @property
    def name(self) -> str:
        """What the photo was given by: its path, or its id among features; "" for pixels and bytes.

        Of a model of texts it is the text.
        """
        if isinstance(self._photo, _saccade.Unseen):
            return self._photo.id
        return self._photo if isinstance(self._photo, str) else ""

    @property
    def text(self) -> str:
        """The words with one space between them."""
        return self._spoken.text

    @property
    def log_probability(self) -> float:
        """Of the whole caption, with its end if it is finished, in nats."""
        return self._spoken.log_probability

    @property
    def finished(self) -> bool:
        """False where it was cut at the greatest length."""
        return self._spoken.finished

    @cached_property
    def words(self) -> List[Word]:
        """The words in order, without the end."""
        return [Word(*word) for word in self._spoken.words()]

    @cached_property
    def maps(self) -> Weights:
        """The map of every word, [words, rows, columns] of the model's grid.

        Of regions from elsewhere it is [words, regions], and `boxes` says where these lie.
        It is that of the last layer, the mean over its heads. The weights of a word sum to 1 with
        its sentinel's, unless the attention promises something else.
        """
        maps = self._spoken.maps()
        if maps is None:
            raise self._no_maps()
        return maps

    @cached_property
    def layer_maps(self) -> Weights:
        """The maps of every layer and head, [words, layers, heads, rows, columns].

        Of regions from elsewhere they are [words, layers, heads, regions].
        They are kept where `caption(..., layers=True)` asks for them.
        """
        if not self._models.has_attention:
            raise self._no_maps()
        maps = self._spoken.layer_maps()
        if maps is None:
            raise UsageError("layer_maps: they were not kept; caption the photo with layers=True")
        return maps

    @cached_property
    def boxes(self) -> Optional[Weights]:
        """Where the regions of `maps` lie: [regions, 4], x, y, width and height in pixels.

        None where they are the cells of a grid, or nobody knows their places.
        """
        return self._spoken.boxes()

    @cached_property
    def word_maps(self) -> Optional[Weights]:
        """How words attend to words, [layers, heads, words, words]; kept with `layers=True`.

        Row t is the word t; column 0 is the begin of the caption, and column s the word s - 1. None
        where the decoder does not attend to words.
        """
        return self._spoken.word_maps()

    @cached_property
    def alternatives(self) -> List["Caption"]:
        """The next best captions, where `caption(..., alternatives=N)` asks for N in all."""
        others = self._spoken.alternatives()
        return [Caption(self._models, other, self._photo) for other in others]

    @cached_property
    def photo(self) -> Pixels:
        """The photo, [height, width, 3]; a file is read again. Of a text, its picture.

        Of features without a photo it is the empty picture on which maps are drawn.
        """
        return self._spoken.picture(self._photo)

    def map_on_photo(self, word: int) -> Weights:
        """The map of a word, by its number, over the photo: [height, width].

        Weights are interpolated between the centres of regions, through the crop or padding that
        the model saw; they may fall below 0, and are 0 where the model did not see the photo. Where
        regions are boxes, a pixel has the largest weight of those that it lies in.
        """
        return self._spoken.map_on_photo(self._number(word))

    def overlay(
        self,
        word: Optional[int] = None,
        *,
        style: str = "heat",
        scale: str = "shared",
        colours: str = "inferno",
        measure: str = "weight",
        columns: int = 0,
        panel_width: int = 320,
        font: Union[str, "os.PathLike[str]"] = "",
    ) -> Pixels:
        """The sheet of all words, or with `word` the panel of one at the photo's size.

        style    heat, blend, alpha, cells
        scale    what full heat is: shared (the largest weight of the caption) or per_word
        colours  inferno, magma, plasma, viridis, cividis, grey
        measure  weight, relative (to a uniform map), gated (times the gate)
        columns  panels in a row of the sheet; 0: as many as make a wide page
        font     a TrueType file for the sheet; DejaVu Sans where the system has it
        """
        number = None if word is None else self._number(word)
        return self._spoken.draw(
            self._photo,
            number,
            style,
            scale,
            colours,
            measure,
            columns,
            panel_width,
            os.fspath(font),
        )

    def _number(self, word: int) -> int:
        return word + len(self.words) if word < 0 else word

    def _no_maps(self) -> UsageError:
        return UsageError(
            f"the words of {self._models.name} choose no regions, so there are no maps; take a "
            "model with attention"
        )

    def _repr_html_(self) -> str:
        page = _page().replace("{data}", self._spoken.page_json(self._photo).replace("<", "\\u003c"))
        return (
            f'<iframe title="{html.escape(self.text)}" srcdoc="{html.escape(page)}" '
            'style="width: 100%; height: 40em; border: 0"></iframe>'
        )

    def _repr_png_(self) -> Optional[bytes]:
        if not self._models.has_attention:
            return None
        return _saccade.png(self.overlay(panel_width=160))  # a notebook keeps it beside the card

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<saccade.Caption {self.text!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Caption belongs to its model and is not pickled; keep its arrays")
