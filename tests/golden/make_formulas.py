"""Writes formulas.safetensors: what the published formulas give, computed once more in PyTorch, by
programs that share nothing with saccade. formula_*_test.cpp compare.

    python3 make_formulas.py        needs torch and numpy, and half a minute

Weights and inputs come from a formula that the tests know too (golden_arrays.py), so that only
results are kept: costs, maps, regions, and the gradients of all parameters. All is computed in double
precision.
"""
import itertools

import torch

from formula_encoders import cnn, positions, refine, vit
from formula_models import EOS, Recurrent, Weights
from formula_transformer import Transformer, below
from golden_arrays import keep, numbers, tensor, write

CAPTIONS = [[4, 5, 8, 4], [6, 7], [5]]


# ----------------------------------------------------------------------------------------- decoders

# name: (type, options of the decoder, options of attention, (rows, columns)). The table of
# formula_decoders_test.cpp has the same cases.
SMALL, LARGE = (2, 3), (6, 7)
DECODERS = {
    "additive": ("lstm", {}, {}, SMALL),
    "concat": ("lstm", {}, {"score": "concat"}, SMALL),
    "dot": ("lstm", {}, {"score": "dot"}, SMALL),
    "scaled_dot": ("lstm", {}, {"score": "scaled_dot"}, SMALL),
    "general": ("lstm", {}, {"score": "general"}, SMALL),
    "cosine": ("lstm", {}, {"score": "cosine"}, SMALL),
    "mean": ("lstm", {}, {"score": "none"}, SMALL),
    "sparsemax": ("lstm", {}, {"normalizer": "sparsemax"}, SMALL),
    "entmax15": ("lstm", {}, {"normalizer": "entmax15"}, SMALL),
    "temperature": ("lstm", {}, {"temperature": 0.5}, SMALL),
    "top_k": ("lstm", {}, {"selection": "top_k"}, SMALL),
    "vector_gate": ("lstm", {}, {"gate": "vector"}, SMALL),
    "no_gate": ("lstm", {}, {"gate": "none"}, SMALL),
    "local_m": ("lstm", {}, {"scope": "local_m", "pace": 1.5}, SMALL),
    "local_m_near": ("lstm", {}, {"scope": "local_m", "pace": 12.5}, LARGE),
    "window": ("lstm", {}, {"scope": "window", "radius": 0, "pace": 1.5, "globals": 2}, SMALL),
    "window_near": ("lstm", {}, {"scope": "window", "pace": 12.5}, LARGE),
    "causal": ("lstm", {}, {"scope": "causal"}, SMALL),
    "local_p": ("lstm", {}, {"scope": "local_p"}, SMALL),
    "local_p_near": ("lstm", {}, {"scope": "local_p"}, LARGE),
    "monotonic": ("lstm", {}, {"scope": "monotonic"}, SMALL),
    "heads": ("lstm", {}, {"score": "scaled_dot", "heads": 2, "output_projection": True}, SMALL),
    "heads_dot": ("lstm", {}, {"score": "dot", "heads": 2}, SMALL),
    "value_projection": ("lstm", {}, {"value_projection": True}, SMALL),
    "learned_scale": ("lstm", {}, {"learned_scale": True}, SMALL),
    "linear": ("lstm", {}, {"mechanism": "linear"}, SMALL),
    "linear_wide": ("lstm", {}, {"mechanism": "linear", "hidden": 8}, SMALL),
    "linformer": ("lstm", {}, {"mechanism": "linformer"}, SMALL),
    "differential": ("lstm", {}, {"mechanism": "differential"}, SMALL),
    "lstm_sentinel": ("lstm", {}, {"sentinel": True}, SMALL),
    "lstm_sentinel_heads": ("lstm", {}, {"sentinel": True, "heads": 2}, SMALL),
    "lstm_attention_and_pooled": ("lstm", {"image": "attention_and_pooled"}, {}, SMALL),
    "lstm_every_word": ("lstm", {"image": "every_word"}, {}, SMALL),
    "lstm_first_step": ("lstm", {"image": "first_step"}, {}, SMALL),
    "lstm_no_image": ("lstm", {"image": "none"}, {}, SMALL),
    "lstm_no_first_state": ("lstm", {"first_state": "none"}, {}, SMALL),
    "lstm_tied": ("lstm", {"tie": True}, {}, SMALL),
    "gru": ("gru", {}, {}, SMALL),
    "gru_first_step": ("gru", {"image": "first_step"}, {}, SMALL),
    "luong_dot": ("luong", {}, {"score": "dot", "gate": "none"}, SMALL),
    "luong_general": ("luong", {}, {"score": "general", "gate": "none"}, SMALL),
    "luong_concat": ("luong", {}, {"score": "concat", "gate": "none"}, SMALL),
    "luong_sentinel": ("luong", {}, {"sentinel": True}, SMALL),
    "luong_first_step": ("luong", {"image": "first_step"}, {}, SMALL),
    "updown": ("updown", {}, {}, SMALL),
    "updown_sentinel": ("updown", {}, {"sentinel": True}, SMALL),
    "updown_attention_and_pooled": ("updown", {"image": "attention_and_pooled"}, {}, SMALL),
    "updown_no_image": ("updown", {"image": "none"}, {}, SMALL),
    "updown_first_step": ("updown", {"image": "first_step"}, {}, SMALL),
    "transformer": ("transformer", {}, {"score": "scaled_dot"}, SMALL),
    "transformer_post": ("transformer", {"norm": "post", "positions": "learned", "embedding": 4, "tie": True}, {}, SMALL),
    "transformer_attention_and_pooled": ("transformer", {"image": "attention_and_pooled"}, {}, SMALL),
    "transformer_first_step": ("transformer", {"image": "first_step"}, {}, SMALL),
    "transformer_window": ("transformer", {"words": "window"}, {}, SMALL),
    "transformer_linear": ("transformer", {"words": "linear"}, {}, SMALL),
    "transformer_differential": ("transformer", {"words": "differential"}, {}, SMALL),
    "transformer_graph": ("transformer", {"words": "graph"}, {}, SMALL),
    "transformer_no_positions": ("transformer", {"positions": "none"}, {"gate": "none"}, SMALL),
}
# Those that are also computed with padding in the pictures.
PADDED = ["additive", "local_m", "local_p", "monotonic", "differential", "linear", "updown",
          "lstm_attention_and_pooled"]
# Those that are also computed with keys of their own.
KEYED = ["additive", "general", "lstm_sentinel", "linear", "linformer", "differential", "transformer"]


def packed(by_caption):
    """Time by time, of the captions that have not ended."""
    longest = max(len(rows) for rows in by_caption)
    return torch.stack([rows[t] for t in range(longest) for rows in by_caption if t < len(rows)])


def keep_decoder(case, kind, options, attention, grid, padded=False, keyed=False):
    L = grid[0] * grid[1]
    case += "_padded" if padded else "_keys" if keyed else ""
    keys = tensor(2 * numbers(f"{case}/keys", (len(CAPTIONS), L, 3))) if keyed else [None] * len(CAPTIONS)
    features = tensor(2 * numbers(f"{case}/features", (len(CAPTIONS), L, 4))).requires_grad_()
    weights = Weights(case)
    costs, maps = [], []
    for i, (caption, a) in enumerate(zip(CAPTIONS, features)):
        # The last column of the first picture, and its first region, are padding.
        cell = torch.arange(L)
        mask = (cell % grid[1] < grid[1] - 1) & (cell > 0) if padded and i == 0 else torch.ones(L, dtype=torch.bool)
        if kind == "transformer":
            model = Transformer(weights, a, grid, mask, attention, keys=keys[i], **options)
        else:
            model = Recurrent(kind, weights, a, grid, mask, attention, keys=keys[i], **options)
        nll, alpha = model.caption(caption)
        costs.append(nll)
        maps.append(alpha)
    nll = packed(costs)
    (nll * tensor(numbers(f"{case}/cotangent", (len(nll),)))).sum().backward()
    keep(f"{case}/costs", nll)
    if maps[0] is not None:
        keep(f"{case}/maps", packed(maps))
    keep(f"{case}/features", features.grad if features.grad is not None else torch.zeros_like(features))
    keep(f"{case}/gradients", weights.gradients())


# ---------------------------------------------------------------- hard attention, self-critical loss

TINY = {"hidden": 3, "embedding": 2, "init_hidden": 2, "vocabulary": 6}
TINY_ATTENTION = {"hidden": 3}
REGIONS, WORDS = 3, [4, 3]
AVERAGE, BY_LENGTH = 3.7, [0, 2.0, 4.0, 7.0]  # moving averages of costs: of all, and by their words
LAMBDA_R, LAMBDA_E = 0.6, 0.3


def tiny(weights, features, kind="lstm", temperature=1.0):
    return Recurrent(kind, weights, features, (1, REGIONS), torch.ones(REGIONS, dtype=torch.bool), TINY_ATTENTION,
                     temperature=temperature, **TINY)


def draw(weights, features, kind, likelihood, choices):
    """One caption for given regions -> -log p of its words [T], log p of the regions [T], the entropy of
    the maps, and the queries [T, H]."""
    model = tiny(weights, features, kind)
    costs, chosen, queries, entropy = [], [], [], 0
    for t, y, word in model.words(WORDS):
        logits = model.advance(y, t, choices[t], regions=features)
        query, alpha = model.query, model.weights
        p = torch.softmax(logits, 1)[:, word]
        costs.append(-torch.log(alpha @ p[1:] if likelihood == "marginal" else p[0]))
        chosen.append(torch.log(alpha[choices[t]]))
        queries.append(query)
        entropy = entropy - (alpha * torch.log(alpha)).sum()
    return torch.stack(costs), torch.stack(chosen), entropy, torch.stack(queries)


def what_choices_cost(costs, reward, likelihood):
    """Of every choice: the cost that it is weighed with, and the number of words in it."""
    T = len(costs)
    if reward == "to_go":
        skip = 1 if likelihood == "marginal" else 0
        return torch.stack([costs[t + skip:].sum() for t in range(T)]), [T - t - skip for t in range(T)]
    whole = costs.sum() / (T if reward == "mean" else 1)
    return whole.expand(T), [T] * T


def keep_estimator(kind, likelihood, reward, baseline):
    case = f"hard_{kind}_{likelihood}_{reward}_{baseline}"
    weights = Weights(f"hard_{kind}")
    features = tensor(2 * numbers(f"hard_{kind}/features", (REGIONS, 2)))
    samples = [[2, 0, 1], [1, 1, 2]] if baseline == "leave_one_out" else [[2, 0, 1]]
    runs = [draw(weights, features, kind, likelihood, choices) for choices in samples]
    costs, counts = zip(*(what_choices_cost(run[0].detach(), reward, likelihood) for run in runs))
    loss, advantages = 0, []
    for s, (nll, log_p, entropy, queries) in enumerate(runs):
        n = counts[s]
        subtracted = torch.zeros(len(nll))
        if baseline == "ema":
            subtracted = torch.tensor([AVERAGE] * len(nll))
        elif baseline in ("ema_per_length", "learned"):
            subtracted = torch.tensor([BY_LENGTH[count] for count in n])
        elif baseline == "leave_one_out":
            subtracted = costs[1 - s]
        elif baseline == "greedy":
            with torch.no_grad():
                best = tiny(weights, features, kind)
                rival = []
                for t, y, word in best.words(WORDS):
                    # The map does not depend on its own choice, so it is asked for first.
                    state = best.state
                    best.advance(y, t, 0)
                    choice = int(best.weights.argmax())
                    best.state = state
                    p = torch.softmax(best.advance(y, t, choice, regions=features), 1)[:, word]
                    rival.append(-torch.log(best.weights @ p[1:] if likelihood == "marginal" else p[0]))
                subtracted = what_choices_cost(torch.stack(rival), reward, likelihood)[0]
        counted = torch.tensor([float(count > 0) for count in n])
        if baseline == "learned":
            value = (queries.detach() @ weights("decoder.value.weight", 3, 1) + weights("decoder.value.bias", 1)).squeeze(1)
            loss = loss + (counted * (subtracted + value - costs[s]) ** 2).sum()
            subtracted = subtracted + value.detach()
        advantage = (costs[s] - subtracted) * counted
        advantages.append(advantage)
        loss = loss + nll.sum() + LAMBDA_R * (advantage * log_p).sum() - LAMBDA_E * entropy
    (loss / len(runs)).backward()
    keep(f"{case}/advantages", torch.stack(advantages, 1))  # word by word, the samples side by side
    keep(f"{case}/gradients", weights.gradients())


# Two images with two draws each. The last word is <eos>, or what was cut off.
DRAWS = [([4, 5], (EOS,)), ([3], (EOS,)), ([5, 5], (4,)), ([], (EOS,))]
DRAWN_REGIONS = [[2, 0, 1], [1, 1], [0, 2, 2], [1]]
REWARDS = [0.9, 0.2, 0.4, 1.3]


def keep_policy(name, kind, hard):
    """Rennie et al. 2017, with the other draw of the image as the baseline, at temperature 0.7."""
    case = f"policy_{name}"
    weights = Weights(case)
    features = tensor(2 * numbers(f"{case}/features", (2, REGIONS, 2)))
    loss, of_words, of_regions = 0, [], []
    for c, (words, end) in enumerate(DRAWS):
        model = tiny(weights, features[c // 2], kind, 0.7)
        log_p = []
        costs = []
        for t, y, word in model.words(words, end):
            region = DRAWN_REGIONS[c][t] if hard else None
            logits = model.advance(y, t, region)[0] / 0.7
            costs.append(-torch.log_softmax(logits, 0)[word])
            log_p.append(torch.log(model.weights[region]) if hard else torch.zeros(()))
        of_words.append(-torch.stack(costs).sum())
        of_regions.append(torch.stack(log_p).sum())
        advantage = REWARDS[c] - REWARDS[c ^ 1]
        loss = loss - advantage * (of_words[-1] + of_regions[-1]) / len(DRAWS)
    loss.backward()
    keep(f"{case}/words", torch.stack(of_words))
    if hard:
        keep(f"{case}/regions", torch.stack(of_regions))
    keep(f"{case}/gradients", weights.gradients())


# ----------------------------------------------------------------------------------------- encoders

CHANNELS = [4, 6, 8, 12]
# name: (height, width, network of pixels [H, W, 3]). formula_encoders_test.cpp has the same cases.
ENCODERS = {
    "cnn": (16, 24, lambda w, x: of_cnn(w, x, "none")),
    "cnn_odd": (18, 29, lambda w, x: of_cnn(w, x, "coordinates")),
    "cnn_sinusoidal": (16, 24, lambda w, x: of_cnn(w, x, "sinusoidal")),
    "cnn_sinusoidal_2d": (16, 24, lambda w, x: of_cnn(w, x, "sinusoidal_2d")),
    "vit": (8, 12, lambda w, x: vit(w, x, 12, 4, "learned", True, 1)),
    "vit_post": (8, 12, lambda w, x: vit(w, x, 12, 4, "sinusoidal_2d", False, 0, 1, norm="post")),
    "vit_window": (8, 16, lambda w, x: vit(w, x, 8, 4, "none", True, 1, type="window", radius=1, globals=0)),
    "vit_graph": (8, 16, lambda w, x: vit(w, x, 8, 4, "none", True, 1, type="graph", neighbours="four")),
    "vit_nearest": (8, 16, lambda w, x: vit(w, x, 8, 4, "none", True, 1, type="graph", neighbours="cosine")),
    "cnn_faint": (16, 24, lambda w, x: of_cnn(w, x, "none")),
    "vit_faint": (8, 12, lambda w, x: vit(w, x, 12, 4, "none", False, 0)),
    "hybrid": (16, 24, lambda w, x: vit(w, x, 8, 1, "sinusoidal", True, 0, stem=CHANNELS)),
}
REFINEMENTS = {
    "self_attention": {}, "faint": {}, "post": {"norm": "post"}, "window": {"type": "window"}, "linear": {"type": "linear"},
    "linformer": {"type": "linformer"}, "differential": {"type": "differential"},
    "graph_four": {"type": "graph", "neighbours": "four"}, "graph_eight": {"type": "graph", "neighbours": "eight"},
    "graph_cosine": {"type": "graph", "neighbours": "cosine"},
    "graph_euclidean": {"type": "graph", "neighbours": "euclidean"}, "geometry": {"type": "geometry"},
}


def of_cnn(w, pixels, kind):
    x = cnn(w, pixels, CHANNELS)
    return positions(below(w, "positions"), x.flatten(0, 1), kind, *x.shape[:2]), None


def keep_regions(case, weights, inputs, regions):
    """Of every sample: the regions, and the gradients of the parameters and of the input."""
    regions = torch.stack(regions)
    (regions * tensor(numbers(f"{case}/cotangent", tuple(regions.shape)))).sum().backward()
    keep(f"{case}/regions", regions)
    keep(f"{case}/inputs", inputs.grad)
    keep(f"{case}/gradients", weights.gradients())


def keep_encoder(case, height, width, network):
    weights = Weights(case)
    pixels = tensor(4 * weights.factor * numbers(f"{case}/inputs", (2, height, width, 3))).requires_grad_()
    outputs = [network(weights.below("encoder"), x) for x in pixels]
    if outputs[0][1] is not None:
        keep(f"{case}/class_token", torch.stack([token for _, token in outputs]))
    keep_regions(case, weights, pixels, [regions for regions, _ in outputs])


def main():
    torch.set_num_threads(1)
    for case, values in DECODERS.items():
        keep_decoder(case, *values)
    for case in PADDED:
        keep_decoder(case, *DECODERS[case], padded=True)
    for case in KEYED:
        keep_decoder(case, *DECODERS[case], keyed=True)
    for likelihood, reward, baseline in itertools.product(
            ("choice", "marginal"), ("sum", "mean", "to_go"),
            ("none", "ema", "ema_per_length", "learned", "greedy", "leave_one_out")):
        keep_estimator("lstm", likelihood, reward, baseline)
    for name, kind, hard in ("soft", "lstm", False), ("hard", "lstm", True), ("updown", "updown", True):
        keep_policy(name, kind, hard)
    for case, values in ENCODERS.items():
        keep_encoder(case, *values)
    for case, options in REFINEMENTS.items():
        case = "refine_" + case
        weights = Weights(case)
        x = tensor(2 * weights.factor * numbers(f"{case}/inputs", (2, 6, 8))).requires_grad_()
        keep_regions(case, weights, x, [refine(weights.below("refine"), one, 2, 3, options) for one in x])
    write("formulas.safetensors")


main()
