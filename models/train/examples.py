"""Training and judging examples: what was known at an instant, and what was bought after it."""

import dataclasses

import numpy as np

from . import candidates, features
from .data import DAY

WINDOW_DAYS = 30
HOME_TARGETS = 96
#: History is hidden in this share of examples, so a first visit is something the models know.
FIRST_VISIT = 0.05


@dataclasses.dataclass(frozen=True)
class Moment:
    """One request that could have happened: `anchor` and `target` are item indices."""

    shopper: int
    now_s: int
    slot: str
    anchor: np.ndarray
    target: np.ndarray
    first_visit: bool = False


def home_moments(rng, events, cutoffs, until):
    """For every shopper and cutoff: `now` is the cutoff moved back by up to three days, the target
    is what was bought in the 30 days after it (never at or after `until`)."""
    made = []
    for cutoff in cutoffs:
        for s in range(len(events.shoppers)):
            now = int(cutoff - rng.integers(0, 3 * 24) * 3600)
            target, _ = events.of(s, since=now, before=min(now + WINDOW_DAYS * DAY, until))
            hidden = bool(rng.random() < FIRST_VISIT)
            known = hidden or len(events.of(s, before=now)[0])
            if len(target) and known:
                made.append(Moment(s, now, "home", np.zeros(0, np.int64), np.unique(target), hidden))
    return made


def basket_moments(rng, events, since, until, per_shopper):
    """Baskets of at least four items: some are the anchor (one for a product page), the rest the
    target. Half of each kind."""
    made = []
    for s in range(len(events.shoppers)):
        item, time_s = events.of(s, since=since, before=until)
        starts = np.flatnonzero(np.append(True, time_s[1:] != time_s[:-1])) if len(item) else []
        ends = np.append(starts[1:], len(item)) if len(item) else []
        large = [(a, b) for a, b in zip(starts, ends) if b - a >= 4]
        for k in rng.permutation(len(large))[:per_shopper]:
            basket = rng.permutation(np.unique(item[large[k][0]:large[k][1]]))
            slot = "basket" if rng.random() < 0.5 else "product"
            size = 1 if slot == "product" else int(rng.integers(1, min(features.ANCHOR, len(basket) - 2) + 1))
            made.append(Moment(s, int(time_s[large[k][0]]), slot, basket[:size], basket[size:],
                               bool(rng.random() < FIRST_VISIT)))
    return made


def known_of(events, moment):
    """The events a request at that moment may see."""
    item, time_s = events.of(moment.shopper, before=moment.now_s)
    return (item[:0], time_s[:0]) if moment.first_visit else (item, time_s)


def request_inputs(events, catalogue, moment):
    """`(profile, inputs)`: every contract input but `candidates` and `cross`."""
    who = features.profile(*known_of(events, moment), moment.now_s, catalogue.price)
    inputs = features.history_inputs(who)
    inputs["anchor"] = features.anchor_input(moment.anchor)
    inputs["shopper"] = who.summary.astype(np.float32)
    inputs["context"] = features.context_input(moment.slot, moment.now_s)
    return who, inputs


def stack(rows):
    """A list of input dictionaries as one dictionary of arrays with a leading B."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def tower_set(rng, events, catalogue, moments):
    """`(inputs, target [B, T] item index, weight [B, T])`; padding has weight 0.

    Items the shopper owns already weigh less: the own source finds those, the tower need not."""
    rows, target = [], np.zeros((len(moments), HOME_TARGETS), np.int64)
    weight = np.zeros((len(moments), HOME_TARGETS), np.float32)
    for b, moment in enumerate(moments):
        who, inputs = request_inputs(events, catalogue, moment)
        rows.append(inputs)
        kept = rng.permutation(moment.target)[:HOME_TARGETS]
        target[b, : len(kept)] = kept
        weight[b, : len(kept)] = np.where(np.isin(kept, who.item), 0.3, 1.0)
    return stack(rows), target, weight / np.maximum(weight.sum(1, keepdims=True), 1e-6)


def ranker_row(who, inputs, scores, popular, catalogue, limits=None):
    """Adds `candidates` [320] and `cross` [320, 10] to a request's inputs."""
    cold = len(who.item) == 0 and not inputs["anchor"].any()
    limits = limits or (candidates.OWN, candidates.ANN, candidates.POPULAR)
    chosen = candidates.choose(who.item, None if cold else scores, popular, limits)
    row = dict(inputs)
    row["candidates"] = np.zeros(sum(limits), np.int64)
    row["candidates"][: len(chosen.item)] = chosen.item
    row["cross"] = np.zeros((sum(limits), features.CROSS), np.float32)
    row["cross"][: len(chosen.item)] = features.cross_inputs(who, chosen, catalogue.price)
    return row


def thinned(rng, count, row):
    """The row with a random `count` of its candidates: training on fewer is twice as fast."""
    used = np.flatnonzero(row["candidates"])
    kept = np.zeros(count, np.int64)
    some = np.sort(rng.permutation(used)[:count])
    kept[: len(some)] = some
    mask = np.arange(count) < len(some)
    return {**row, "candidates": row["candidates"][kept] * mask,
            "cross": row["cross"][kept] * mask[:, None].astype(np.float32)}


def ranker_set(events, catalogue, moments, queries, embedding, popular_at, thin=None):
    """`(inputs, label [B, 320])` with the candidates the pipeline would choose; `thin` is
    `(rng, count)` to keep a random part of them.

    `queries(inputs)` gives [B, 32]; `embedding` [N, 32]; `popular_at(now_s)` the list of that day.
    An anchor item may be a candidate; it is no target, so its label is 0."""
    made, labels = [], np.zeros((len(moments), thin[1] if thin else candidates.LIMIT), np.float32)
    for low in range(0, len(moments), 256):
        part = moments[low: low + 256]
        pairs = [request_inputs(events, catalogue, moment) for moment in part]
        scores = queries(stack([inputs for _, inputs in pairs])) @ embedding.T
        for b, (moment, (who, inputs)) in enumerate(zip(part, pairs)):
            row = ranker_row(who, inputs, scores[b], popular_at(moment.now_s), catalogue)
            row = thinned(*thin, row) if thin else row
            labels[low + b] = np.isin(row["candidates"], moment.target)
            made.append(row)
    return stack(made), labels
