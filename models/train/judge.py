"""The judge: how well a ranking names what a shopper bought in the held-out month."""

import numpy as np

TOP = 10
DISCOUNT = 1.0 / np.log2(np.arange(2, TOP + 2))


def ndcg(ranking, relevant):
    """NDCG@10 with binary relevance. `ranking` item indices, best first; `relevant` a non-empty set."""
    hits = np.array([item in relevant for item in ranking[:TOP]], bool)
    best = DISCOUNT[: min(TOP, len(relevant))].sum()
    return float(DISCOUNT[: len(hits)][hits].sum() / best)


def recall(found, relevant):
    """Share of `relevant` that is among `found`."""
    return len(relevant.intersection(found)) / len(relevant)


def by_score(item, score):
    """The items in falling order of score; equal scores keep their order."""
    return item[np.argsort(-score, kind="stable")]


def own_frequency(who):
    """A profile's items by plain count; ties: the one bought last."""
    return who.item[np.lexsort((who.item, who.age, -who.count))]


def hold_out(events, split):
    """Shoppers to judge: `[(shopper position, set of relevant items)]`: those with a catalogue item
    bought both before `split` and at or after it."""
    cases = []
    for s in range(len(events.shoppers)):
        later, _ = events.of(s, since=split)
        earlier, _ = events.of(s, before=split)
        if len(later) and len(earlier):
            cases.append((s, set(later.tolist())))
    return cases
