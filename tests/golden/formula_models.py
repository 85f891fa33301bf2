"""Attention on every axis and the decoders, from their papers and from core/README.md and
captioning/README.md, one image and one word at a time. Matrices stand as in saccade: x W, [in, out]."""
import math

import numpy as np
import torch
import torch.nn.functional as F

from golden_arrays import numbers, tensor

BOS, EOS = 1, 2
torch.set_default_dtype(torch.float64)


class Weights:
    """The parameters of a model, made by the formula when they are first asked for. `formulas.h` has
    the same formula. Those of a case `..._faint` are small, so that the epsilon of norms counts."""

    def __init__(self, case):
        self.case, self.made = case, {}
        self.factor = 0.05 if case.endswith("_faint") else 1

    def __call__(self, name, *shape):
        if name not in self.made:
            scale = math.sqrt(24 / (np.prod(shape) // shape[-1])) if len(shape) > 1 else 2
            values = tensor(self.factor * scale * numbers(f"{self.case}/{name}", shape))
            self.made[name] = values.requires_grad_()
        assert self.made[name].shape == shape, (name, self.made[name].shape, shape)
        return self.made[name]

    def below(self, prefix):
        return lambda name, *shape: self(f"{prefix}.{name}", *shape)

    def gradients(self):
        """All of them in the order of their names, one after the other."""
        return torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).reshape(-1)
                          for _, p in sorted(self.made.items())])


ATTENTION = {
    "score": "additive", "scope": "global", "normalizer": "softmax", "selection": "soft", "gate": "scalar",
    "mechanism": "composed", "temperature": 1.0, "heads": 1, "hidden": 4, "radius": 1, "pace": 1.0,
    "globals": 1, "k": 2, "projected": 3, "value_projection": False, "output_projection": False,
    "learned_scale": False, "sentinel": False,
}


# ------------------------------------------------------------------------------------- normalizers

def sparsemax(e):
    """Martins and Astudillo 2016, algorithm 1."""
    z, _ = e.sort(descending=True)
    n = torch.arange(1.0, len(z) + 1)
    inside = 1 + n * z > z.cumsum(0)
    count = int(inside.sum())
    return (e - (z[:count].sum() - 1) / count).clamp(min=0)


def entmax15(e):
    """Peters, Niculae and Martins 2019, algorithm 2: p = max(0, e/2 - tau)^2."""
    z, _ = (e / 2).sort(descending=True)
    for count in range(len(z), 0, -1):
        mean = z[:count].mean()
        spread = ((z[:count] - mean) ** 2).sum()
        if spread > 1:
            continue
        tau = mean - ((1 - spread) / count).sqrt()
        if tau <= z[count - 1]:
            break
    return (e / 2 - tau).clamp(min=0) ** 2


def normalise(kind, e, seen):
    """Of the scores e, those that are not seen get no weight."""
    where = seen.nonzero().squeeze(1)
    normal = {"softmax": lambda x: torch.softmax(x, 0), "sparsemax": sparsemax, "entmax15": entmax15}
    return torch.zeros(len(e)).scatter(0, where, normal[kind](e[where]))


# ------------------------------------------------------------------------------------------- scores

def scores(c, w, head, a, h):
    """How well each region a [L, D] fits the query h [Q]."""
    A, D, Q = c["hidden"] // c["heads"], a.shape[1], len(h)
    kind = c["score"]
    if kind == "additive":
        inner = a @ w("key.weight", D, A) + h @ w("query.weight", Q, A) + w("key.bias", A)
        return torch.tanh(inner) @ w("vector", A)
    if kind == "concat":
        both = torch.cat([h.expand(len(a), Q), a], 1)
        return torch.tanh(both @ w("weight", Q + D, A) + w("bias", A)) @ w("vector", A)
    if kind == "dot":
        own = slice(head * D // c["heads"], (head + 1) * D // c["heads"])
        return a[:, own] @ h[own]
    if kind == "general":
        return a @ (h @ w("weight", Q, D))
    keys, query = a @ w("key.weight", D, A), h @ w("query.weight", Q, A) + w("query.bias", A)
    if kind == "scaled_dot":
        return keys @ query / math.sqrt(A)
    assert kind == "cosine"
    return F.cosine_similarity(keys, query[None], 1) * torch.exp(w("log_sharpness", 1))


# ------------------------------------------------------------------------------------------- scopes

def monotonic(take, last):
    """Raffel et al. 2017, by every place where the word before may have ended: from there on, regions
    are offered in order, and region l is taken with probability take[l]."""
    L = len(take)
    out = [torch.zeros(())] * L
    for start in range(L):
        going = last[start]
        for l in range(start, L):
            out[l] = out[l] + going * take[l]
            going = going * (1 - take[l])
    return torch.stack(out)


class Attention:
    """The attention of one decoder to one image, over the words of a caption."""

    def __init__(self, config, weights, a, grid, mask, keys=None):
        """a [L, D]: what contexts are made of; keys [L, K]: what is scored, if that is not a."""
        self.c = {**ATTENTION, **config}
        self.w, self.a, self.grid, self.mask = weights, a, grid, mask
        self.keys = a if keys is None else keys
        first = torch.zeros(len(a))
        first[0] = 1
        self.last = [first] * self.c["heads"]

    def weigh(self, w, head, e, h, t):
        """Scores of the regions and, where there is one, of the sentinel behind them -> weights."""
        c, (rows, cols) = self.c, self.grid
        cell = torch.arange(rows * cols)
        row, col = cell // cols, cell % cols
        seen = self.mask.clone()
        if c["scope"] in ("local_m", "window"):
            centre = min(math.floor(c["pace"] * t), rows * cols - 1)
            near = torch.maximum(abs(row - centre // cols), abs(col - centre % cols)) <= c["radius"]
            seen &= near | (cell < c["globals"]) if c["scope"] == "window" else near
        if c["scope"] == "causal":
            seen &= cell <= t
        if c["scope"] == "local_p":
            hidden = torch.tanh(h @ w("scope.hidden.weight", len(h), c["hidden"] // c["heads"]) +
                                w("scope.hidden.bias", c["hidden"] // c["heads"]))
            share = torch.sigmoid(hidden @ w("scope.centre.weight", len(hidden), 2) + w("scope.centre.bias", 2))
            away = torch.stack([row - share[0] * (rows - 1), col - share[1] * (cols - 1)])
            seen &= (abs(away) <= c["radius"]).all(0)
        if c["scope"] == "monotonic":
            self.last[head] = monotonic(torch.sigmoid(e + w("scope.offset", 1)) * seen, self.last[head])
            return self.last[head]
        seen = torch.cat([seen, torch.ones(len(e) - len(seen), dtype=torch.bool)])
        if c["selection"] == "top_k":
            best = e.detach().masked_fill(~seen, -math.inf).topk(c["k"]).indices
            seen &= torch.isin(torch.arange(len(e)), best)
        weights = normalise(c["normalizer"], e / c["temperature"], seen)
        if c["scope"] == "local_p":
            weights = weights * torch.exp(-(away ** 2).sum(0) / (2 * (c["radius"] / 2) ** 2))
        return weights

    def composed(self, h, t, sentinel, choice):
        """choice: the region that is taken, or None for the expectation."""
        c, a, keys, D = self.c, self.a, self.keys, self.a.shape[1]
        if c["score"] == "none":
            even = self.mask / self.mask.sum()
            return even @ a, even
        if sentinel is not None:
            own = sentinel @ self.w("sentinel.weight", len(sentinel), D)
            of_keys = own if keys is self.a else sentinel @ self.w("sentinel.key.weight", len(sentinel), keys.shape[1])
            a, keys = torch.cat([a, own[None]]), torch.cat([keys, of_keys[None]])
        contexts, maps = [], []
        for head in range(c["heads"]):
            prefix = f"head_{head}." if c["heads"] > 1 else ""
            w = lambda name, *shape: self.w(prefix + name, *shape)
            e = scores(c, lambda name, *shape: w("score." + name, *shape), head, keys, h)
            if c["learned_scale"]:
                e = e * torch.exp(w("log_scale", 1))
            maps.append(self.weigh(w, head, e, h, t))
            values = a
            if c["heads"] > 1 or c["value_projection"]:
                values = a @ w("value.weight", D, D // c["heads"])
            contexts.append(maps[-1] @ values if choice is None else values[choice])
        z = torch.cat(contexts)
        if c["output_projection"]:
            z = z @ self.w("output.weight", D, D)
        return z, torch.stack(maps).mean(0)[:len(self.a)]

    def linear(self, h):
        A, K = self.c["hidden"], self.keys.shape[1]
        phi = lambda x: F.elu(x) + 1
        keys = phi(self.keys @ self.w("linear.key.weight", K, A))
        query = phi(h @ self.w("linear.query.weight", len(h), A) + self.w("linear.query.bias", A))
        weights = keys @ query * self.mask
        weights = weights / weights.sum()
        return weights @ self.a, weights

    def linformer(self, h):
        A, (L, K), n = self.c["hidden"], self.keys.shape, self.c["projected"]
        mixing = self.w("linformer.mixing", n, L)
        keys = mixing @ self.keys @ self.w("linformer.key.weight", K, A)
        query = h @ self.w("linformer.query.weight", len(h), A) + self.w("linformer.query.bias", A)
        weights = torch.softmax(keys @ query / math.sqrt(A), 0)
        return weights @ (mixing @ self.a), weights @ mixing

    def differential(self, h):
        A, K = self.c["hidden"] // 2, self.keys.shape[1]
        maps, exponents = [], []
        for name in "first", "second":
            w = lambda inner, *shape: self.w(f"differential.{name}.{inner}", *shape)
            query = h @ w("query.weight", len(h), A) + w("query.bias", A)
            maps.append(normalise("softmax", self.keys @ w("key.weight", K, A) @ query / math.sqrt(A), self.mask))
            exponents.append(w("lambda_query", A) @ w("lambda_key", A))
        weights = maps[0] - (torch.exp(exponents[0]) - torch.exp(exponents[1]) + 0.8) * maps[1]
        return weights @ self.a, weights

    def __call__(self, h, t, sentinel=None, choice=None):
        """-> the gated context [D], the weights of the regions [L], the gate (1 without one)."""
        kind = self.c["mechanism"]
        z, weights = self.composed(h, t, sentinel, choice) if kind == "composed" else getattr(self, kind)(h)
        self.gate = torch.ones(1)
        if self.c["gate"] != "none":
            width = {"scalar": 1, "vector": len(z)}[self.c["gate"]]
            self.gate = torch.sigmoid(h @ self.w("gate.weight", len(h), width) + self.w("gate.bias", width))
        return z * self.gate, weights


# ----------------------------------------------------------------------------------------- decoders

def lstm_cell(gates, c):
    """Gates in the order i, f, g, o (Hochreiter and Schmidhuber 1997, with a forget gate)."""
    i, f, g, o = gates.chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def gru_cell(x, own, h):
    """Gates in the order r, z, n (Cho et al. 2014, as torch.nn.GRUCell)."""
    (xr, xz, xn), (hr, hz, hn) = x.chunk(3), own.chunk(3)
    z = torch.sigmoid(xz + hz)
    return (1 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h


class Recurrent:
    """A decoder over one image. Sizes: H hidden, E embedding, I init_hidden, V words, D features."""

    def __init__(self, kind, weights, a, grid, mask, attention={}, hidden=4, embedding=3, init_hidden=3,
                 vocabulary=9, image="attention", first_state="pooled", tie=False, temperature=1.0, keys=None):
        self.kind, self.w, self.a = kind, weights.below("decoder"), a
        self.H, self.E, self.I, self.V, self.D = hidden, embedding, init_hidden, vocabulary, a.shape[1]
        self.image, self.tie, self.temperature = image, tie, temperature
        self.pooled = a[mask].mean(0)
        self.attends = image in ("attention", "attention_and_pooled")
        self.starts = first_state == "pooled" and image != "first_step"
        self.attention = Attention(attention, weights.below("decoder.attention"), a, grid, mask, keys)
        zero = torch.zeros(hidden)
        if kind == "gru":
            self.state = [self.first("init_h")]
        elif kind == "updown":
            self.state = [zero] * 4
        else:
            self.state = [self.first("init_h"), self.first("init_c")] + [zero] * (kind == "luong")
        if image == "first_step":
            self.advance(self.pooled @ self.w("image.weight", self.D, embedding) + self.w("image.bias", embedding), 0,
                         enter=False)

    def first(self, name):
        """Xu et al. 2015, section 3.1.2, with a hidden layer."""
        if not self.starts:
            return torch.zeros(self.H)
        w = lambda inner, *shape: self.w(f"{name}.{inner}", *shape)
        hidden = torch.tanh(self.pooled @ w("hidden", self.D, self.I) + w("hidden_bias", self.I))
        return torch.tanh(hidden @ w("weight", self.I, self.H) + w("bias", self.H))

    def of_context(self, name, width, z):
        """z W; nothing where no word gets a context."""
        return z @ self.w(name, self.D, width) if self.attends or self.image == "every_word" else 0

    def sentinel(self, y, h, c):
        """Lu et al. 2017, eq. 9 and 10."""
        if not self.attention.c["sentinel"]:
            return None
        gate = y @ self.w("sentinel.word", self.E, self.H) + h @ self.w("sentinel.hidden", self.H, self.H)
        return torch.sigmoid(gate + self.w("sentinel.bias", self.H)) * torch.tanh(c)

    def glimpse(self, query, t, sentinel, choice, enter):
        if self.image == "every_word":
            return self.pooled
        if not self.attends or not enter:
            return torch.zeros(self.D)
        z, self.weights = self.attention(query, t, sentinel, choice)
        if self.image == "attention_and_pooled":
            z = z + self.pooled @ self.w("attention.pooled.weight", self.D, self.D)
        return z

    def output(self, x, width):
        """Logits [V]; tied: the words' own embeddings."""
        if self.tie:
            return x @ self.w("embedding", self.V, self.E).T + self.w("output.vocabulary_bias", self.V)
        return x @ self.w("output.vocabulary", width, self.V) + self.w("output.vocabulary_bias", self.V)

    def deep_output(self, y, h, z):
        """Xu et al. 2015, eq. 7, with the tanh of Pascanu et al. 2014."""
        deep = y + h @ self.w("output.hidden", self.H, self.E) + self.of_context("output.context", self.E, z)
        return self.output(torch.tanh(deep + self.w("output.bias", self.E)), self.E)

    def advance(self, y, t, choice=None, enter=True, regions=()):
        """Reads the vector y of a word and gives the logits of the next one; then those that each of
        `regions` alone would give (for a marginal likelihood), in rows."""
        H, E, w = self.H, self.E, self.w
        G = 4 * H
        if self.kind == "lstm":
            h, c = self.state
            self.query = h
            z = self.glimpse(h, t, self.sentinel(y, h, c), choice, enter)

            def run(z):
                gates = y @ w("lstm.word", E, G) + h @ w("lstm.hidden", H, G) + w("lstm.bias", G)
                return list(lstm_cell(gates + self.of_context("lstm.context", G, z), c))

            logits = lambda z: self.deep_output(y, run(z)[0], z)
        elif self.kind == "gru":
            (h,) = self.state
            self.query = h
            z = self.glimpse(h, t, None, choice, enter)

            def run(z):
                x = y @ w("gru.word", E, 3 * H) + w("gru.bias", 3 * H) + self.of_context("gru.context", 3 * H, z)
                return [gru_cell(x, h @ w("gru.hidden", H, 3 * H) + w("gru.hidden_bias", 3 * H), h)]

            logits = lambda z: self.deep_output(y, run(z)[0], z)
        elif self.kind == "luong":
            h0, c0, fed = self.state
            gates = y @ w("lstm.word", E, G) + fed @ w("lstm.fed", H, G) + h0 @ w("lstm.hidden", H, G)
            h, c = lstm_cell(gates + w("lstm.bias", G), c0)
            self.query = h
            z = self.glimpse(h, t, self.sentinel(y, h0, c), choice, enter)

            def run(z):
                both = h @ w("combine.hidden", H, H) + self.of_context("combine.context", H, z)
                return [h, c, torch.tanh(both)]

            logits = lambda z: self.output(run(z)[2], H)
        else:
            h2, c2, h1, c1 = self.state
            gates = y @ w("look.word", E, G) + h2 @ w("look.speech", H, G) + h1 @ w("look.hidden", H, G)
            if self.starts:
                gates = gates + self.pooled @ w("look.mean", self.D, G)
            before = h1
            h1, c1 = lstm_cell(gates + w("look.bias", G), c1)
            self.query = h1
            z = self.glimpse(h1, t, self.sentinel(y, before, c1), choice, enter)

            def run(z):
                gates = h1 @ w("speech.look", H, G) + h2 @ w("speech.hidden", H, G) + w("speech.bias", G)
                return [*lstm_cell(gates + self.of_context("speech.context", G, z), c2), h1, c1]

            logits = lambda z: self.output(run(z)[0], H)
        if not enter:
            self.state = run(z)
            return None
        out = torch.stack([logits(z)] + [logits(a * self.attention.gate) for a in regions])
        self.state = run(z)
        return out

    def words(self, caption, end=(EOS,)):
        """Yields t, the vector of the word before, and the word; `end` is what follows the caption."""
        table = self.w("embedding", self.V, self.E)
        before = [BOS, *caption, *end]
        for t, word in enumerate([*caption, *end]):
            yield t, table[before[t]], word

    def caption(self, caption, choices=None, end=(EOS,)):
        """-> -log p of every word [T], and the maps [T, L]."""
        costs, maps = [], []
        for t, y, word in self.words(caption, end):
            logits = self.advance(y, t, None if choices is None else choices[t])[0]
            costs.append(-torch.log_softmax(logits / self.temperature, 0)[word])
            if self.attends:
                maps.append(self.weights)
        return torch.stack(costs), torch.stack(maps) if maps else None
