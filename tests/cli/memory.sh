# Under a limit of memory a command does its work, or ends with exit code 9 and one line. It never hangs,
# crashes, or calls a file damaged that is not. The program itself needs about 190 MB of address space.
models=shipped
photos=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../experiments/photos" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

if ! (ulimit -v 4000000 && "$saccade" --version >out 2>err); then
  echo "SKIPPED: this build does not run within 4 GB of address space (sanitizers reserve more)"
  exit 77
fi

# limited KILOBYTES COMMAND...: prints the exit code. 127: not even the libraries could be loaded.
limited() (
  ulimit -v "$1"
  shift
  timeout 60 "$@" >out 2>err </dev/null
  echo $?
)

ended=0 finished=0
# sweep COMMAND...: runs the command with less and less memory.
sweep() {
  local limit code
  for limit in 900000 500000 450000 420000 390000 370000 350000 330000 310000 290000 270000 250000 230000 210000 \
    200000 190000 180000; do
    rm -rf run
    code=$(limited $limit "$@")
    case $code in
      0) finished=$((finished + 1)) ;;
      9)
        [ "$(grep -c '^error: ' err)" -eq 1 ] || fail "no line, or several, with $limit kB: $*"
        ended=$((ended + 1))
        ;;
      127) grep -q "shared object" err || fail "exit code 127 with $limit kB: $*" ;;
      *) fail "exit code $code with $limit kB: $*" ;;
    esac
  done
}

sweep "$saccade" caption soft "$photos/dogs.jpg"
sweep "$saccade" caption soft "$photos/dogs.jpg" --threads 8
# Threads that run out at once say it once.
for _ in $(seq 12); do
  code=$(limited 500000 "$saccade" caption soft "$photos/dogs.jpg" --threads 8)
  [ $code -ne 9 ] || [ "$(grep -c '^error: ' err)" -eq 1 ] || fail "several lines: $(cat err)"
done
sweep "$saccade" train tiny.yaml --out run --report-images 0 --threads 4
sweep "$saccade" inspect soft
[ $ended -gt 3 ] || fail "no limit was small enough"
[ $finished -gt 3 ] || fail "no limit was large enough"

# Threads that the system does not start are told alike.
expect 9 bash -c "ulimit -v 600000; exec '$saccade' caption soft '$photos/dogs.jpg' --threads 200"
one_error "the system starts no more than" "--threads 1"
exit 0
