"""The small CNN, the vision transformer, both together, and refinements: from pixels [H, W, 3] or from
regions [L, D] to regions [L, D]."""
import math

import torch
import torch.nn.functional as F

from formula_models import tensor  # noqa: F401  (sets double precision)
from formula_transformer import below, layer_norm, position_network, residual, self_attention, sinusoids


def positions(w, x, kind, rows, cols):
    D = x.shape[1]
    cell = torch.arange(rows * cols)
    row, col = (cell // cols).double(), (cell % cols).double()
    if kind == "coordinates":
        scaled = [2 * place / (count - 1) - 1 if count > 1 else place for place, count in ((row, rows), (col, cols))]
        return torch.cat([x, torch.stack(scaled, 1)], 1)
    if kind == "learned":
        return x + w("table", rows * cols, D)
    if kind == "sinusoidal_2d":
        return x + torch.cat([sinusoids(row, D - D // 2), sinusoids(col, D // 2)], 1)
    if kind == "sinusoidal":
        # Four channels for each wavelength; these are a geometric series from 2 pi to 20,000 pi.
        waves = D // 4
        table = torch.zeros(rows * cols, D)
        for i in range(waves):
            frequency = 10000 ** (-i / max(1, waves - 1))
            for c, (place, wave) in enumerate(((row, torch.sin), (row, torch.cos), (col, torch.sin), (col, torch.cos))):
                table[:, 4 * i + c] = wave(frequency * place)
        return x + table
    return x


def cnn(w, pixels, channels):
    """Convolutions of 3 x 3, the first three with stride 2, group norms of gcd(channels, 8) groups, relu.
    The third pads only behind where both sides are even. -> [H, W, C]."""
    x = pixels.permute(2, 0, 1)[None]
    for i, out in enumerate(channels):
        stage = below(w, f"stage{i + 1}")
        kernel = stage("conv.weight", 3, 3, x.shape[1], out).permute(3, 2, 0, 1)
        behind = i == 2 and x.shape[2] % 2 == 0 and x.shape[3] % 2 == 0
        x = F.conv2d(F.pad(x, (0, 1, 0, 1) if behind else (1, 1, 1, 1)), kernel, stride=2 if i < 3 else 1)
        x = F.relu(F.group_norm(x, math.gcd(out, 8), stage("norm.gain", out), stage("norm.shift", out), 1e-5))
    return x[0].permute(1, 2, 0)


def neighbours(x, kind, rows, cols, nearest, placeless):
    """Which positions a graph joins, [P + L, P + L]."""
    n = len(x)
    i = torch.arange(n)
    if kind in ("four", "eight"):
        free = i < placeless
        row, col = (i - placeless) // cols, (i - placeless) % cols
        apart = abs(row[:, None] - row), abs(col[:, None] - col)
        near = (apart[0] + apart[1] if kind == "four" else torch.maximum(*apart)) <= 1
        return near | free[:, None] | free
    # With these two, tokens without a place are positions as all others.
    if kind == "cosine":
        far = -F.cosine_similarity(x[:, None], x[None], -1)
    else:
        far = ((x[:, None] - x[None]) ** 2).sum(-1)
    far = far.detach().fill_diagonal_(-math.inf)  # a position always reads itself
    return torch.zeros(n, n, dtype=torch.bool).scatter(1, far.argsort(1)[:, :nearest + 1], True)


def block(w, x, o, layer, rows, cols, activation, epsilon, placeless=0):
    """One block: attention among the positions, then a network at each of them."""
    i = torch.arange(len(x))
    kind, heads = o["type"], o["heads"]

    def attend(v):
        seen = torch.ones(len(x), len(x), dtype=torch.bool)
        if kind == "window":
            everywhere = i < placeless + o["globals"]
            seen = (abs(i[:, None] - i) <= o["radius"]) | everywhere[:, None] | everywhere
        if kind == "graph":
            seen = neighbours(v, o["neighbours"], rows, cols, o["nearest"], placeless)
        cell = i - placeless
        places = [(cell % cols + 0.5) / cols, (cell // cols + 0.5) / rows]
        boxes = torch.stack([*places, *(torch.full((len(x),), 1.0 / side) for side in (cols, rows))], 1).double()
        return self_attention(below(w, "attention"), v, kind, heads, seen, layer, boxes=boxes)

    x = residual(below(w, "attention_norm"), x, o["norm"], attend, epsilon)
    return residual(below(w, "dense_norm"), x, o["norm"], lambda v: position_network(w, v, 2, activation), epsilon)


OPTIONS = {"type": "self_attention", "heads": 2, "norm": "pre", "radius": 2, "globals": 1, "neighbours": "eight",
           "nearest": 3}


def refine(w, x, rows, cols, options):
    for layer in range(2):
        x = block(below(w, str(layer)), x, {**OPTIONS, **options}, layer, rows, cols, F.relu, 1e-5)
    return x


def vit(w, pixels, width, patch, kind, class_token, registers, overlap=0, stem=None, **options):
    """-> regions [L, D], the class token [D] or None."""
    o = {**OPTIONS, **options}
    x = pixels if stem is None else cnn(below(w, "stem"), pixels, stem)
    side = patch + 2 * overlap
    kernel = w("embedding.patch.weight", side, side, x.shape[2], width).permute(3, 2, 0, 1)
    x = F.conv2d(x.permute(2, 0, 1)[None], kernel, w("embedding.patch.bias", width), patch, overlap)[0]
    rows, cols = x.shape[1:]
    x = positions(below(w, "embedding.positions"), x.flatten(1).T, kind, rows, cols)
    placeless = int(class_token) + registers
    if placeless:
        x = torch.cat([w("embedding.tokens", placeless, width), x])
    for layer in range(2):
        x = block(below(w, f"block{layer + 1}"), x, o, layer, rows, cols, F.gelu, 1e-6, placeless)
    if o["norm"] == "pre":
        x = layer_norm(below(w, "norm"), x, 1e-6)
    return x[placeless:], x[0] if class_token else None
