"""Writes onnx/: tiny networks as torch.onnx exports them, with an input and what ONNX Runtime makes of
it, to which torch_onnx_test.cpp compares.

    python3 make_onnx.py        needs torch, torchvision, transformers 5, timm, onnx, onnxscript, onnxruntime

Weights are random, from fixed seeds, and away from where they start. Every network ends in a grid,
the output `grid` [1, features, rows, columns]. Both exporters write them: `dynamo`, whose weights lie
in a file of their own from opset 23 on, and the older one.
"""
import logging
import os
import shutil
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import numpy as np
import onnx
import onnxruntime
import timm
import torch
import torchvision
import transformers as T

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parent / "onnx"
VIT = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, image_size=16, patch_size=4)
FORMS = {
    "dynamo18": dict(dynamo=True, opset_version=18, external_data=False), "dynamo23": dict(dynamo=True, opset_version=23, external_data=True),
    "older17": dict(dynamo=False, opset_version=17), "older11": dict(dynamo=False, opset_version=11),
}


class Grid(torch.nn.Module):
    """A network whose tokens become a grid; those without a place come first."""

    def __init__(self, network, features, tokens):
        super().__init__()
        self.network, self.features, self.tokens = network, features, tokens

    def forward(self, x):
        y = self.features(self.network, x)
        if y.ndim == 3:
            y = y[:, y.shape[1] - self.tokens[0] * self.tokens[1] :].transpose(1, 2).reshape(1, -1, *self.tokens)
        return y


class Mobile(torch.nn.Module):
    """The parts of MobileNetV3 and EfficientNet: depthwise kernels, squeeze and excitation, hard and smooth activations."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.ZeroPad2d((0, 1, 0, 1)), torch.nn.Conv2d(3, 8, 3, 2), torch.nn.BatchNorm2d(8), torch.nn.Hardswish())
        self.blocks = torch.nn.Sequential(
            torchvision.ops.misc.Conv2dNormActivation(8, 8, 3, groups=8, activation_layer=torch.nn.SiLU),
            torchvision.ops.SqueezeExcitation(8, 4, activation=torch.nn.ReLU, scale_activation=torch.nn.Hardsigmoid),
            torch.nn.Conv2d(8, 12, 1),
            torchvision.ops.SqueezeExcitation(12, 4, activation=torch.nn.SiLU),
            torch.nn.MaxPool2d(2),
            torch.nn.ReLU6(),
        )

    def forward(self, x):
        return self.blocks(self.stem(x))


def restart(network, seed):
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for value in network.parameters():
            noise = torch.randn(value.shape, generator=draw)
            value.copy_(1 + 0.2 * noise if value.ndim == 1 and float(value.mean()) == 1 else 0.1 * noise if value.ndim == 1 else noise / max(value[0].numel(), 1) ** 0.5)
        for name, value in network.named_buffers():
            if name.endswith("running_var"):
                value.copy_(0.5 + torch.rand(value.shape, generator=draw))
            if name.endswith("running_mean"):
                value.copy_(0.1 * torch.randn(value.shape, generator=draw))


def strip(file):
    """Leaves out what the exporters say of the code, with the places where it lay."""
    model = onnx.load(file, load_external_data=False)
    graph = model.graph
    for part in [model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer]:
        part.ClearField("doc_string")
        if hasattr(part, "metadata_props"):
            del part.metadata_props[:]
    del graph.value_info[:]
    onnx.save(model, file)


def networks():
    last = lambda network, x: network(pixel_values=x).last_hidden_state
    features = lambda network, x: network.forward_features(x)
    yield "vit dynamo18 dynamo23 older17 older11", T.ViTModel(T.ViTConfig(**VIT), add_pooling_layer=False), last, 16, (4, 4)
    yield "clip dynamo23 older11", T.CLIPVisionModel(T.CLIPVisionConfig(**VIT)), last, 16, (4, 4)
    yield "siglip dynamo23 older17", T.SiglipVisionModel(T.SiglipVisionConfig(**VIT, vision_use_head=False)), last, 16, (4, 4)
    yield "dinov2 older17", T.Dinov2Model(T.Dinov2Config(hidden_size=12, num_hidden_layers=1, num_attention_heads=2, mlp_ratio=2, image_size=20, patch_size=4)), last, 16, (4, 4)
    yield "dinov2-timm dynamo18", timm.create_model("vit_small_patch14_reg4_dinov2", img_size=16, patch_size=4, embed_dim=12, depth=1, num_heads=2, num_classes=0), features, 16, (4, 4)
    yield "convnextv2 dynamo18 older11", T.ConvNextV2Model(T.ConvNextV2Config(hidden_sizes=[4, 8, 8, 12], depths=[1, 1, 1, 1])), last, 32, None
    yield "mobile dynamo18 older17", Mobile(), lambda network, x: network(x), 32, None
    yield "swin dynamo18 older11", torchvision.models.SwinTransformer(patch_size=[4, 4], embed_dim=8, depths=[2], num_heads=[2], window_size=[4, 4]).features, lambda network, x: network(x).permute(0, 3, 1, 2), 40, None
    yield "swin-windows dynamo23", T.SwinModel(T.SwinConfig(image_size=32, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4), add_pooling_layer=False), last, 32, (4, 4)


def main():
    if ROOT.exists():
        shutil.rmtree(ROOT)
    ROOT.mkdir()
    for seed, (names, network, features, side, tokens) in enumerate(networks()):
        name, *forms = names.split()
        restart(network, seed)
        grid = Grid(network.eval(), features, tokens).eval()
        x = torch.randn((1, 3, side, side), generator=torch.Generator().manual_seed(seed))
        for form in forms:
            if isinstance(network, (T.ViTModel, T.CLIPVisionModel, T.SiglipVisionModel, T.Dinov2Model, T.SwinModel)):
                network.set_attn_implementation("eager" if form.startswith("older") else "sdpa")
            file = ROOT / f"{name}-{form}.onnx"
            with torch.no_grad():
                torch.onnx.export(grid, (x,), str(file), input_names=["x"], output_names=["grid"], verbose=False, **FORMS[form])
            strip(file)
            y = onnxruntime.InferenceSession(str(file)).run(None, {"x": x.numpy()})[0]
            np.savez(file.with_suffix(".npz"), x=x.numpy(), y=y)


main()
