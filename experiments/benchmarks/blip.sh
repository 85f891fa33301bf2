#!/usr/bin/env bash
# Compares a published captioner of real size with transformers and PyTorch, in turns:
#   [THREADS="1 2"] bash experiments/benchmarks/blip.sh PYTHON [ROUNDS]
# PYTHON is an interpreter with torch, transformers and Pillow. The captioner is a BLIP base with random weights
# (0.9 GB), made in a temporary folder; both sides caption the same nine pictures greedily with 19 words in f32.
# Prints medians over the rounds (default: 3): seconds until the model is loaded, with starting the program;
# seconds and CPU seconds for each photo behind the first; and the peak memory of one photo and of nine, in MiB.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=${1:?usage: blip.sh PYTHON [ROUNDS]}
ours=$root/build/release/saccade
[ -x "$ours" ] || { echo "$ours is missing; build it with: bash tests/run.sh" >&2; exit 1; }
"$python" -c 'import torch, transformers, PIL' 2>/dev/null ||
  { echo "$python has no torch, transformers or Pillow; name an interpreter that has them" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HF_HUB_OFFLINE=1

cat >make.py <<'PY'
import itertools, json, random, string
import torch, transformers as T
from PIL import Image

torch.manual_seed(0)
config = T.BlipConfig(
    text_config=dict(num_attention_heads=12, encoder_hidden_size=768, vocab_size=30524, bos_token_id=30522,
                     sep_token_id=102, eos_token_id=2, pad_token_id=0),
    vision_config=dict(image_size=384, hidden_size=768, num_attention_heads=12, num_hidden_layers=12,
                       intermediate_size=3072, patch_size=16))
T.BlipForConditionalGeneration(config).save_pretrained("blip")
getattr(T, "BlipImageProcessorPil", T.BlipImageProcessor)().save_pretrained("blip")
words = ["[PAD]", *(f"[unused{i}]" for i in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
words += ["".join(four) for four in itertools.islice(itertools.product(string.ascii_lowercase, repeat=4), 30522 - len(words))]
open("blip/vocab.txt", "w").write("\n".join(words) + "\n")
json.dump({"tokenizer_class": "BertTokenizer", "do_lower_case": True}, open("blip/tokenizer_config.json", "w"))
numbers = random.Random(0)
for i in range(9):
    small = Image.frombytes("RGB", (16, 12), numbers.randbytes(16 * 12 * 3))
    small.resize((640, 480), Image.BICUBIC).save(f"{i}.jpg")
PY

cat >theirs.py <<'PY'
import sys, time
start = time.time()
import torch, transformers as T
from PIL import Image

torch.set_num_threads(int(sys.argv[1]))
model = T.BlipForConditionalGeneration.from_pretrained("blip").eval()
prepare = getattr(T, "BlipImageProcessorPil", T.BlipImageProcessor).from_pretrained("blip")
loaded = time.time() - start
for i, photo in enumerate(sys.argv[2:]):
    if i == 1: wall, cpu = time.time(), time.process_time()
    pixels = prepare(Image.open(photo).convert("RGB"), return_tensors="pt")["pixel_values"]
    with torch.inference_mode(): ids = model.generate(pixel_values=pixels, num_beams=1, max_length=20)
    assert ids.shape[1] >= 20, ids.shape
if len(sys.argv) > 3:
    print(loaded, (time.time() - wall) / (len(sys.argv) - 3), (time.process_time() - cpu) / (len(sys.argv) - 3))
PY

cat >measure.py <<'PY'
import os, statistics, subprocess, sys, time

ours, rounds, threads = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
photos = [f"{i}.jpg" for i in range(9)]

def run(command):
    start = time.time()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status: sys.exit(f"{command[0]} failed")
    return time.time() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out

def saccade(n):
    command = lambda some: [ours, "caption", "blip", *some, "--threads", n, "--mode", "greedy", "--set", "search.max_length=19"]
    one, nine, load = run(command(photos[:1])), run(command(photos)), run([ours, "inspect", "blip", "--threads", n])
    return load[0], (nine[0] - one[0]) / 8, (nine[1] - one[1]) / 8, one[2], nine[2]

def transformers(n):
    command = lambda some: [sys.executable, "theirs.py", n, *some]
    one, nine = run(command(photos[:1])), run(command(photos))
    return *map(float, nine[3].split()), one[2], nine[2]

print("%-13s %7s %7s %8s %8s %9s %10s" % ("", "threads", "load s", "photo s", "CPU s", "MiB of 1", "MiB of 9"))
for n in threads:
    measured = {saccade: [], transformers: []}
    for _ in range(rounds):
        for side, rows in measured.items(): rows.append(side(n))
    for side, rows in measured.items():
        middle = [statistics.median(column) for column in zip(*rows)]
        print("%-13s %7s %7.2f %8.2f %8.2f %9.0f %10.0f" % (side.__name__, n, *middle), flush=True)
PY

"$python" make.py >/dev/null 2>&1 || { echo "$python cannot make the captioner" >&2; exit 1; }
"$python" -c 'import torch, transformers; print("PyTorch", torch.__version__ + ", transformers", transformers.__version__)'
echo "load before: $(cut -d' ' -f1 /proc/loadavg), ${2:-3} rounds in turns"
"$python" measure.py "$ours" "${2:-3}" "${THREADS:-1 2}"
