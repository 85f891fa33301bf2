#!/usr/bin/env bash
# Executes the notebooks of experiments/examples: bash tests/python/notebooks.sh BUILD FOLDER, after module.sh with the
# same two folders, whose package they use.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
. "$here/environment.sh"

[ -d "$folder/package" ] || skip "the test of the module has not run"
environment notebooks nbclient ipykernel numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH=$folder/package SACCADE_PROGRAM=$build/saccade SACCADE_PARAPHRASES=none PYTHONDONTWRITEBYTECODE=1
export TMPDIR=$work IPYTHONDIR=$work/ipython JUPYTER_RUNTIME_DIR=$work/runtime JUPYTER_CONFIG_DIR=$work/config
export PYDEVD_DISABLE_FILE_VALIDATION=1
for book in "$here"/../../experiments/examples/*.ipynb; do
  "$folder/notebooks/bin/python" - "$book" <<'PYTHON' || fail "$book"
import os, sys
import nbformat
from nbclient import NotebookClient

path = sys.argv[1]
book = nbformat.read(path, as_version=4)
nbformat.validate(book)
assert all(not cell.get("outputs") for cell in book.cells), "clear the outputs of the notebook"
place = {"metadata": {"path": os.path.dirname(path)}}
NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
kinds = {kind for cell in book.cells for out in cell.get("outputs", []) for kind in out.get("data", {})}
assert "look" not in os.path.basename(path) or "image/png" in kinds, "the caption shows no picture"
print(os.path.basename(path), "runs")
PYTHON
done
