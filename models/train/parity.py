"""Worked cases for the cell: raw events in, exact model inputs and outputs out."""

import numpy as np

from . import examples, features, snapshot
from .data import DAY, SPLIT

LIMITS = (14, 14, 12)
#: Events a case may have, so the file stays small.
FEW, MANY = (3, 40), (150, 700)


def numbers(array, digits):
    return [float(f"{value:.{digits}g}") if np.asarray(array).dtype.kind == "f" else int(value)
            for value in np.asarray(array).tolist()]


def shoppers(events):
    """Positions of six households: two with few events, four with more; the first that fit."""
    few, many = [], []
    for s in range(len(events.shoppers)):
        size = int(np.searchsorted(events.time_s[events.start[s]: events.start[s + 1]], SPLIT))
        known = len(events.of(s, before=SPLIT)[0])
        if FEW[0] <= known and size <= FEW[1] and len(few) < 2:
            few.append(s)
        elif MANY[0] <= size <= MANY[1] and len(many) < 4:
            many.append(s)
    return few + many


def moments(events, popular):
    """Seven requests: every slot, with and without anchor, at different hours; the last one knows
    nothing of its shopper."""
    slots = ["home", "product", "home", "basket", "product", "home"]
    made = []
    for k, s in enumerate(shoppers(events)):
        now = SPLIT + k * DAY + (7 * k + 3) % 24 * 3600 + 60 * k
        anchor = {"home": 0, "product": 1, "basket": 3}[slots[k]]
        made.append(examples.Moment(s, now, slots[k], popular[20: 20 + anchor], np.zeros(0, int)))
    return made + [examples.Moment(-1, SPLIT + 9 * DAY, "home", np.zeros(0, int), np.zeros(0, int), True)]


def case(events, catalogue, moment, popular, embedding, served):
    """One case as plain JSON. Events include some of items outside the catalogue: these count for
    nothing."""
    who, inputs = examples.request_inputs(events, catalogue, moment)
    query = served("tower", examples.stack([inputs]))[0]
    row = examples.ranker_row(who, inputs, embedding @ query, popular, catalogue, LIMITS)
    used = int((row["candidates"] > 0).sum())
    row["candidates"], row["cross"] = row["candidates"][:used], row["cross"][:used]
    batch = examples.stack([row])
    raw = []
    if moment.shopper >= 0:
        rows = slice(events.start[moment.shopper], events.start[moment.shopper + 1])
        before = events.time_s[rows] < moment.now_s
        raw = [[str(i), int(at)] for i, at in zip(events.raw_item[rows][before], events.time_s[rows][before])]
    expected = {name: numbers(row[name], 9) for name in
                (*snapshot.HISTORY_INPUTS, "anchor", "shopper", "context", "candidates")}
    expected["cross"] = [numbers(line, 9) for line in row["cross"]]
    expected["query"] = numbers(query, 9)
    expected["full"] = numbers(served("full", batch)[0], 9)
    expected["compact"] = numbers(served("compact", batch)[0], 9)
    return {"now_s": moment.now_s, "slot": moment.slot,
            "anchor": [str(catalogue.ids[i]) for i in moment.anchor], "events": raw, "expected": expected}


def build(events, catalogue, popular, embedding, served):
    """The whole file: shared settings first, then the cases. Anchors come from further down the
    popularity list than the candidates do."""
    used = popular[: LIMITS[2]]
    return {
        "version": 1, "vocabulary": snapshot.vocabulary(catalogue),
        "half_life_days": features.HALF_LIFE_DAYS, "recent_events_per_item": features.RECENT_EVENTS,
        "candidates": dict(zip(("own", "ann", "popular"), LIMITS)),
        "popular": [str(catalogue.ids[i]) for i in used],
        "tolerance": {"inputs": 1e-5, "outputs": 2e-3},
        "cases": [case(events, catalogue, moment, used, embedding, served)
                  for moment in moments(events, popular)],
    }

