# shellcheck shell=bash
# The set-up that experiments/quickstart.sh and tests/run.sh share: functions that install missing
# Debian 12 packages, configure one preset and build it. To be sourced from the root of the project.

packages=(
  g++ cmake ninja-build ccache pkg-config
  libopencv-dev libopencv-contrib-dev  # contrib has freetype, which draws text that is not ASCII
  libjpeg-dev libpng-dev libtiff-dev libwebp-dev  # reading and writing pictures, bounded, without a word on stderr
  fonts-dejavu-core                    # the font of the pictures
  libcairo2-dev libharfbuzz-dev        # writing PDF
  libonnx-dev libprotobuf-dev          # reading ONNX files
  libdnnl-dev ocl-icd-opencl-dev       # oneDNN; its CMake package requires OpenCL
  libeigen3-dev libtbb-dev
  libhdf5-dev libyaml-cpp-dev nlohmann-json3-dev libxxhash-dev
  libutf8proc-dev libcsv-dev           # Unicode classes; reading captions.csv
  libboost-math-dev                    # Student's t distribution; it brings Boost.CRC for CRC-32C
  libstemmer-dev zlib1g-dev            # METEOR: word stems, compressed tables
  libexpat1-dev                        # reading Flickr30k Entities
  libcli11-dev libspdlog-dev
  libcpp-httplib-dev                   # saccade serve
)
# Packages that only the tests need; tests/run.sh installs them, too.
test_packages=(
  catch2 clang-format       # the tests, and the check of the format
  chromium chromium-driver  # tests of the HTML pages
  poppler-utils             # tests of PDF files
  doxygen                   # the pages of the library
  libopenmpi-dev openmpi-bin iproute2  # training on several machines, without which saccade is built, too
)

say() { printf '\n== %s\n' "$*"; }

# quietly LOG COMMAND...: runs the command with its output in the file LOG, and shows the end of the
# file only if the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  local status=$?
  tail -n 40 "$log" >&2
  echo "this command failed: $* (its whole output is in $log)" >&2
  return "$status"
}

# Installs missing packages. Where this user may not do that, prints the command to run and exits 2.
install_packages() {
  local package missing=() root=()
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian: assuming that the libraries listed in experiments/setup.sh are installed"
    return
  fi
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return

  if [ "$(id -u)" -ne 0 ]; then
    # sudo may ask for a password only where a person can answer.
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      root=(sudo)
    else
      echo "Packages are missing, and this user may not install them. Run as root:" >&2
      echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  quietly "$log" "${root[@]}" apt-get update ||
    echo "apt-get update failed; trying with the package lists that this machine has" >&2
  quietly "$log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" || exit 2
  rm -f "$log"
}

# build PRESET: configures build/PRESET and builds everything. build PRESET TARGET: builds one target,
# and leaves the tests out of a folder that is new, because they need test_packages.
build() {
  local options=()
  if [ -z "${2-}" ]; then
    [ "$1" = package ] || options=(-DSACCADE_TESTS=ON)
  elif [ ! -f "build/$1/build.ninja" ]; then
    options=(-DSACCADE_TESTS=OFF)
  fi
  say "building the preset '$1' in build/$1"
  mkdir -p "build/$1"
  quietly "build/$1/configure.log" cmake --preset "$1" "${options[@]}" || exit 1
  if [ -t 1 ]; then
    cmake --build "build/$1" ${2:+--target "$2"} || exit 1
  else
    cmake --build "build/$1" ${2:+--target "$2"} -- --quiet || exit 1
  fi
}
