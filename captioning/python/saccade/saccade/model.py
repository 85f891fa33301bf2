"""Models that caption photos."""

from __future__ import annotations

import io
import os
from importlib import import_module
from typing import (
    Any,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
    cast,
    overload,
)

import numpy as np
import numpy.typing as npt

from . import _saccade
from ._values import Path, model_folders, paths, settings, tell
from .caption import Caption, Pixels, Weights
from .errors import DataError, UsageError


class PilImage(Protocol):
    """An image of PIL."""

    @property
    def mode(self) -> str: ...

    def save(self, fp: Any, format: str) -> None: ...


Photo = Union[Path, bytes, npt.NDArray[Any], PilImage]
"""A file, the bytes of one, pixels [height, width, 3] (uint8, RGB), or an image of PIL.

For a model that reads texts it is a text."""


_ONE = (str, bytes, bytearray, memoryview)  # sequences that are one photo


class EncoderAttention(NamedTuple):
    """What a model's encoder attends to for one photo, of every layer and head."""

    tokens: Optional[Weights]
    """[layers, heads, T, T] among the tokens of a transformer; None without one."""
    regions: Optional[Weights]
    """[layers, heads, L, S] among the regions of a refinement; None without one."""
    placeless: int
    """How many tokens come before those of the regions."""
    class_token: bool
    """Whether the first of them is a class token."""


def given_photo(photo: Photo) -> Union[str, bytes, Pixels]:
    """The photo as the library takes it."""
    if isinstance(photo, (str, os.PathLike)):
        return os.fspath(photo)
    if isinstance(photo, (bytes, bytearray, memoryview)):
        return bytes(photo)
    if isinstance(photo, np.ndarray):
        if photo.ndim != 3 or photo.shape[2] != 3 or photo.dtype != np.uint8:
            raise DataError(
                "pixels are an array [height, width, 3] of uint8, red, green and blue; got "
                f"{list(photo.shape)} of {photo.dtype}"
            )
        return np.ascontiguousarray(photo)
    if hasattr(photo, "mode") and hasattr(photo, "save"):
        return _pil(photo)
    if hasattr(photo, "__array__"):  # of another library
        return given_photo(np.asarray(photo))
    raise UsageError(
        "a photo is a path, the bytes of a file, an array or an image of PIL; got "
        f"{type(photo).__name__}"
    )


def _pil(photo: PilImage) -> Union[bytes, Pixels]:
    upright: Any = import_module("PIL.ImageOps").exif_transpose(photo)
    if upright.mode not in ("RGB", "RGBA", "L", "LA", "P", "1", "I;16"):
        upright = upright.convert("RGB")
    if upright.mode == "RGB":
        return np.ascontiguousarray(upright, dtype=np.uint8)
    file = io.BytesIO()  # the library turns transparency and other depths into colours
    upright.save(file, "PNG", compress_level=1)
    return file.getvalue()


class Model:
    """A model, or several that caption together. Many threads may use it at once."""

    def __init__(self, opened: _saccade.Opened, checkpoints: Sequence[str]) -> None:
        self._opened = opened
        self.checkpoints = tuple(checkpoints)
        """What it was loaded from."""

    @property
    def name(self) -> str:
        """What it was loaded as."""
        return self._opened.name

    @property
    def has_attention(self) -> bool:
        """False where words choose no regions: captions then have no maps."""
        return self._opened.has_attention

    @property
    def reads_text(self) -> bool:
        """Whether it describes texts and not photos."""
        return self._opened.reads_text

    @property
    def grid(self) -> Tuple[int, int]:
        """Rows and columns of the regions."""
        return self._opened.grid

    @property
    def vocabulary(self) -> List[str]:
        """Its words, or pieces of words, by number."""
        return self._opened.vocabulary

    @property
    def config(self) -> str:
        """The config of its training, as YAML."""
        return self._opened.config

    @overload
    def caption(
        self,
        photos: Photo,
        *,
        alternatives: int = 1,
        layers: bool = False,
        regime: str = "",
        seed: Optional[int] = None,
        features: Path = "",
        **search: Any,
    ) -> Caption: ...

    @overload
    def caption(
        self,
        photos: Optional[Sequence[Photo]] = None,
        *,
        alternatives: int = 1,
        layers: bool = False,
        regime: str = "",
        seed: Optional[int] = None,
        features: Path = "",
        **search: Any,
    ) -> List[Caption]: ...

    def caption(
        self,
        photos: Union[Photo, Sequence[Photo], None] = None,
        *,
        alternatives: int = 1,
        layers: bool = False,
        regime: str = "",
        seed: Optional[int] = None,
        features: Path = "",
        **search: Any,
    ) -> Union[Caption, List[Caption]]:
        """The caption of a photo, or those of a list or tuple of photos, some at once.

        alternatives  how many of the best captions are kept; at most `beam`
        layers        whether the maps of every layer and head are kept
        regime        how words get their context: expectation, argmax, sample, marginal
        seed          of what is drawn
        features      for a model of features from elsewhere, a file or folder with the photos', if
                      it is not that of its config; without photos, all are described that it has
                      the features of. For other models what `saccade features` wrote of the photos
        search        values of the section `search`: beam=5, mode="sample", temperature=.8,
                      max_length=30, must=["cat|kitten", "rug"] for what the caption has to
                      say, ...; others are those of the model's config

        Raises DataError for the first photo that cannot be read.
        """
        asked = _asked(alternatives, layers, regime, seed, features, search)
        return self._captions(photos, asked, "")

    @overload  # a text is a sequence, and yet one photo
    def say(  # type: ignore[overload-overlap]
        self,
        photos: Photo,
        text: str,
        *,
        layers: bool = False,
        regime: str = "",
        features: Path = "",
    ) -> Caption: ...

    @overload
    def say(
        self,
        photos: Optional[Sequence[Photo]],
        text: str,
        *,
        layers: bool = False,
        regime: str = "",
        features: Path = "",
    ) -> List[Caption]: ...

    def say(
        self,
        photos: Union[Photo, Sequence[Photo], None],
        text: str,
        *,
        layers: bool = False,
        regime: str = "",
        features: Path = "",
    ) -> Union[Caption, List[Caption]]:
        """A caption of one's own: where the model looks for its words, and how probable they are.

        `photos` and `features` as in `caption`; None for features without photos.
        Words that the model does not know are read as <unk>, with a warning. Raises UsageError
        where it knows none of them.
        """
        if not text.strip():
            raise UsageError("say: there is no word in the text; give a caption")
        return self._captions(photos, _asked(1, layers, regime, None, features, {}), text)

    def sample(
        self,
        photo: Optional[Photo],
        count: int,
        *,
        layers: bool = False,
        regime: str = "",
        seed: Optional[int] = None,
        features: Path = "",
        **search: Any,
    ) -> List[Caption]:
        """`count` captions of one photo that are drawn word by word.

        `features` as in `caption`; with None for the photo, they are those of one. `search` has temperature, top_k, top_p and what else mode `sample` reads.
        """
        given = self._one(photo, features)
        asked = _asked(1, layers, regime, seed, features, {"mode": "sample", **search})
        spoken = self._opened.samples(given, asked, count)
        return [Caption(self._opened, one, given) for one in spoken]

    def features(self, photo: Optional[Photo] = None, *, features: Path = "") -> Weights:
        """What the decoder attends to, [rows, columns, features]; not copied, and not writable.

        `photo` and `features` as in `sample`.
        """
        return self._opened.features(self._one(photo, features), os.fspath(features))

    def encoder_attention(self, photo: Photo) -> EncoderAttention:
        """The attention in the encoder, where the model has one that attends."""
        return EncoderAttention(**self._opened.encoder_maps(given_photo(photo)))

    def _captions(
        self,
        photos: Union[Photo, Sequence[Photo], None],
        asked: _saccade.Asked,
        say: str,
    ) -> Union[Caption, List[Caption]]:
        all_given: List[_saccade.Given]
        if photos is None:
            all_given = [*self._opened.unseen(asked.features)]
        elif not isinstance(photos, Sequence) or isinstance(photos, _ONE):
            given = given_photo(cast(Photo, photos))
            return Caption(self._opened, self._opened.captions([given], asked, say)[0], given)
        else:
            all_given = [given_photo(photo) for photo in photos]
        spoken = self._opened.captions(all_given, asked, say)
        return [Caption(self._opened, *one) for one in zip(spoken, all_given)]

    def _one(self, photo: Optional[Photo], features: Path) -> _saccade.Given:
        if photo is not None:
            return given_photo(photo)
        unseen = self._opened.unseen(os.fspath(features))
        if len(unseen) != 1:
            raise UsageError(
                f"features: {os.fspath(features)} has the features of {len(unseen)} photos; name "
                "the photo, or a file with those of one"
            )
        return unseen[0]

    def __repr__(self) -> str:
        return f"<saccade.Model {self.name!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Model is not pickled; load it again where it is needed")


def _asked(
    alternatives: int,
    layers: bool,
    regime: str,
    seed: Optional[int],
    features: Path,
    search: Mapping[str, Any],
) -> _saccade.Asked:
    values = {f"search.{key}": value for key, value in search.items()}
    if seed is not None:
        values["seed"] = seed
    return _saccade.Asked(settings(values), regime, alternatives, layers, os.fspath(features))


def load(
    checkpoint: Union[Path, Sequence[Path]],
    *,
    set: Mapping[str, Any] = {},
    models: Sequence[Path] = (),
    threads: int = 0,
) -> Model:
    """Loads a model: a checkpoint file, the directory of a run, or the name of a model.

    Several are an ensemble, which takes the mean of their probabilities of each word. `set` changes
    values of the config that do not change what the model is made of, as {"search.beam": 5}.
    `models` are folders in which names are looked for, before those of SACCADE_MODELS and the
    models that come with saccade ("soft", "hard"). `threads` are at most used; 0: one for each core.
    """
    names = paths(checkpoint)
    if not names:
        raise UsageError("load: no checkpoint is named; name at least one")
    folders = paths(models) + model_folders()
    return Model(_saccade.Opened(names, settings(set), folders, threads, tell), names)


def plugin(file: Path) -> str:
    """Loads a plugin, a shared library with an attention of one's own, and returns its name.

    The choices that it adds are those of every config and model of this process from then on, and
    of the programs that `evaluate` and `compare` run.
    """
    return _saccade.load_plugin(os.fspath(file))
