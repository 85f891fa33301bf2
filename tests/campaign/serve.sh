# serve.sh SACCADE JSON_VALUE CAMPAIGN_SERVE SECONDS [SEED]: clients of all kinds ask a server at once
# (serve_load.cpp). Afterwards it still captions, and a signal ends it within two seconds.
load=$3 seconds=$4 seed=${5:-1}
. "$(dirname "${BASH_SOURCE[0]}")/../cli/support.sh"
expect 0 "$saccade" train tiny.yaml --out run train.stop=2u train.validate_every=2u --report-images 0
expect 0 "$saccade" overlay run --count 1 --out pictures
mkdir tmp
TMPDIR=$work/tmp "$saccade" serve run --port 0 >address 2>messages </dev/null &
pid=$!
until_true [ -s address ]
port=$(grep -o '[0-9]*/$' address | tr -d /)
[ -n "$port" ] || fail "the server printed no address"
expect 0 "$load" "$port" $pid "$(ls pictures/*.png | head -n 1)" "$seconds" "$seed"
cat out
kill -0 $pid 2>/dev/null || fail "the server has ended"
begin=$(date +%s%N)
stop TERM 143
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -le 2000 ] || fail "the server took $took ms to end"
[ -z "$(ls tmp)" ] || fail "files are left behind: $(ls tmp)"
