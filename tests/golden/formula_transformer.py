"""The transformer: its decoder (Vaswani et al. 2017; norms before the layers: Xiong et al. 2020), and the
attentions among the positions of a block."""
import math

import torch
import torch.nn.functional as F

from formula_models import BOS, EOS, Attention


def layer_norm(w, x, epsilon=1e-5):
    width = x.shape[-1]
    return F.layer_norm(x, (width,), w("gain", width), w("shift", width), epsilon)


def dense(w, x, out):
    return x @ w("weight", x.shape[-1], out) + w("bias", out)


def below(w, prefix):
    return lambda name, *shape: w(f"{prefix}.{name}", *shape)


def sinusoids(positions, width):
    """Vaswani et al. 2017, section 3.5."""
    out = torch.zeros(len(positions), width)
    for c in range(width):
        angle = positions / 10000 ** (2 * (c // 2) / width)
        out[:, c] = torch.cos(angle) if c % 2 else torch.sin(angle)
    return out


def by_heads(x, heads):
    return x.reshape(len(x), heads, -1).transpose(0, 1)  # [H, T, d]


def joined(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def relative_geometry(boxes):
    """Herdade et al. 2019, section 3.2, of boxes [T, 4] (centre, width, height): -> [T, T, 64]."""
    x, y, width, height = (side[:, None] for side in boxes.T)
    away = lambda place, side: torch.log(((place - place.T).abs() / side).clamp(min=1e-3))
    places = torch.stack([away(x, width), away(y, height), torch.log(width.T / width), torch.log(height.T / height)], -1)
    angles = 100 * places[..., None] / 1000 ** (torch.arange(8) / 8)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(2)


def self_attention(w, x, kind, heads, seen, layer, projected=3, boxes=None):
    """x [T, D]; seen [T, T]: which positions each may read; boxes [T, 4] of geometry."""
    T, D = x.shape
    softmax = lambda e: torch.softmax(e.masked_fill(~seen, -math.inf), -1)
    if kind == "graph":
        # Velickovic et al. 2018, eq. 3; no bias.
        y = by_heads(x @ w("weight", D, D), heads)
        query, key = (w(name, D).reshape(heads, -1, 1) for name in ("query", "key"))
        e = F.leaky_relu(y @ query + (y @ key).transpose(1, 2), 0.2)
        return joined(softmax(e) @ y)
    if kind == "differential":
        # Ye et al. 2024, eq. 1 to 3.
        d, first = D // (2 * heads), 0.8 - 0.6 * math.exp(-0.3 * layer)
        maps, exponents = [], []
        for n in "1", "2":
            query, key = (by_heads(dense(below(w, f"{name}_{n}"), x, D // 2), heads) for name in ("query", "key"))
            maps.append(softmax(query @ key.transpose(1, 2) / math.sqrt(d)))
            exponents.append(w(f"lambda.query_{n}", d) @ w(f"lambda.key_{n}", d))
        value = by_heads(dense(below(w, "value"), x, D), heads)
        y = (maps[0] - (torch.exp(exponents[0]) - torch.exp(exponents[1]) + first) * maps[1]) @ value
        y = y / (y ** 2).mean(-1, keepdim=True).add(1e-5).sqrt() * w("gain", D // heads)
        return dense(below(w, "output"), joined(y) * (1 - first), D)
    query = by_heads(dense(below(w, "query"), x, D), heads)
    of_keys, of_values = x, x
    if kind == "linformer":
        # Wang et al. 2020, eq. 7; positions are mixed before W_k and W_v, so that biases are not mixed.
        of_keys = w("key_mixtures", T, projected).T @ x
        of_values = w("value_mixtures", T, projected).T @ x
    key, value = by_heads(dense(below(w, "key"), of_keys, D), heads), by_heads(dense(below(w, "value"), of_values, D), heads)
    if kind == "linear":
        phi = lambda v: F.elu(v) + 1
        weights = phi(query) @ phi(key).transpose(1, 2) * seen
        weights = weights / weights.sum(-1, keepdim=True)
    else:
        e = query @ key.transpose(1, 2) / math.sqrt(D // heads)
        if kind == "geometry":
            opened = F.relu(dense(below(w, "geometry"), relative_geometry(boxes), heads))
            e = e + torch.log(opened.clamp(min=1e-6)).permute(2, 0, 1)
        weights = torch.softmax(e, -1) if kind == "linformer" else softmax(e)
    return dense(below(w, "output"), joined(weights @ value), D)


def residual(w, x, norm, inside, epsilon=1e-5):
    """x + inside(norm(x)), or norm(x + inside(x))."""
    if norm == "pre":
        return x + inside(layer_norm(w, x, epsilon))
    return layer_norm(w, x + inside(x), epsilon)


def position_network(w, x, multiple, activation):
    wide = activation(dense(below(w, "widen"), x, multiple * x.shape[1]))
    return dense(below(w, "narrow"), wide, x.shape[1])


class Transformer:
    def __init__(self, weights, a, grid, mask, attention={}, hidden=4, embedding=3, vocabulary=9, norm="pre",
                 positions="sinusoidal", tie=False, layers=2, heads=2, widen=2, longest=16, image="attention",
                 words="self_attention", keys=None):
        self.w, self.a, self.hidden, self.E, self.V = weights.below("decoder"), a, hidden, embedding, vocabulary
        self.norm, self.positions, self.tie, self.heads, self.widen = norm, positions, tie, heads, widen
        self.longest, self.image, self.words = longest, image, words
        self.attends = image in ("attention", "attention_and_pooled")
        self.pooled = a[mask].mean(0)
        self.attentions = [Attention(attention, weights.below(f"decoder.layer_{n}.cross"), a, grid, mask, keys)
                           for n in range(layers)]

    def caption(self, caption):
        w, H = self.w, self.hidden
        inputs, targets = [BOS, *caption], [*caption, EOS]
        x = w("embedding", self.V, self.E)[inputs]
        if self.E != H:
            x = x @ w("project", self.E, H)
        x = x * math.sqrt(H)
        lead = int(self.image == "first_step")
        if lead:
            image = self.pooled @ w("image.weight", self.a.shape[1], H) + w("image.bias", H)
            x = torch.cat([image[None], x])
        place = torch.arange(float(len(x)))
        if self.positions == "sinusoidal":
            x = x + sinusoids(place, H)
        if self.positions == "learned":
            x = x + w("positions.table", self.longest + lead, H)[:len(x)]
        # What a word may read of the words: itself and those before it.
        before = torch.ones(len(x), len(x), dtype=torch.bool).tril()
        if self.words == "window":
            before = before & ~before.tril(-2)  # a radius of 1

        def attend(w, v, layer):
            seen = before
            if self.words == "graph":  # itself and the one before that is most like it
                alike = F.cosine_similarity(v[:, None], v[None], -1).detach().masked_fill(~before, -math.inf)
                best = alike.fill_diagonal_(-math.inf).argmax(1)
                seen = torch.eye(len(v), dtype=torch.bool).index_put((torch.arange(1, len(v)), best[1:]), torch.tensor(True))
            return self_attention(w, v, self.words, self.heads, seen, layer)

        for layer, attention in enumerate(self.attentions):
            own = below(w, f"layer_{layer}")
            x = residual(below(own, "words_norm"), x, self.norm,
                         lambda v: attend(below(own, "words"), v, layer))
            if self.attends:
                def cross(v):
                    glimpses = [attention(query, t) for t, query in enumerate(v)]
                    self.maps = torch.stack([weights for _, weights in glimpses])
                    z = torch.stack([context for context, _ in glimpses])
                    if self.image == "attention_and_pooled":
                        z = z + self.pooled @ below(own, "cross.pooled")("weight", self.a.shape[1], z.shape[1])
                    return dense(below(own, "cross_output"), z, H)
                x = residual(below(own, "cross_norm"), x, self.norm, cross)
            x = residual(below(own, "dense_norm"), x, self.norm,
                         lambda v: position_network(own, v, self.widen, F.relu))
        if self.norm == "pre":
            x = layer_norm(below(w, "norm"), x)
        x = x[lead:]
        last = w("embedding", self.V, self.E).T if self.tie else w("output.vocabulary", H, self.V)
        logits = x @ last + w("output.vocabulary_bias", self.V)
        costs = -torch.log_softmax(logits, 1)[torch.arange(len(targets)), targets]
        return costs, self.maps if self.attends else None
