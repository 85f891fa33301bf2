#!/usr/bin/env python3
"""Writes tests/golden/features: features of three photos in the forms in which others publish them.

    python make_features.py [FOLDER]

Needs numpy, h5py, torch and safetensors. The numbers are random with fixed seeds; D is 4. The forms
are those of bottom-up attention, VinVL, ImageCaptioning.pytorch, xmodaler, meshed-memory, DLCT, GRIT
and CLIP-ViL, and what numpy can write. expected.safetensors has what a reader must find:
ID.features, ID.boxes (x1, y1, x2, y2 as shares of the photo), ID.size (width, height), ID.grid [3, 3, D]
and ID.wide [2, 5, D].
"""
import base64
import json
import struct
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np
import torch
from safetensors.numpy import save_file

D = 4
PHOTOS = {7: (40, 30, 2), 31: (24, 36, 4), 120: (50, 50, 3)}  # number: width, height, regions


def name_of(number):
    return f"COCO_val2014_{number:012d}"


def regions(number):
    """Features [n, D], and boxes in pixels and in shares of the photo."""
    width, height, count = PHOTOS[number]
    rng = np.random.RandomState(number)
    near = rng.uniform(0, 0.55, (count, 2))
    shares = np.concatenate([near, near + rng.uniform(0.15, 0.44, (count, 2))], 1)
    features = rng.standard_normal((count, D)).astype(np.float32)
    return features, (shares * [width, height, width, height]).astype(np.float32), shares.astype(np.float32)


def grid(number, rows, cols):
    return np.random.RandomState(1000 + number).standard_normal((rows, cols, D)).astype(np.float32)


def coded(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def lines(path, rows, end, index=False):
    data = [("\t".join(str(field) for field in row) + end).encode() for row in rows]
    path.write_bytes(b"".join(data))
    if index:
        starts = np.cumsum([0] + [len(line) for line in data])[:-1]
        path.with_suffix(".lineidx").write_text("".join(f"{start}\n" for start in starts))


def folder(path):
    path.mkdir(parents=True, exist_ok=True)
    return path


def tables(root):
    folder(root)
    plain, objects, pairs, vinvl, found, sizes = [], [], [], [], [], []
    for number, (width, height, count) in PHOTOS.items():
        features, pixels, shares = regions(number)
        plain.append([number, width, height, count, coded(pixels), coded(features)])
        ids, shared = coded(np.zeros(count, np.int64)), coded(np.ones(count, np.float32))
        objects.append([name_of(number), height, width, ids, shared, ids, shared, count, coded(pixels), coded(features)])
        wide = np.concatenate([features, shares, shares[:, 2:] - shares[:, :2]], 1).astype(np.float32)
        vinvl.append([number, count, coded(wide)])
        pairs.append([number, json.dumps({"num_boxes": count, "features": coded(wide)})])
        found.append([number, json.dumps({"objects": [{"rect": [float(v) for v in box], "class": "thing", "conf": 0.5, "feature": coded(one)}
                                                      for box, one in zip(pixels, features)]})])
        sizes.append([number, json.dumps([{"height": height, "width": width}])])
    lines(root / "bottom-up.tsv", plain, "\r\n")
    lines(root / "objects.tsv", objects, "\r\n")
    lines(root / "vinvl.tsv", vinvl, "\n", index=True)
    lines(root / "vinvl.feature.tsv", pairs, "\n", index=True)
    lines(root / "predictions.tsv", found, "\n", index=True)
    lines(root / "photos.hw.tsv", sizes, "\n")


def folders(root):
    att, fc, box, one = (folder(root / part) for part in ("bu_att", "bu_fc", "bu_box", "all_in_one_file"))
    for number, (width, height, count) in PHOTOS.items():
        features, pixels, _ = regions(number)
        key = "z" if number == 31 else "feat"
        np.savez_compressed(att / str(number), **{key: features})
        np.save(fc / str(number), features.mean(0))
        np.save(box / str(number), pixels)
        np.savez(one / str(number), image_id=number, image_h=[height], image_w=[width], num_boxes=[count], boxes=pixels, features=features)
    tokens, wide, first, tensors, safe = (folder(root / part) for part in ("tokens", "wide", "channels_first", "torch", "safe"))
    for number in PHOTOS:
        cells = grid(number, 3, 3)
        np.save(tokens / f"{number}.npy", np.concatenate([np.full((1, D), 0.5, np.float32), cells.reshape(9, D)]).astype(np.float16))
        np.save(wide / f"{name_of(number)}.npy", grid(number, 2, 5)[None])
        np.save(first / f"{number}.npy", cells.transpose(2, 0, 1))
        torch.save(torch.from_numpy(grid(number, 2, 5)).permute(2, 0, 1)[None].contiguous(), tensors / f"{number}.pth")
        save_file({"features": regions(number)[0], "boxes": regions(number)[2]}, safe / f"{number}.safetensors")
    orders = folder(root / "orders")  # one photo each, in the orders of bytes and axes that numpy has
    np.save(orders / "7.npy", np.asfortranarray(grid(7, 3, 3).reshape(9, D)))
    np.save(orders / "31.npy", grid(31, 3, 3).astype(">f4"))
    np.save(orders / "120.npy", grid(120, 3, 3).astype(np.float64))
    stack = folder(root / "stack")
    np.save(stack / "features.npy", np.stack([grid(number, 3, 3).reshape(9, D) for number in PHOTOS]))
    (stack / "ids.json").write_text(json.dumps([name_of(number) + ".jpg" for number in PHOTOS]))


def files(root):
    folder(root)
    with h5py.File(root / "detections.hdf5", "w") as file:
        for number in PHOTOS:
            features, pixels, _ = regions(number)
            file[f"{number}_features"], file[f"{number}_boxes"] = features, pixels
    with h5py.File(root / "aligned.hdf5", "w") as file:  # boxes of a picture three times as large
        for number, (width, height, _) in PHOTOS.items():
            features, pixels, _ = regions(number)
            file[f"{number}_features"], file[f"{number}_boxes"] = features, pixels * 3
            file[f"{number}_size"] = np.array([[3 * height, 3 * width]])
            file[f"{number}_grids"] = grid(number, 3, 3).reshape(9, D)
    with h5py.File(root / "by_name.h5", "w") as file:
        for number in PHOTOS:
            file.create_dataset(str(number), data=grid(number, 3, 3), compression="gzip", chunks=(3, 3, D))
    with h5py.File(root / "stacked.h5", "w") as file:
        most = max(count for _, _, count in PHOTOS.values())
        features, mask = np.zeros((len(PHOTOS), most, D), np.float32), np.ones((len(PHOTOS), 1, 1, most), bool)
        for row, number in enumerate(PHOTOS):
            own = regions(number)[0]
            features[row, : len(own)], mask[row, 0, 0, : len(own)] = own, False
        file["image_ids"], file["reg_feat"], file["reg_mask"] = np.array(list(PHOTOS)), features, mask
        file["gri_feat"] = np.stack([grid(number, 3, 3).reshape(9, D) for number in PHOTOS])
    torch.save({name_of(number) + ".jpg": torch.from_numpy(grid(number, 1, 1).reshape(D)) for number in PHOTOS}, root / "vectors.pth")


def bad(root):
    folder(root)
    np.save(root / "whole.npy", grid(7, 3, 3))
    whole = (root / "whole.npy").read_bytes()
    (root / "whole.npy").unlink()
    (root / "cut.npy").write_bytes(whole[:-50])
    np.save(root / "object.npy", np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    holes = grid(7, 3, 3)
    holes[1, 2, 0] = np.nan
    np.save(root / "nan.npy", holes)
    features, pixels, _ = regions(7)
    lines(root / "wrong-count.tsv", [[7, 40, 30, 5, coded(pixels), coded(features)]], "\r\n")
    lines(root / "bad-base64.tsv", [[7, 40, 30, 2, coded(pixels)[:-3], coded(features)]], "\r\n")
    lines(root / "five-fields.tsv", [[7, 40, 30, 2, coded(pixels)]], "\r\n")
    lines(root / "stale.tsv", [[1, "{}"], [22, "{}"]], "\n")
    (root / "stale.lineidx").write_text("0\n3\n")
    with h5py.File(root / "external.h5", "w") as file:  # as another file's bytes would be features
        file.create_dataset("7_features", (2, 4), "<f4", external=[("nan.npy", 128, 32)])
    source = h5py.VirtualSource("nan.npy", "x", (2, 4))
    layout = h5py.VirtualLayout((2, 4), "<f4")
    layout[:] = source
    with h5py.File(root / "virtual.h5", "w") as file:
        file.create_virtual_dataset("7_features", layout)


def picture(path, width, height, seed):
    """A PNG of blurred noise."""
    rng = np.random.RandomState(seed)
    rows = np.repeat(np.repeat(rng.randint(40, 215, (height // 6 + 1, width // 6 + 1, 3)), 6, 0), 6, 1)[:height, :width].astype(np.uint8)
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def data_set(root):
    """The photos with captions (Karpathy's form) and boxes of things (COCO's form)."""
    folder(root / "photos")
    images, things, sizes = [], [], []
    for split, (number, (width, height, _)) in zip(("train", "val", "test"), PHOTOS.items()):
        name = name_of(number) + ".png"
        picture(root / "photos" / name, width, height, number)
        texts = ["a cat on a red mat", "a dog sees the cat"]
        images.append({"filename": name, "cocoid": number, "split": split,
                       "sentences": [{"raw": text, "tokens": text.split()} for text in texts]})
        sizes.append({"id": number, "file_name": name, "width": width, "height": height})
        for row, (x1, y1, x2, y2) in enumerate(regions(number)[1][:2].tolist()):
            things.append({"id": 10 * number + row, "image_id": number, "category_id": 1 + row, "bbox": [x1, y1, x2 - x1, y2 - y1], "iscrowd": 0})
    (root / "captions.json").write_text(json.dumps({"dataset": "coco", "images": images}))
    (root / "boxes.json").write_text(json.dumps({"images": sizes, "annotations": things,
                                                 "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]}))


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent) / "features"
    tables(root / "tables")
    folders(root / "folders")
    files(root / "files")
    bad(root / "bad")
    data_set(root)
    arrays = {}
    for number, (width, height, _) in PHOTOS.items():
        features, _, shares = regions(number)
        arrays.update({f"{number}.features": features, f"{number}.boxes": shares, f"{number}.grid": grid(number, 3, 3),
                       f"{number}.wide": grid(number, 2, 5), f"{number}.size": np.array([width, height], np.float32)})
    save_file(arrays, root / "expected.safetensors")


if __name__ == "__main__":
    main()
