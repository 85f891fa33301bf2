# The page in the directory of a run follows the training, and no longer looks for news when it has ended.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

state() { grep -o '"training":{"state":"[a-z]*"' "$1/report.html" | cut -d'"' -f6; }

# start RUN OPTIONS...: trains in the background and returns after the first validation.
start() {
  local run=$1
  shift
  "$saccade" train tiny.yaml --out "$run" train.stop=100000u train.checkpoint_every=100000u \
    train.validate_every=20u "$@" >out 2>err &
  pid=$!
  until_true grep -qs '"event":"checkpoint"' "$run/metrics.jsonl"
}

start run
[ "$(state run)" = training ] || fail "the page does not say that the run trains"
wants '"images":[{' run/report.html
stop INT 130
[ "$(state run)" = stopped ] || fail "the page does not say that the run was stopped"
wants '"at":"epoch ' run/report.html
wants '"updates":{"' run/report.html # there is a curve

expect 0 "$saccade" train tiny.yaml --out whole
[ -s whole/report.html ] || fail "there is no report"
[ -z "$(state whole)" ] || fail "the finished report is one of a training"
digest whole >with

start bare --report-images 0
stop INT 130
[ ! -e bare/report.html ] || fail "--report-images 0 wrote a page"
expect 0 "$saccade" train tiny.yaml --out none --report-images 0
[ "$(digest none)" = "$(cat with)" ] || fail "the page changes the result of the training"

# A page that cannot be written ends no training, and is warned of once.
expect 0 "$saccade" train tiny.yaml --out lost train.stop=12u --report-images 0
mkdir lost/report.html
expect 0 "$saccade" train tiny.yaml --out lost --resume
[ "$(grep -c 'the page of the training was not written' err)" -eq 1 ] ||
  fail "there is not one warning of the page"
[ "$(digest lost)" = "$(cat with)" ] || fail "the run did not go on"

# Nor does a page of the user's own, which stays.
expect 0 "$saccade" train tiny.yaml --out foreign train.stop=12u --report-images 0
echo own >foreign/report.html
expect 0 "$saccade" train tiny.yaml --out foreign --resume
wants "report.html: exists and is no page of saccade's" err
[ "$(cat foreign/report.html)" = own ] || fail "a page of the user's was replaced"
exit 0
