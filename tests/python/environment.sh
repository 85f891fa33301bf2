# shellcheck shell=bash
# Environments of Python for the scripts of this folder, which source it with $folder, where environments are kept.
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 77; }

# environment NAME PACKAGE...: an environment of Python with these packages of PyPI, kept for the next time.
environment() {
  local name=$1 made
  made=$folder/$1/made.txt
  shift
  if [ "$(cat "$made" 2>/dev/null)" != "$*" ]; then
    rm -rf "${folder:?}/$name"
    python3 -m venv "$folder/$name" >"$folder/$name.log" 2>&1 || skip "python3-venv is missing ($folder/$name.log)"
    "$folder/$name/bin/pip" --disable-pip-version-check install "$@" >>"$folder/$name.log" 2>&1 ||
      skip "PyPI was not reached ($folder/$name.log)"
    echo "$*" >"$made"
  fi
}
