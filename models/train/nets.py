"""The three networks, each written once against `ops`: tower, full ranker, compact ranker.

B requests, C candidates, H = 64 history, A = 8 anchor items, D = 32. Every network takes
`(o, p, t, x)`: operations, parameters (learned), item tables (row 0 = padding), inputs by their
contract names. Raw inputs are only ever used through bounded or logarithmic transforms, so ages and
counts outside the training range cannot throw a score off.
"""

import numpy as np

D, STATS = 32, 8
HIDDEN, SMALL_HIDDEN = (96, 48), (32, 16)
#: Nothing is divided by less than this, so an empty history gives zeros and not NaN.
SMALL = np.float32(1e-6)
#: Scale of each cross column inside tanh: about one over its upper quartile.
CROSS_SCALE = np.array([1 / 8, 1 / 2, 1 / 60, 1 / 60, 1 / 2, 1, 1, 1, 1 / 8, 4], np.float32)
ONE = np.float32(1)


def log1p(o, x):
    """log(1 + x) of what is positive; 0 for the −1 that means "never"."""
    return o.log(o.relu(x) + ONE)


def missing(o, x):
    """1 where x is −1 ("never"), 0 where it is a number ≥ 0."""
    return o.minimum(o.relu(x * -ONE), ONE)


def fade(o, x, days):
    """exp(−x / days), at most 1."""
    return o.exp(o.relu(x) * np.float32(-1 / days))


def dense(p, name, x):
    return x @ p[name + ".w"] + p[name + ".b"]


def history_signal(o, x):
    """[B, H, 6]: there at all, how much, how recent (three views), what kind; 0 on padding."""
    mask = o.positive(x["history"])
    age = x["history_age"]
    parts = [mask, log1p(o, x["history_weight"]), log1p(o, age) * np.float32(0.25),
             fade(o, age, 7), fade(o, age, 30), x["history_type"] * np.float32(1 / 3)]
    return o.concat([o.expand(part * mask, 2) for part in parts])


def weighted_mean(o, rows, weight):
    """[B, D]: mean of rows [B, K, D] under weight [B, K]; 0 where every weight is 0."""
    spread = o.expand(weight, 2)
    return o.total(rows * spread, 1) / (o.total(spread, 1) + SMALL)


def pooling_weight(o, p, name, signal):
    """[B, H] positive weights learned from the signal [B, H, 6]; 0 on padding.

    A view says less than a purchase: the weight is scaled by kind / 3 (fixed, since the demo data
    has purchases only)."""
    learned = o.tanh(dense(p, name, signal) * np.float32(0.2)) * np.float32(5)
    kind = np.zeros((6, 1), np.float32)
    kind[5] = 1
    return o.squeeze(o.exp(learned) * (signal @ o.constant(kind)))


def tower(o, p, t, x):
    """`query` [B, 32]. Its last entry is always 1: that column of the embeddings is the item's bias."""
    rows, signal = o.gather(t["embedding"], x["history"]), history_signal(o, x)
    heavy = weighted_mean(o, rows, pooling_weight(o, p, "heavy", signal))
    fresh = weighted_mean(o, rows, pooling_weight(o, p, "fresh", signal))
    beside = o.positive(x["anchor"])
    anchor = weighted_mean(o, o.gather(t["embedding"], x["anchor"]), beside)
    some = [o.expand(o.minimum(o.total(o.positive(x[name]), 1), ONE), 1) for name in ("history", "anchor")]
    means = o.concat([heavy, fresh, anchor])
    hidden = o.relu(dense(p, "in", o.concat([means, *some, x["context"]])))
    query = dense(p, "out", hidden) + means @ p["skip.w"]
    last = np.zeros(D, np.float32)
    last[-1] = 1
    return query * (ONE - last) + last


def cross_signal(o, x):
    """[B, C, 50]: five views of the ten raw cross features, none of them unbounded."""
    cross = x["cross"]
    return o.concat([log1p(o, cross), missing(o, cross), o.tanh(cross * CROSS_SCALE),
                     fade(o, cross, 10), o.log(o.relu(cross) + np.float32(0.01))])


def request_signal(o, x):
    """[B, 1, 17]: the shopper's summary and the context, the same for every candidate."""
    shopper = x["shopper"]
    parts = [log1p(o, shopper) * np.float32(0.25), missing(o, shopper), x["context"]]
    return o.expand(o.concat(parts), 1)


def alike(o, table, x, signal):
    """[B, C, 7]: over history items with the candidate's code (type or category): their summed
    signals, logarithmic; and how many anchor items share the code."""
    candidate = o.expand(o.gather(table, x["candidates"]), 2)
    same = o.equal(candidate, o.expand(o.gather(table, x["history"]), 1))
    near = o.equal(candidate, o.expand(o.gather(table, x["anchor"]), 1))
    mask = o.expand(o.positive(x["anchor"]), 2)
    return log1p(o, o.concat([same @ signal, near @ mask]))


def attention(o, p, candidate, rows, signal):
    """[B, C, D] history as each candidate sees it. Logits are bounded, so no maximum is needed."""
    match = (candidate @ p["ask.w"]) @ o.flip(rows @ p["key.w"])
    logit = o.tanh((match + o.flip(dense(p, "heed", signal))) * np.float32(0.2)) * np.float32(5)
    kind = np.zeros((6, 1), np.float32)
    kind[5] = 1
    weight = o.exp(logit) * o.flip(signal @ o.constant(kind))
    return (weight @ rows) / (o.expand(o.total(weight, 2), 2) + SMALL)


def full(o, p, t, x):
    """`scores` [B, C] of the full ranker.

    The candidate's embedding enters only against history and anchor: taken alone it lets the network
    memorise which items sold in the months it learned from, which does not carry over."""
    candidate = o.gather(t["embedding"], x["candidates"])
    rows, signal = o.gather(t["embedding"], x["history"]), history_signal(o, x)
    seen = attention(o, p, candidate, rows, signal)
    beside = weighted_mean(o, o.gather(t["embedding"], x["anchor"]), o.positive(x["anchor"]))
    parts = o.concat([
        cross_signal(o, x), o.gather(t["stats"], x["candidates"]),
        alike(o, t["type"], x, signal), alike(o, t["category"], x, signal),
        candidate * seen, candidate * o.expand(beside, 1)])
    hidden = o.relu(dense(p, "in", parts) + request_signal(o, x) @ p["request.w"])
    hidden = o.relu(dense(p, "mid", hidden))
    return o.squeeze(dense(p, "out", hidden))


def compact(o, p, t, x):
    """`scores` [B, C] of the compact ranker: a small network over `cross` and one dot product."""
    candidate = o.gather(t["embedding"], x["candidates"])
    signal = history_signal(o, x)
    taste = weighted_mean(o, o.gather(t["embedding"], x["history"]), pooling_weight(o, p, "taste", signal))
    dot = candidate @ o.expand(taste, 2)
    parts = o.concat([cross_signal(o, x), o.gather(t["stats"], x["candidates"]), dot])
    hidden = o.relu(dense(p, "in", parts) + request_signal(o, x) @ p["request.w"])
    hidden = o.relu(dense(p, "mid", hidden))
    return o.squeeze(dense(p, "out", hidden))


def weights(rng, *shapes):
    """Named He-initialised matrices: `(name, rows, columns, has bias)`."""
    made = {}
    for name, rows, columns, biased in shapes:
        made[name + ".w"] = (rng.standard_normal((rows, columns)) * np.sqrt(1 / rows)).astype(np.float32)
        if biased:
            made[name + ".b"] = np.zeros(columns, np.float32)
    return made


def tower_parameters(rng):
    made = weights(rng, ("heavy", 6, 1, True), ("fresh", 6, 1, True), ("in", 3 * D + 9, 64, True),
                   ("out", 64, D, True), ("skip", 3 * D, D, False))
    # Starts as "near the mean of the history": the embedding already starts with meaning.
    made["out.w"] *= np.float32(0.1)
    made["skip.w"] = np.concatenate([np.eye(D) * scale for scale in (3, 1, 2)]).astype(np.float32)
    return made


def full_parameters(rng):
    width = 50 + STATS + 14 + 2 * D
    return weights(rng, ("ask", D, 16, False), ("key", D, 16, False), ("heed", 6, 1, True),
                   ("in", width, HIDDEN[0], True), ("request", 17, HIDDEN[0], False),
                   ("mid", *HIDDEN, True), ("out", HIDDEN[1], 1, True))


def compact_parameters(rng):
    return weights(rng, ("taste", 6, 1, True), ("in", 50 + STATS + 1, SMALL_HIDDEN[0], True),
                   ("request", 17, SMALL_HIDDEN[0], False), ("mid", *SMALL_HIDDEN, True),
                   ("out", SMALL_HIDDEN[1], 1, True))
