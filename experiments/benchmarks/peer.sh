#!/usr/bin/env bash
# Compares speed and memory with another implementation of the same work, which runs in turns with ours:
#   bash experiments/benchmarks/peer.sh PEER_DIR [ROUNDS [WORKLOAD:BATCH...]]
# PEER_DIR holds peer_sat.py and, if the peer has settings of its own, tuned.env. Both programs take
# WORKLOAD --threads N --batch B --seconds S and print one JSON line with median_ms and peak_rss_mib.
# Where the peer has a workload in the layout channels last (suffix _cl), which is faster there, that one
# is compared. Prints one row per workload: the median of all rounds of each side, how many times faster ours
# is, and our peak memory as a share of the peer's.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
peer=${1:?usage: peer.sh PEER_DIR [ROUNDS]}
rounds=${2:-3}
ours=$root/build/release/saccade_bench
seconds=4
captioners=(sat_vec:32 sat_hard:32 tdec_train:32 beam3_batched:16)
encoders=(r18_fwd:8 r18_train:8 r50_fwd:8 vgg19_fwd:8 vit_t_fwd:8 vit_t_train:8 vit_s_fwd:8 vit_s_train:8)
workloads=("${@:3}")
[ ${#workloads[@]} -gt 0 ] || workloads=("${captioners[@]}" "${encoders[@]}")

[ -x "$ours" ] || { echo "$ours is missing; build it with: bash tests/run.sh" >&2; exit 1; }
[ -f "$peer/peer_sat.py" ] || { echo "$peer: there is no peer_sat.py in this directory" >&2; exit 2; }
/usr/bin/python3 -c 'import torch' 2>/dev/null || {
  echo "the peer needs PyTorch; as root, run: apt-get install -y python3-torch python3-torchvision" \
    "libopenblas0-openmp libjemalloc2" >&2
  exit 2
}
# These variables limit which kernels a library chooses, which would make the comparison unfair.
unset OPENBLAS_CORETYPE OMP_NUM_THREADS OMP_WAIT_POLICY

run_peer() (
  cd "$peer" || exit 1
  # shellcheck source=/dev/null
  [ ! -f tuned.env ] || . ./tuned.env
  exec /usr/bin/python3 peer_sat.py "$@"
)
field() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2 }'; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /processor: /'
echo "load before: $(cut -d' ' -f1 /proc/loadavg), $rounds rounds in turns, at least $seconds s each"
printf '%-15s %7s %9s %9s %7s %9s %9s %7s\n' workload threads 'peer ms' 'ours ms' faster \
  'peer MiB' 'ours MiB' memory
for threads in ${THREADS:-1 2}; do
  for workload in "${workloads[@]}"; do
    name=${workload%:*} batch=${workload#*:} theirs=$name
    case $name in r18_* | r50_* | vgg19_*) theirs=${name}_cl ;; esac
    rm -f "$work"/*
    for ((round = 0; round < rounds; ++round)); do
      for side in peer ours; do
        if [ $side = peer ]; then command=(run_peer "$theirs"); else command=("$ours" "$name"); fi
        line=$("${command[@]}" --threads "$threads" --batch "$batch" --seconds "$seconds" \
          </dev/null) || { echo "$side failed at the workload $name with $threads threads" >&2; exit 1; }
        field median_ms <<<"$line" >>"$work/$side.ms"
        field peak_rss_mib <<<"$line" >>"$work/$side.mib"
      done
    done
    awk -v name="$name" -v threads="$threads" \
      -v pm="$(median <"$work/peer.ms")" -v om="$(median <"$work/ours.ms")" \
      -v pr="$(median <"$work/peer.mib")" -v or="$(median <"$work/ours.mib")" \
      'BEGIN { printf "%-15s %7d %9.1f %9.1f %6.2fx %9.0f %9.0f %6.2fx\n",
               name, threads, pm, om, pm / om, pr, or, or / pr }'
  done
done

[ $# -le 2 ] || exit 0
echo 'workloads that the peer does not have:'
for threads in ${THREADS:-1 2}; do
  for workload in cnn:32 sat_gru:32 tdec_beam3:16; do
    name=${workload%:*} batch=${workload#*:}
    line=$("$ours" "$name" --threads "$threads" --batch "$batch" --seconds "$seconds" </dev/null) ||
      exit 1
    printf '%-15s %7d %9s %9.1f %7s %9s %9.0f\n' "$name" "$threads" - \
      "$(field median_ms <<<"$line")" - - "$(field peak_rss_mib <<<"$line")"
  done
done
