# precision: what it changes and what it leaves alone, in training and in captions.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

has_bf16() { grep -qw avx512_bf16 /proc/cpuinfo; }

# auto takes what is measured here, says so, and keeps it in the run.
expect 0 "$saccade" train tiny.yaml --out auto precision=auto train.stop=2u
wants "precision auto takes " err
! grep -q "^precision: auto" auto/config.yaml || fail "the run does not say what auto took"
expect 2 "$saccade" compare tiny.yaml --out study precision=auto
one_error "precision auto" "choose f32 or bf16"
expect 2 "$saccade" train tiny.yaml --out wrong precision=fp8
one_error "precision" "auto" "f32" "bf16"

if ! has_bf16; then
  echo "skipped: this processor does not multiply bfloat16 numbers"
  expect 2 "$saccade" train tiny.yaml --out run precision=bf16
  one_error "precision bf16 needs a processor with AVX-512 BF16"
else
  # Narrow products are not rounded, so the model is wider than that of tiny.yaml.
  wide="decoder.hidden=64 decoder.embedding=64 attention.hidden=64 encoder.channels=[16,32,64]"
  # The same bits with any number of threads, and of a run that stopped and went on.
  for attention in soft hard; do
    same_bits $attention $wide precision=bf16 attention.selection=$attention
  done
  # Rounding changes the run, but hardly what it learns.
  expect 0 "$saccade" train tiny.yaml --out f32 $wide
  [ "$(digest f32)" != "$(digest soft)" ] || fail "precision bf16 changed nothing"
  loss() { grep '"event":"update"' "$1/metrics.jsonl" | tail -n 1 | grep -o '"loss":[0-9.]*' | cut -d: -f2; }
  awk -v a="$(loss f32)" -v b="$(loss soft)" 'BEGIN { d = (a - b) / a; exit !(d < 0.05 && d > -0.05) }' ||
    fail "with bf16 the loss is $(loss soft) instead of about $(loss f32)"
  expect 4 "$saccade" train tiny.yaml --out soft $wide precision=f32 train.stop=30u --resume
  wants "precision was bf16, is f32" err
  # A run is evaluated as it was trained, unless it is told otherwise.
  perplexity() {
    expect 0 "$saccade" evaluate soft --json "$@"
    json out /perplexity
  }
  as_trained=$(perplexity)
  [ "$(perplexity --set precision=bf16)" = "$as_trained" ] || fail "a run of bf16 was not evaluated in bf16"
  [ "$(perplexity --set precision=f32)" != "$as_trained" ] || fail "--set precision=f32 changed nothing"
  # Models of both precisions in one process compute alike.
  expect 0 "$saccade" evaluate soft,f32 --json
  wants "all compute in f32" err
fi
