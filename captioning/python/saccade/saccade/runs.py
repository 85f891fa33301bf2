"""Training, and what is measured of trained models."""

from __future__ import annotations

import json
import os
import tempfile
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
    cast,
)

import numpy as np
import numpy.typing as npt

from . import _program, _saccade
from ._values import Path, model_folders, paths, plain, settings, tell
from .errors import DataError, UsageError
from .metrics.meteor.meteor import cache_folder, find_paraphrases
from .model import Model, Photo, given_photo

Examples = Iterable[Tuple[Photo, Union[str, Sequence[str]]]]
"""Photos with their captions: one, or several of each photo."""

Reward = Callable[[List[str], List[List[str]]], Union[Sequence[float], npt.NDArray[Any]]]
"""reward(captions, references) gives a number for each caption; references[i] are those of its photo."""


class Update(TypedDict):
    """One update of the weights, as `train` tells it."""

    update: int
    epoch: int
    loss: float
    nll_per_word: float
    gradient_norm: float
    learning_rate: float
    seconds: float
    done: float


class Trained(TypedDict):
    """What a training gave: checkpoints, the best value of every metric."""

    updates: int
    stopped: bool
    best: Dict[str, float]
    last: str
    checkpoint: str


def _examples(
    data: Examples, validation: Optional[Examples]
) -> Iterator[Tuple[Union[str, bytes, npt.NDArray[np.uint8]], List[str], bool]]:
    for name, examples in (("data", data), ("validation", validation)):
        for i, example in enumerate(examples or ()):
            try:
                photo, captions = example
                texts = [captions] if isinstance(captions, str) else list(captions)
            except (TypeError, ValueError):
                raise DataError(
                    f"{name}: example {i} is not a pair of a photo and its captions"
                ) from None
            if not texts or not all(isinstance(text, str) for text in texts):
                raise DataError(f"{name}: example {i} has no captions; give a text or a list of texts")
            try:
                given = given_photo(photo)
            except (DataError, UsageError) as error:
                raise type(error)(f"{name}: example {i}: {error}") from None
            yield given, texts, name == "validation"


def _answering(callback: Callable[[Update], Optional[bool]]) -> Callable[[Update], Optional[bool]]:
    """The callback, whose answer may be a truth value of NumPy."""

    def call(update: Update) -> Optional[bool]:
        answer = callback(update)
        return bool(answer) if isinstance(answer, np.bool_) else answer

    return call


def train(
    config: Union[Path, Mapping[str, Any]],
    out: Path,
    *,
    data: Optional[Examples] = None,
    validation: Optional[Examples] = None,
    reward: Optional[Reward] = None,
    callback: Optional[Callable[[Update], Optional[bool]]] = None,
    on_validation: Optional[Callable[[int, Dict[str, float]], None]] = None,
    set: Mapping[str, Any] = {},
    resume: bool = False,
    threads: int = 0,
    models: Sequence[Path] = (),
) -> Trained:
    """Trains a model into the directory `out`, which is made; `load(out)` then loads its best one.

    config         the file of an experiment, or its values: {"data": {"type": "scenes"}, ...}
    data           pairs of a photo (as `caption` takes it) and its captions, in place of the data
                   that the config names; they are read once and kept in `out`/data
    validation     the same for validation; without it a share of `data` (data.split.val)
    reward         of self-critical training, reward(captions, references): a number for each of the
                   captions of an update. Metrics join it where the config gives them weights
    callback       called after every update; where it returns False, the run is saved and ends
    on_validation  called with the number of updates and the scores after every validation
    set            values that replace those of the config, as {"train.batch": 32}
    resume         go on with the run in `out`, if there is one

    KeyboardInterrupt ends it after the update that is being made: the run is saved, and `resume`
    goes on, with the same `data` and `reward`. An exception of a function or of `data` ends it, too,
    and is passed on.
    """
    if data is None and validation is not None:
        raise UsageError("validation: there is no `data` to train on; give both")
    file, text = "", ""
    if isinstance(config, Mapping):
        text = json.dumps(plain(config))
    else:
        file = os.fspath(config)
    folders = paths(models) + model_folders()
    trained = _saccade.train(
        file,
        text,
        settings(set),
        os.fspath(out),
        resume,
        threads,
        folders,
        str(find_paraphrases() or ""),
        str(cache_folder() or ""),
        callback and _answering(callback),
        on_validation,
        reward,
        None if data is None else _examples(data, validation),
        tell,
    )
    return cast(Trained, trained)


def evaluate(
    model: Union[Model, Path],
    *,
    split: Optional[str] = None,
    images: int = 0,
    set: Mapping[str, Any] = {},
    data: Union[Path, Mapping[str, Any], None] = None,
    **options: Any,
) -> Dict[str, Any]:
    """The scores of a model on its data set, or on another one: what `saccade evaluate` prints.

    split    train, val, test or all; by default test if there is one, else val
    images   the first so many; 0: all
    set      values of the config, as {"search.beam": 5}
    data     where the data are, as {"images": "/new/place"}, or the config of another data set
    options  those of the command, as samples=5, baselines=True, regime="argmax"

    It runs the program, because only that puts the measures of an evaluation together.
    """
    name = ",".join(model.checkpoints) if isinstance(model, Model) else os.fspath(model)
    chosen = {"split": split, "images": images or None, "set": set, "data": data, **options}
    return cast(Dict[str, Any], _program.results(["evaluate", name, *_program.options(chosen)]))


def compare(
    what: Union[Path, Sequence[Path], Mapping[str, Any]],
    out: Optional[Path] = None,
    *,
    set: Mapping[str, Any] = {},
    **options: Any,
) -> Dict[str, Any]:
    """Trains and compares the arms of a config, or compares finished runs: the tables and verdicts.

    what     a config with arms, its file or its values; or the directories of finished runs
    out      the directory of the comparison, in which a stopped one goes on
    set      values of the config
    options  those of `saccade compare`, as against="soft", jobs=2, tune=["optimizer.lr=1e-3,3e-3"]

    It runs the program, to which comparisons belong.
    """
    rest = [*settings(set), *_program.options({"out": out, **options})]
    if not isinstance(what, Mapping):
        return cast(Dict[str, Any], _program.results(["compare", *paths(what), *rest]))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "config.yaml")
        with open(file, "w", encoding="utf-8") as config:
            json.dump(plain(what), config)
        return cast(Dict[str, Any], _program.results(["compare", file, *rest]))


def runs(folder: Path = "runs") -> List[Dict[str, Any]]:
    """The runs below a folder, one dict each, which pandas.DataFrame takes: what `saccade runs` prints."""
    return cast(List[Dict[str, Any]], _program.results(["runs", os.fspath(folder)]))
