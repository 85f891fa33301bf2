#!/usr/bin/env bash
# Compares speed and memory with other implementations of the same work, which run in turns with ours:
#   [PYTHON=FILE] [COMPILE=1] [THREADS="1 2"] bash experiments/benchmarks/peer.sh PEER_DIR [ROUNDS [WORKLOAD:BATCH...]]
# PEER_DIR holds peer_sat.py (PyTorch) and, if there is one, ort_peer.py (ONNX Runtime, forward passes of
# encoders) and tuned.env, the settings of Debian's PyTorch. PYTHON is the interpreter that has them, such as
# the one of a virtual environment (default: /usr/bin/python3). All take WORKLOAD --threads N --batch B
# --seconds S, PyTorch also --dtype f32|bf16, and print one JSON line with median_ms and peak_rss_mib. Where
# the peer has a workload in the layout channels last (suffix _cl), which is faster there, that one is compared.
# Prints one row per workload: medians of all rounds in milliseconds, at f32 and, where the processor multiplies
# bfloat16, at bf16; how many times faster ours is than the fastest of the others at the same precision; and our
# peak memory as a share of the others' least. COMPILE=1 adds PyTorch's compiler.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
peer=${1:?usage: peer.sh PEER_DIR [ROUNDS]}
rounds=${2:-3}
python=${PYTHON:-/usr/bin/python3}
ours=$root/build/release/saccade_bench
seconds=${SECONDS_EACH:-4}
captioners=(sat_vec:32 sat_hard:32 tdec_train:32 beam3_batched:16)
encoders=(r18_fwd:8 r18_train:8 r50_fwd:8 vgg19_fwd:8 vit_t_fwd:8 vit_t_train:8 vit_s_fwd:8 vit_s_train:8)
workloads=("${@:3}")
[ ${#workloads[@]} -gt 0 ] || workloads=("${captioners[@]}" "${encoders[@]}")

[ -x "$ours" ] || { echo "$ours is missing; build it with: bash tests/run.sh" >&2; exit 1; }
[ -f "$peer/peer_sat.py" ] || { echo "$peer: there is no peer_sat.py in this directory" >&2; exit 2; }
"$python" -c 'import torch' 2>/dev/null || {
  echo "$python has no PyTorch; set PYTHON to the interpreter of a virtual environment that has it, or, as root," \
    "run: apt-get install -y python3-torch python3-torchvision libopenblas0-openmp libjemalloc2" >&2
  exit 2
}
# These variables limit which kernels a library chooses, which would make the comparison unfair.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OMP_NUM_THREADS OMP_WAIT_POLICY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$peer"/*.py "$work" # ONNX Runtime's networks are written beside its script
has_onnx=$([ -f "$peer/ort_peer.py" ] && "$python" -c 'import onnxruntime' 2>/dev/null && echo 1)
has_bf16=$(grep -qm1 avx512_bf16 /proc/cpuinfo && echo 1)

pytorch() (
  cd "$work" || exit 1
  if [ "$python" = /usr/bin/python3 ] && [ -f "$peer/tuned.env" ]; then
    # shellcheck source=/dev/null
    . "$peer/tuned.env"
  else
    export PEER_FLUSH_DENORMALS=1
    if ldconfig -p | grep -q 'libjemalloc.so.2'; then
      export LD_PRELOAD=libjemalloc.so.2
      export MALLOC_CONF=oversize_threshold:1,background_thread:false,metadata_thp:auto,dirty_decay_ms:-1,muzzy_decay_ms:-1
    fi
  fi
  exec "$python" peer_sat.py "$@"
)
field() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p"; }
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2 }'; }

# run SIDE NAME THREADS BATCH: one JSON line.
run() {
  local theirs=$2
  case $2 in r18_* | r50_* | vgg19_*) theirs=${2}_cl ;; esac
  local size=(--threads "$3" --batch "$4" --seconds "$seconds")
  case $1 in
  torch_f32) pytorch "$theirs" "${size[@]}" ;;
  torch_bf16) pytorch "$theirs" "${size[@]}" --dtype bf16 ;;
  compiled_f32) PEER_COMPILE=1 OMP_NUM_THREADS=$3 pytorch "$theirs" "${size[@]}" ;;
  compiled_bf16) PEER_COMPILE=1 OMP_NUM_THREADS=$3 pytorch "$theirs" "${size[@]}" --dtype bf16 ;;
  onnx_f32)
    (cd "$work" && { [ -f "${2%_fwd}.onnx" ] || "$python" ort_peer.py "${2%_fwd}" --export --batch "$4" >/dev/null; } &&
      "$python" ort_peer.py "${2%_fwd}" "${size[@]}")
    ;;
  ours_f32) "$ours" "$2" "${size[@]}" ;;
  ours_bf16) "$ours" "$2" "${size[@]}" --bf16 ;;
  esac
}

grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /processor: /'
"$python" -c 'import torch; print("PyTorch", torch.__version__)'
echo "load before: $(cut -d' ' -f1 /proc/loadavg), $rounds rounds in turns, at least $seconds s each; - is what a side does not have"
columns=(torch_f32 compiled_f32 onnx_f32 ours_f32 torch_bf16 compiled_bf16 ours_bf16)
printf '%-15s %7s' workload threads
printf ' %9s' torch compiled onnx ours faster memory 'torch16' 'compil16' 'ours16' faster memory
echo
for threads in ${THREADS:-1 2}; do
  for workload in "${workloads[@]}"; do
    name=${workload%:*} batch=${workload#*:}
    sides=(torch_f32 ours_f32)
    [ -z "$has_bf16" ] || sides+=(torch_bf16 ours_bf16)
    [[ -z "$has_onnx" || $name != *_fwd ]] || sides+=(onnx_f32)
    if [ "${COMPILE:-}" = 1 ]; then
      sides+=(compiled_f32)
      [ -z "$has_bf16" ] || sides+=(compiled_bf16)
    fi
    rm -f "$work"/*.ms "$work"/*.mib
    for ((round = 0; round < rounds; ++round)); do
      for side in "${sides[@]}"; do
        line=$(run "$side" "$name" "$threads" "$batch" </dev/null 2>"$work/stderr") || {
          tail -3 "$work/stderr" >&2
          echo "$side failed at the workload $name with $threads threads" >&2
          exit 1
        }
        field median_ms <<<"$line" >>"$work/$side.ms"
        field peak_rss_mib <<<"$line" >>"$work/$side.mib"
      done
    done
    row="$name $threads"
    for side in "${columns[@]}"; do
      for unit in ms mib; do
        if [ -s "$work/$side.$unit" ]; then row+=" $(median "$work/$side.$unit")"; else row+=" -"; fi
      done
    done
    awk '
      function least(a, b, c,   l) { l = a; if (b != "-" && b < l) l = b; if (c != "-" && c < l) l = c; return l }
      function ms(x) { return x == "-" ? sprintf(" %9s", x) : sprintf(" %9.1f", x) }
      function ratio(x, y) { return y == "-" ? sprintf(" %9s", "-") : sprintf(" %8.2fx", x / y) }
      { printf "%-15s %7d", $1, $2
        printf "%s%s%s%s", ms($3), ms($5), ms($7), ms($9)
        printf "%s%s", ratio(least($3, $5, $7), $9), ratio($10, least($4, $6, $8))
        printf "%s%s%s", ms($11), ms($13), ms($15)
        if ($15 == "-") printf " %9s %9s\n", "-", "-"
        else printf "%s%s\n", ratio(least($11, $13, "-"), $15), ratio($16, least($12, $14, "-"))
      }' <<<"$row"
  done
done

[ $# -le 2 ] || exit 0
echo 'workloads that the peer does not have:'
for threads in ${THREADS:-1 2}; do
  for workload in cnn:32 sat_gru:32 tdec_beam3:16; do
    name=${workload%:*} batch=${workload#*:}
    line=$("$ours" "$name" --threads "$threads" --batch "$batch" --seconds "$seconds" </dev/null) ||
      exit 1
    printf '%-15s %7d %9.1f ms %9.0f MiB\n' "$name" "$threads" \
      "$(field median_ms <<<"$line")" "$(field peak_rss_mib <<<"$line")"
  done
done
