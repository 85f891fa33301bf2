"""Writes torch.safetensors, with which the tests of this folder compare networks and cells of saccade.

    python3 make_golden.py        needs torch 1.13 and torchvision 0.14 or later, and a minute

Weights, inputs and cotangents come from a formula that the test computes too (`numbers` in
golden_arrays.py), so that only results are kept: of each network a sample of the output and, for
every parameter, the size of its gradient and a sample of it. Everything is computed in double
precision.
"""
import numpy as np
import torch
import torchvision

from golden_arrays import keep, numbers, sample, size, tensor, write

SAMPLES = 16  # of a gradient
OUTPUTS = 512  # of a network's output


def weight(name, shape):
    """A weight: scaled by its inputs (He et al. 2015) if it has two axes or more."""
    unit = numbers(name, shape)
    if len(shape) > 1:
        return tensor(unit * np.sqrt(24.0 / np.prod(shape[1:])))
    if name.endswith("running_mean"):
        return tensor(unit * 0.2)
    if name.endswith("running_var"):
        return tensor(1.0 + unit)
    if name.endswith("bias"):
        return tensor(unit * 0.2)
    return tensor(0.75 + 0.5 * unit)  # the gain of a normalisation


def give_weights(module, prefix=""):
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if not name.endswith("num_batches_tracked"):
                value.copy_(weight(prefix + name, tuple(value.shape)))
    return module


def keep_network(name, network, height, width, image="pixels"):
    """A network from pixels [2, 3, height, width], numbers named `image`, to features
    [2, C, rows, cols]."""
    network = give_weights(network.double()).eval()
    pixels = tensor(4 * numbers(image, (2, 3, height, width))).requires_grad_()
    output = network(pixels)
    output.backward(tensor(numbers("cotangent", tuple(output.shape))))
    keep(f"{name}/output", sample(output, OUTPUTS))
    keep(f"{name}/output_size", [size(output)])
    keep(f"{name}/pixels", sample(pixels.grad, OUTPUTS))
    keep(f"{name}/pixels_size", [size(pixels.grad)])
    parameters = sorted(network.named_parameters())
    keep(f"{name}/gradients", [sample(p.grad, SAMPLES) for _, p in parameters])
    keep(f"{name}/gradient_sizes", [size(p.grad) for _, p in parameters])


def keep_module(name, module, inputs, run):
    """A small module: whole outputs, and their gradients under a cotangent. run(inputs) gives a list
    of outputs."""
    give_weights(module.double(), name + ".").eval()
    inputs = {k: tensor(2 * numbers(f"{name}/{k}", s)).requires_grad_() for k, s in inputs.items()}
    outputs = run(**inputs)
    loss = 0
    for i, output in enumerate(outputs):
        keep(f"{name}/output{i}", output)
        loss = loss + (output * tensor(numbers(f"{name}/cotangent{i}", tuple(output.shape)))).sum()
    loss.backward()
    for k, v in inputs.items():
        keep(f"{name}/gradient/{k}", v.grad)
    for k, v in module.named_parameters():
        keep(f"{name}/gradient/{k}", v.grad)


class Stages(torch.nn.Module):
    """A residual network without its pool and classifier."""

    def __init__(self, network):
        super().__init__()
        for name, child in network.named_children():
            if name not in ("avgpool", "fc"):
                setattr(self, name, child)

    def forward(self, x):
        for child in self.children():
            x = child(x)
        return x


class Features(torch.nn.Module):
    """The first entries of a network's list of features."""

    def __init__(self, network, count=None):
        super().__init__()
        self.features = network.features[:count]

    def forward(self, x):
        return self.features(x)


class Attention(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.proj = torch.nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(x).reshape(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        weights = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).softmax(-1)
        return self.proj((weights @ value).transpose(1, 2).reshape(batch, tokens, width))


class Mlp(torch.nn.Module):
    def __init__(self, width, multiple):
        super().__init__()
        self.fc1 = torch.nn.Linear(width, multiple * width)
        self.fc2 = torch.nn.Linear(multiple * width, width)

    def forward(self, x):
        return self.fc2(torch.nn.functional.gelu(self.fc1(x)))


class Block(torch.nn.Module):
    def __init__(self, width, heads, multiple):
        super().__init__()
        self.norm1 = torch.nn.LayerNorm(width, 1e-6)
        self.attn = Attention(width, heads)
        self.norm2 = torch.nn.LayerNorm(width, 1e-6)
        self.mlp = Mlp(width, multiple)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchEmbedding(torch.nn.Module):
    def __init__(self, width, patch):
        super().__init__()
        self.proj = torch.nn.Conv2d(3, width, patch, patch)

    def forward(self, pixels):
        return self.proj(pixels).flatten(2).transpose(1, 2)


class Vit(torch.nn.Module):
    """A vision transformer by timm's names, of 2 blocks, up to the patches' normalised tokens."""

    def __init__(self, patches, width=12, heads=3, multiple=2, patch=4):
        super().__init__()
        parameter = lambda *shape: torch.nn.Parameter(torch.zeros(shape))
        self.cls_token = parameter(1, 1, width)
        self.pos_embed = parameter(1, patches + 1, width)
        self.patch_embed = PatchEmbedding(width, patch)
        self.blocks = torch.nn.Sequential(*[Block(width, heads, multiple) for _ in range(2)])
        self.norm = torch.nn.LayerNorm(width, 1e-6)

    def forward(self, pixels):
        x = self.patch_embed(pixels)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.pos_embed
        return self.norm(self.blocks(x))[:, 1:]


def keep_vit():
    vit = Vit(6)
    keep_module("vit", vit, {"pixels": (2, 3, 8, 12)}, lambda pixels: [vit(pixels)])


def main():
    torch.set_num_threads(1)
    models = torchvision.models
    keep_network("resnet18", Stages(models.resnet18()), 64, 96)
    keep_network("resnet50", Stages(models.resnet50()), 64, 96)
    # Without the last pool. Of twelve images that whose sums and windows stay furthest from a kink
    # or a tie: 3e-6 of a typical number. Rounding decides nearer ones, and so the gradients.
    keep_network("vgg16", Features(models.vgg16(), -1), 32, 32, "pixels11")
    keep_network("mobilenet_v2", Features(models.mobilenet_v2()), 64, 96)
    keep_network("mobilenet_v2_05", Features(models.mobilenet_v2(width_mult=0.5)), 70, 51)

    lstm = torch.nn.LSTMCell(5, 4)
    keep_module("lstm", lstm, {"x": (3, 5), "h": (3, 4), "c": (3, 4)},
                lambda x, h, c: lstm(x, (h, c)))
    gru = torch.nn.GRUCell(5, 4)
    keep_module("gru", gru, {"x": (3, 5), "h": (3, 4)}, lambda x, h: [gru(x, h)])
    keep_vit()

    write("torch.safetensors")


main()
