"""Candidates of one request: the shopper's own items ∪ nearest by the query ∪ popular ones."""

import dataclasses

import numpy as np

OWN, ANN, POPULAR = 160, 100, 60
LIMIT = OWN + ANN + POPULAR
POPULAR_LIST = 200


@dataclasses.dataclass(frozen=True)
class Chosen:
    """C distinct candidates in the order of their first source."""

    item: np.ndarray          # [C] int64 item index
    source: np.ndarray        # [C, 3] float64 flags: own, ann, popular (several may hold)
    ann_score: np.ndarray     # [C] float64 query · embedding
    popular_rank: np.ndarray  # [C] float64 1 / (rank + 1) in the popular list used, 0 if absent


def popularity(shopper, item, size):
    """Item indices by number of distinct shoppers, most first; ties: smaller index first."""
    pair = np.unique(shopper.astype(np.int64) * (size + 1) + item) % (size + 1)
    count = np.bincount(pair, minlength=size + 1)
    count[0] = 0
    order = np.argsort(-count, kind="stable")
    return order[count[order] > 0]


def nearest(scores, count):
    """Indices (1-based) of the `count` greatest of `scores` [N]; ties: smaller index first."""
    count = min(count, len(scores))
    top = np.argpartition(-scores, count - 1)[:count]
    return top[np.lexsort((top, -scores[top]))] + 1


def choose(own, scores, popular, limits=(OWN, ANN, POPULAR)):
    """Unites the sources.

    `own` [K] the shopper's items, heaviest first; `scores` [N] query · embedding of every item,
    or None where there is neither history nor anchor (then the ann source is empty, its scores 0);
    `popular` item indices, best first.
    """
    own, popular = own[: limits[0]], popular[: limits[2]]
    near = nearest(scores, limits[1]) if scores is not None else np.zeros(0, np.int64)
    together = np.concatenate([own, near, popular]).astype(np.int64)
    _, first = np.unique(together, return_index=True)
    item = together[np.sort(first)]
    source = np.stack([np.isin(item, part) for part in (own, near, popular)], axis=1)
    ann_score = scores[item - 1].astype(np.float64) if scores is not None else np.zeros(len(item))
    rank = np.zeros(len(item))
    if len(popular):
        order = np.argsort(popular)
        place = order[np.minimum(np.searchsorted(popular, item, sorter=order), len(order) - 1)]
        rank = np.where(popular[place] == item, 1.0 / (place + 1.0), 0.0)
    return Chosen(item, source.astype(np.float64), ann_score, rank)
