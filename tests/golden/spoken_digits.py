#!/usr/bin/env python3
"""Makes sequences of spoken digits for configs/digits.yaml, and measures where a model attended to them.

    python spoken_digits.py FOLDER [--train N --val N --test N --seed N]
    python spoken_digits.py FOLDER --captions CAPTIONS.json

Needs espeak-ng and numpy. The first command writes FOLDER/sounds/ID.wav, FOLDER/features/ID.npz with log-mel
`features` [T, 640] and `times` [T] of every sound, those of the test once more in FOLDER/test, the spectrograms
as FOLDER/pictures/ID.png, FOLDER/captions.json in Karpathy's form, and FOLDER/digits.json with the seconds in
which each digit is spoken. espeak-ng speaks each digit by itself; silence of a random length stands between
them, so that their times are known. Sounds of val and test have voices that training lacks.

The second reads what `saccade caption MODEL --features FOLDER/test --json` printed. A word counts where it is
the digit that was spoken at its place. Its map is judged by the share of its weight within the digit's time,
by its frame of the largest weight, and by the distance of its mean time from the middle of the digit.
"""
import argparse
import functools
import json
import struct
import subprocess
import wave
import zlib
from pathlib import Path

import numpy as np

WORDS = "zero one two three four five six seven eight nine".split()
TRAIN_VOICES = ["en+m1", "en+m2", "en+m3", "en+m5", "en+m6", "en+f1", "en+f3", "en+f4", "en-us", "en-us+f5"]
OTHER_VOICES = ["en+m7", "en+f2", "en-us+m4"]
RATE, WINDOW, HOP, MELS = 22050, 552, 441, 40
STACK, STRIDE = 16, 3  # frames of 20 ms in one vector, and from one vector to the next


@functools.lru_cache(None)
def spoken(word, voice, speed, pitch):
    """The samples of a word in [-1, 1], without the silence around it."""
    done = subprocess.run(["espeak-ng", "--stdout", "-v", voice, "-s", str(speed), "-p", str(pitch), word],
                          check=True, capture_output=True)
    samples = np.frombuffer(done.stdout[44:], "<i2").astype(np.float64) / 32768
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    return samples[loud[0]:loud[-1] + 1]


def utterance(random, voices):
    """Digits, samples, and [begin, end) of each digit in seconds."""
    voice, speed, pitch = random.choice(voices), int(random.choice([130, 160, 190])), int(random.choice([30, 50, 70]))
    pause = lambda least, most: np.zeros(int(RATE * random.uniform(least, most)))
    parts, times = [pause(0.2, 0.4)], []
    digits = [WORDS[d] for d in random.integers(0, 10, random.integers(2, 6))]
    for digit in digits:
        begin = sum(map(len, parts)) / RATE
        parts.append(spoken(digit, voice, speed, pitch))
        times.append([begin, sum(map(len, parts)) / RATE])
        parts.append(pause(0.03, 0.25))
    parts.append(pause(0.1, 0.2))
    samples = np.concatenate(parts)
    return digits, 0.8 * samples + random.normal(0, random.uniform(0.0005, 0.005), len(samples)), times


@functools.lru_cache(None)
def mel_filters(size):
    """Triangles [MELS, size / 2 + 1] at equal distances in mel from 80 Hz to 7,600 Hz."""
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    edges = 700 * (10 ** (np.linspace(mel(80), mel(7600), MELS + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(size, 1 / RATE)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rise, fall))


def log_mel(samples, size=1024):
    """[frames, MELS], a frame for every 20 ms."""
    starts = range(0, len(samples) - WINDOW + 1, HOP)
    frames = np.stack([samples[s:s + WINDOW] for s in starts]) * np.hanning(WINDOW)
    return np.log(np.abs(np.fft.rfft(frames, size)) ** 2 @ mel_filters(size).T + 1e-6)


def stacked(mels):
    """The vectors [T, STACK * MELS] and the seconds [T] in the middle of each."""
    starts = range(0, len(mels) - STACK + 1, STRIDE)
    middle = [(s * HOP + ((STACK - 1) * HOP + WINDOW) / 2) / RATE for s in starts]
    return np.stack([mels[s:s + STACK].ravel() for s in starts]), np.array(middle, np.float32)


def write_png(path, rows):
    """A picture [rows, columns] of bytes."""
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data
                                + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 0, 0, 0, 0)
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data))
                     + chunk(b"IEND", b""))


def picture(mels):
    """The spectrogram with low tones below: the part that vectors cover, so that each has an equal share."""
    used = mels[(STACK - STRIDE) // 2:][:STRIDE * ((len(mels) - STACK) // STRIDE + 1)].T[::-1]
    grey = np.clip((used - used.min()) / (np.ptp(used) + 1e-9), 0, 1)
    return np.repeat(np.repeat((255 * grey).astype(np.uint8), 3, 0), 6, 1)


def make(folder, counts, seed):
    random = np.random.default_rng(seed)
    for name in ("sounds", "features", "test", "pictures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    images, known, sounds = [], {}, []
    for split, count in counts.items():
        for i in range(count):
            digits, samples, times = utterance(random, TRAIN_VOICES if split == "train" else OTHER_VOICES)
            name = f"{split}{i:05d}"
            with wave.open(str(folder / "sounds" / f"{name}.wav"), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
            images.append({"filename": f"{name}.wav", "split": split, "imgid": len(images),
                           "sentences": [{"raw": " ".join(digits), "tokens": digits}]})
            known[name] = {"digits": digits, "times": times}
            sounds.append((name, split, log_mel(samples)))
    of_training = np.concatenate([mels for _, split, mels in sounds if split == "train"])
    mean, deviation = of_training.mean(0), of_training.std(0)
    for name, split, mels in sounds:
        features, times = stacked((mels - mean) / deviation)
        for place in ["features"] + ["test"] * (split == "test"):
            np.savez(folder / place / f"{name}.npz", features=features.astype(np.float16), times=times)
        if split == "test":
            write_png(folder / "pictures" / f"{name}.png", picture(mels))
    (folder / "captions.json").write_text(json.dumps({"dataset": "digits", "images": images}))
    (folder / "digits.json").write_text(json.dumps(known))


def measure(folder, captions):
    known = json.loads((folder / "digits.json").read_text())
    right = words = weight = peaks = exact = 0
    distances = []
    for one in captions:
        said, truth = [word["text"] for word in one["words"]], known[Path(one["image"]).stem]
        exact += said == truth["digits"]
        words += len(truth["digits"])
        times = np.array(one["grid"]["times"])
        half = (times[1] - times[0]) / 2
        for word, digit, (begin, end) in zip(one["words"], truth["digits"], truth["times"]):
            if word["text"] != digit:
                continue
            right += 1
            shares = np.array(word["attention"][0][:len(times)])
            inside = (times >= begin - half) & (times <= end + half)
            weight += shares[inside].sum() / shares.sum() if shares.sum() > 0 else 0
            peaks += bool(inside[shares.argmax()]) and shares.max() > 0
            if shares.sum() > 0:
                distances.append(abs((shares * times).sum() / shares.sum() - (begin + end) / 2))
    judged = max(right, 1)
    print(json.dumps({"sounds": len(captions), "exact": round(exact / len(captions), 4),
                      "digits_right": round(right / words, 4), "weight_in_digit": round(weight / judged, 4),
                      "peak_in_digit": round(peaks / judged, 4),
                      "median_distance_s": round(float(np.median(distances or [0])), 4)}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--captions", type=Path)
    for split, count in {"train": 3000, "val": 150, "test": 300}.items():
        parser.add_argument(f"--{split}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.captions:
        measure(args.folder, json.loads(args.captions.read_text()))
    else:
        make(args.folder, {"train": args.train, "val": args.val, "test": args.test}, args.seed)
