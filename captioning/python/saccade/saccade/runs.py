"""Training, and what is measured of trained models."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypedDict, Union, cast

from . import _program, _saccade
from ._values import Path, model_folders, paths, plain, settings, tell
from .metrics.meteor.meteor import cache_folder, find_paraphrases
from .model import Model


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


def train(
    config: Union[Path, Mapping[str, Any]],
    out: Path,
    *,
    callback: Optional[Callable[[Update], Optional[bool]]] = None,
    on_validation: Optional[Callable[[int, Dict[str, float]], None]] = None,
    set: Mapping[str, Any] = {},
    resume: bool = False,
    threads: int = 0,
    models: Sequence[Path] = (),
) -> Trained:
    """Trains a model into the directory `out`, which is made; `load(out)` then loads its best one.

    config         the file of an experiment, or its values: {"data": {"type": "scenes"}, ...}
    callback       called after every update; where it returns False, the run is saved and ends
    on_validation  called with the number of updates and the scores after every validation
    set            values that replace those of the config, as {"train.batch": 32}
    resume         go on with the run in `out`, if there is one

    KeyboardInterrupt ends it after the update that is being made: the run is saved, and `resume`
    goes on. An exception of a callback ends it, too, and is passed on.
    """
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
        callback,
        on_validation,
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
    what: Union[Path, Sequence[Path]],
    out: Optional[Path] = None,
    *,
    set: Mapping[str, Any] = {},
    **options: Any,
) -> Dict[str, Any]:
    """Trains and compares the arms of a config, or compares finished runs: the tables and verdicts.

    what     the file of a config with arms; or the directories of at least two runs
    out      the directory of the comparison, in which a stopped one goes on
    set      values of the config
    options  those of `saccade compare`, as against="soft", jobs=2, tune=["optimizer.lr=1e-3,3e-3"]

    It runs the program, to which comparisons belong.
    """
    command = ["compare", *paths(what), *settings(set)]
    command += _program.options({"out": out, **options})
    return cast(Dict[str, Any], _program.results(command))


def runs(folder: Path = "runs") -> List[Dict[str, Any]]:
    """The runs below a folder, one dict each, which pandas.DataFrame takes.

    They are those that the program or `compare` trained: it runs the program, which alone keeps the
    logs that it reads, and a run of `train` has none.
    """
    return cast(List[Dict[str, Any]], _program.results(["runs", os.fspath(folder)]))
