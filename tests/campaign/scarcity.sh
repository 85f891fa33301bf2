# scarcity.sh SACCADE JSON_VALUE FAIL_NTH_LIBRARY [EVERY]: makes every write to a file fail once (or every
# EVERY-th one, no multiple of 3): the disk is full, broken, or may not be written. The command then ends with a documented
# exit code and an error; a run goes on afterwards, and ends with the bits of an undisturbed one. The same
# with few file descriptors, and with little memory.
library=$3 every=${4:-1}
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"

failures=0 tried=0
# bad TEXT: one finding.
bad() {
  failures=$((failures + 1))
  echo "FAILED: $*" >&2
  sed 's/^/  /' err | tail -n 3 >&2
}
# judge WHAT CODE: the exit code is a documented one, and a failure has its line.
judge() {
  tried=$((tried + 1))
  case $2 in
    0) ;;
    3 | 4 | 5 | 7 | 8 | 9) grep -q '^error: ' err || bad "$1: exit code $2 without a line" ;;
    *) bad "$1: exit code $2" ;;
  esac
}
# writes COMMAND...: how often the command changes a file.
writes() {
  FAIL_COUNT=$work/count LD_PRELOAD=$library "$@" >out 2>err </dev/null
  cat count
}
# with_failure N ERRNO COMMAND...: its exit code, where call N fails.
with_failure() {
  local n=$1 errno=$2
  shift 2
  FAIL_NTH=$n FAIL_ERROR=$errno LD_PRELOAD=$library "$@" >out 2>err </dev/null
  echo $?
}

train="train tiny.yaml attention.selection=hard --report-images 2 --threads 1"
expect 0 "$saccade" $train --out whole
wanted=$(digest whole)
count=$(writes "$saccade" $train --out counted)
for ((n = 1; n <= count + 1; n += every)); do
  errno=$((n % 3 == 0 ? 28 : n % 3 == 1 ? 5 : 13))
  rm -rf run
  judge "train, write $n of $count, error $errno" "$(with_failure $n $errno "$saccade" $train --out run)"
  "$saccade" $train --out run --resume >out 2>err </dev/null || bad "train does not go on after write $n"
  [ "$(digest run)" = "$wanted" ] || bad "after write $n failed, the run has other bits"
done

# What the user had is not lost: the file of before is there as it was, or the new one is whole.
expect 0 "$saccade" train tiny.yaml --out other seed=2
expect 0 "$saccade" convert other before.h5 --half
expect 0 "$saccade" convert whole after.h5 --half
count=$(writes "$saccade" convert whole counted.h5 --half)
for ((n = 1; n <= count + 1; n += every)); do
  cp before.h5 model.h5
  judge "convert, write $n of $count" "$(with_failure $n 28 "$saccade" convert whole model.h5 --half)"
  cmp -s model.h5 before.h5 || cmp -s model.h5 after.h5 || bad "convert, write $n: the model is neither old nor new"
done
for command in "evaluate whole --out said.json" "overlay whole scene.png --out maps" \
  "report whole --out page.html" "data tiny.yaml --out sheets"; do
  [ -f scene.png ] || expect 0 "$saccade" data tiny.yaml --out scenes
  [ -f scene.png ] || cp "$(find scenes -name '*.png' | head -n 1)" scene.png
  count=$(writes "$saccade" $command)
  for ((n = 1; n <= count; n += every)); do
    judge "$command, write $n of $count" "$(with_failure $n 28 "$saccade" $command)"
  done
done

# Few descriptors: with fewer than these, the system does not load the program's libraries.
for files in $(seq 6 $(((every + 3) / 2)) 24); do
  rm -rf run
  (ulimit -n $files && "$saccade" $train --out run) >out 2>err </dev/null
  judge "train with $files files" $?
  "$saccade" $train --out run --resume >out 2>err </dev/null || bad "train does not go on after $files files"
  [ "$(digest run)" = "$wanted" ] || bad "with $files files the run has other bits"
done

# Little memory, at 20 sizes or fewer. With the smallest ones the system does not load the libraries that the program
# needs, or one of them, GnuTLS, ends it before it begins.
for mib in $(seq 100 $((9 * (every + 7) / 8)) 280); do
  for command in "train tiny.yaml --out run --threads 2" "evaluate whole --out said.json" "overlay whole scene.png --out maps"; do
    rm -rf run
    (ulimit -v $((mib * 1024)) && "$saccade" $command) >out 2>err </dev/null
    code=$?
    [ $code -ne 127 ] || continue
    ! grep -q "Error in GnuTLS initialization" err || continue
    judge "$command with $mib MiB" $code
    grep -q "memory" err || [ $code -eq 0 ] || bad "$command with $mib MiB: $(tail -n 1 err)"
    [ "${command%% *}" = train ] || continue
    "$saccade" $command --resume >out 2>err </dev/null || bad "train does not go on after $mib MiB"
  done
done

echo "scarcity $tried inputs, $failures failures"
[ $failures -eq 0 ]
