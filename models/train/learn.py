"""The three stages of learning, in order: tower and embeddings, full ranker, compact ranker.

Time keeps the stages honest. The tower learns from targets before October, the rankers from
October and November with a tower that has not seen those months, and the judge asks about
December. What ships is the judged model itself.
"""

import dataclasses

import numpy as np

from . import candidates, examples, fit, nets
from .data import DAY, SPLIT, utc

TOWER_UNTIL = utc(2017, 10)
HOME_TOWER = [utc(2017, month) for month in range(3, 10)]
HOME_RANKER = [TOWER_UNTIL + days * DAY for days in (3, 10, 17, 24, 31)]
STATS_RECENT_DAYS = 30
#: Candidates kept per training example, of the 320 (about 235 on average) a request has.
THINNED = 160


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a run may change."""

    seed: int = 20171201
    tower_epochs: int = 4
    full_epochs: int = 3
    compact_epochs: int = 3


def shopper_rows(events):
    """[E] the shopper position of every event."""
    return np.repeat(np.arange(len(events.shoppers)), np.diff(events.start))


def popular_before(events, size, now_s):
    """The popularity list (item indices, best first) of the events before `now_s`."""
    seen = (events.time_s < now_s) & (events.item > 0)
    return candidates.popularity(shopper_rows(events)[seen], events.item[seen], size)


def popular_calendar(events, size):
    """`f(now_s)` → the first 200 items of the list as it stood at the start of that month."""
    starts = [utc(2017, month) for month in range(2, 13)]
    lists = [popular_before(events, size, start)[: candidates.POPULAR_LIST] for start in starts]
    return lambda now_s: lists[max(int(np.searchsorted(starts, now_s, side="right")) - 1, 0)]


def item_stats(events, catalogue, now_s):
    """[N+1, 8] float32: what an item's past says about it, as of `now_s`. Row 0 is zero.

    Columns: log buyers; log events a month; log events of the last 30 days; share of buyers who came
    back; log events a buyer; log recent ÷ usual; log price; 1."""
    size, shopper = catalogue.size + 1, shopper_rows(events)
    seen = (events.time_s < now_s) & (events.item > 0)
    recent = seen & (events.time_s >= now_s - STATS_RECENT_DAYS * DAY)
    months = (now_s - utc(2017, 1)) / (30 * DAY)

    def bought(mask):
        return np.bincount(events.item[mask], minlength=size)

    pair, times = np.unique(shopper[seen] * size + events.item[seen], return_counts=True)
    people = np.bincount(pair % size, minlength=size)
    again = np.bincount(pair[times > 1] % size, minlength=size)
    total, fresh = bought(seen), bought(recent)
    stats = np.stack([
        np.log1p(people), np.log1p(total / months), np.log1p(fresh),
        again / np.maximum(people, 1), np.log1p(total / np.maximum(people, 1)),
        np.log((fresh + 1) / (total / months + 1)), np.log1p(catalogue.price), np.ones(size)], axis=1)
    stats[0] = 0
    return stats.astype(np.float16).astype(np.float32)


def tables_of(catalogue, embedding, stats):
    """The item tables of a network; `embedding` [N, 32] already rounded to float16."""
    padded = np.concatenate([np.zeros((1, nets.D), np.float32), embedding])
    return {"embedding": padded, "stats": stats, "type": catalogue.type_code,
            "category": catalogue.category_code}


def initial_embedding(rng, events, size):
    """[N, 32]: 31 unit directions from a truncated SVD of shopper × item (what is bought by the same
    people starts close), and log-popularity in the bias column. Events of the tower's time only."""
    seen = (events.time_s < TOWER_UNTIL) & (events.item > 0)
    shopper, item = shopper_rows(events)[seen], events.item[seen] - 1
    matrix = np.zeros((len(events.shoppers), size), np.float32)
    np.add.at(matrix, (shopper, item), 1)
    count, matrix = matrix.sum(0), np.log1p(matrix)
    matrix *= 1 / np.sqrt(1 + (matrix > 0).sum(0))
    basis = matrix @ rng.standard_normal((size, nets.D + 15)).astype(np.float32)
    for _ in range(3):
        basis = np.linalg.qr(matrix @ (matrix.T @ np.linalg.qr(basis)[0]))[0]
    _, strength, right = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    # The first direction is popularity again, which the bias column already carries.
    vectors = right[1: nets.D].T * np.sqrt(strength[1: nets.D])
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= length + np.median(length) * 0.1
    return np.concatenate([vectors, np.log1p(count)[:, None] - 3], axis=1).astype(np.float32)


def learn_tower(events, catalogue, setting):
    """Returns `(tower parameters, embedding [N, 32])`, the embedding rounded to float16."""
    rng = np.random.default_rng(setting.seed)
    moments = examples.home_moments(rng, events, HOME_TOWER, TOWER_UNTIL)
    moments += examples.basket_moments(rng, events, HOME_TOWER[0], TOWER_UNTIL, 4)
    print(f"  tower: {len(moments):,} examples", flush=True)
    arrays = examples.tower_set(rng, events, catalogue, moments)
    start = {"net": nets.tower_parameters(rng), "embedding": initial_embedding(rng, events, catalogue.size)}
    found = fit.minimise(fit.tower_loss, start, arrays, epochs=setting.tower_epochs, batch=256,
                         rate=2e-3, seed=setting.seed, label="tower", decay=1e-3)
    embedding = found["embedding"].astype(np.float16).astype(np.float32)
    return found["net"], embedding


def ranker_moments(rng, events):
    moments = examples.home_moments(rng, events, HOME_RANKER, SPLIT)
    return moments + examples.basket_moments(rng, events, TOWER_UNTIL, SPLIT, 2)


def learn_rankers(events, catalogue, setting, net, embedding):
    """Returns `(full parameters, compact parameters)`; the compact one learns from the full one."""
    rng = np.random.default_rng(setting.seed + 1)
    tables = tables_of(catalogue, embedding, item_stats(events, catalogue, TOWER_UNTIL))
    queries = fit.runner(nets.tower, net, tables)
    moments = ranker_moments(rng, events)
    print(f"  rankers: {len(moments):,} examples", flush=True)
    arrays = examples.ranker_set(events, catalogue, moments, queries, embedding,
                                 popular_calendar(events, catalogue.size), (rng, THINNED))
    full = fit.minimise(fit.list_loss(nets.full, tables), nets.full_parameters(rng), arrays,
                        epochs=setting.full_epochs, batch=64, rate=2e-3, seed=setting.seed,
                        label="full", decay=0.05)
    teacher = fit.runner(nets.full, full, tables)(arrays[0])
    compact = fit.minimise(fit.distill_loss(nets.compact, tables), nets.compact_parameters(rng),
                           (arrays[0], teacher), epochs=setting.compact_epochs, batch=64, rate=4e-3,
                           seed=setting.seed, label="compact")
    return full, compact
