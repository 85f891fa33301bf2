"""The program saccade, which comes with this package: what only it can do, and its results."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, NoReturn, Sequence, Type

from . import _saccade, errors
from ._values import plain, tell
from .metrics.meteor.meteor import find_paraphrases

_HERE = Path(__file__).parent
_PARTIAL = 8  # a comparison of which some runs failed, and the others have results
_CLASSES: Dict[int, Type[BaseException]] = {
    1: errors.InternalError,
    2: errors.UsageError,
    3: errors.DataError,
    4: errors.CheckpointError,
    5: errors.IoError,
    6: errors.DivergedError,
    7: errors.BusyError,
    9: MemoryError,
}


def program() -> str:
    """The path of the program: SACCADE_PROGRAM, the one in this package, or the one in PATH."""
    own = _HERE / "bin" / "saccade"
    found = os.environ.get("SACCADE_PROGRAM") or (
        str(own) if own.exists() else shutil.which("saccade")
    )
    if not found:
        raise errors.UsageError(
            "the program saccade is not found; install the wheel, which has it, or name it in "
            "SACCADE_PROGRAM"
        )
    return found


def environment() -> Dict[str, str]:
    """The environment of the program: its libraries are in this package, and its METEOR has the
    table of this Python."""
    own = dict(os.environ)
    table = find_paraphrases()
    if table:
        own["SACCADE_PARAPHRASES"] = str(table)
    if (_HERE / "lib").is_dir():
        places = [str(_HERE / "lib"), own.get("LD_LIBRARY_PATH", "")]
        own["LD_LIBRARY_PATH"] = ":".join(place for place in places if place)
    return own


def options(values: Mapping[str, Any]) -> List[str]:
    """The options of a command: `region_draws=2` is --region-draws 2, True the option alone.

    A mapping or list is an option for each of its values.
    """
    out: List[str] = []
    for key, value in values.items():
        name = "--" + key.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(name)
            continue
        if isinstance(value, Mapping):
            value = [f"{place}={json.dumps(plain(one))}" for place, one in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            out += [name, str(plain(one))]
    return out


def results(command: Sequence[str]) -> Any:
    """What a command prints with --json.

    What it says beside that is logged. KeyboardInterrupt is handed on to it, so that it ends as on
    a terminal: runs can be resumed.
    """
    said: List[str] = []
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(
            [program(), *command, "--json", *options({"plugin": _saccade.plugin_files()})],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            env=environment(),
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    text = line.rstrip("\n")
                    if text.startswith("error: "):
                        said.append(text[len("error: ") :])
                    elif said and text.startswith(" "):
                        said.append(text)
                    else:
                        tell(text.startswith("warning: "), re.sub("^(warning|info): ", "", text))
                code = process.wait()
            except BaseException:
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
        if code not in (0, _PARTIAL):
            name = f"saccade {command[0]}"
            message = "\n".join(said) or f"{name} ended with exit code {code}"
            raise _CLASSES.get(code, errors.Error)(message)
        for text in said:
            tell(True, text)
        output.seek(0)
        return json.load(output)


def main() -> NoReturn:
    """The command saccade."""
    os.execve(program(), ["saccade", *sys.argv[1:]], environment())
