# shellcheck shell=bash
# Set-up shared by experiments/quickstart.sh and tests/run.sh; to be sourced, from the root of the
# project. Installs the Debian 12 packages that are missing, configures one preset and builds it.

packages=(
  g++ cmake ninja-build ccache pkg-config
  libopencv-dev libopencv-contrib-dev  # contrib: freetype, for text that is not ASCII
  fonts-dejavu-core                    # the font of the pictures
  libcairo2-dev libharfbuzz-dev        # PDF
  libonnx-dev libprotobuf-dev          # the messages of ONNX files
  libdnnl-dev ocl-icd-opencl-dev       # oneDNN; its CMake package looks for OpenCL
  libeigen3-dev libtbb-dev
  libhdf5-dev libyaml-cpp-dev nlohmann-json3-dev libxxhash-dev
  libutf8proc-dev libcsv-dev           # Unicode classes; captions.csv
  libboost-math-dev                    # Student's t; with it CRC-32C
  libstemmer-dev zlib1g-dev            # METEOR: stems; its tables
  libexpat1-dev                        # Flickr30k Entities
  libcli11-dev libspdlog-dev
  libcpp-httplib-dev                   # saccade serve
  catch2 clang-format                  # the tests and the format check
)
# Of the tests alone; tests/run.sh installs them too.
test_packages=(
  chromium chromium-driver  # pages
  poppler-utils             # PDF
)

say() { printf '\n== %s\n' "$*"; }

# Runs a command with its output in a file; shows the end of the file only if the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  local status=$?
  tail -n 40 "$log" >&2
  echo "failed: $* (all of its output is in $log)" >&2
  return "$status"
}

# Exits 2 with the one line to run where packages are missing and may not be installed.
install_packages() {
  local package missing=() root=()
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian: the libraries of experiments/setup.sh are taken as installed"
    return
  fi
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return

  if [ "$(id -u)" -ne 0 ]; then
    # sudo may ask for a password only where somebody can answer.
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      root=(sudo)
    else
      echo "These packages are missing and this user may not install them; as root, run:" >&2
      echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  quietly "$log" "${root[@]}" apt-get update ||
    echo "the package lists could not be renewed; trying with those that are here" >&2
  quietly "$log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" || exit 2
  rm -f "$log"
}

# build PRESET [TARGET]: configures build/PRESET and builds everything, or one target.
build() {
  say "building the preset '$1' in build/$1"
  mkdir -p "build/$1"
  quietly "build/$1/configure.log" cmake --preset "$1" || exit 1
  if [ -t 1 ]; then
    cmake --build "build/$1" ${2:+--target "$2"} || exit 1
  else
    cmake --build "build/$1" ${2:+--target "$2"} -- --quiet || exit 1
  fi
}
