"""What a model is told about a shopper: the reference definition, which the cell repeats.

Everything is computed in float64 from the shopper's events of catalogue items up to `now_s` and
stored as float32. Values are raw; whatever normalising there is happens inside the graphs.
"""

import dataclasses
import math

import numpy as np

from .data import DAY

HISTORY, ANCHOR, CROSS, SHOPPER, CONTEXT = 64, 8, 10, 5, 7
HALF_LIFE_DAYS = 90.0
RECENT_EVENTS = 16
PURCHASE = 3.0
MAX_PRICE_RATIO = 10.0
SLOTS = ("home", "basket", "product")
NEVER = -1.0

HISTORY_FEATURES = [
    ("history", "item index, 1-based; 0 = padding"),
    ("history_weight", "decayed number of events"),
    ("history_age", "days since the item's last event"),
    ("history_type", "strongest kind so far: 0 padding, 1 view, 2 basket, 3 purchase"),
]
CROSS_FEATURES = [
    ("own_count", "events"), ("own_decayed", "decayed number of events"),
    ("own_days_since_last", "days; -1 = never"), ("own_mean_gap_days", "days; -1 = fewer than two events"),
    ("price_ratio", "item price / median item price of the shopper; 0 = unknown; at most 10"),
    ("from_own", "0 or 1"), ("from_ann", "0 or 1"), ("from_popular", "0 or 1"),
    ("ann_score", "inner product; 0 = no history and no anchor"),
    ("popular_rank", "1 / (rank + 1), rank from 0; 0 = absent"),
]
SHOPPER_FEATURES = [
    ("events_total", "events"), ("distinct_items", "items"),
    ("days_since_last_event", "days; -1 = none"), ("days_since_first_event", "days; -1 = none"),
    ("median_item_price", "USD, over distinct items; 0 = none"),
]
CONTEXT_FEATURES = [
    ("slot_home", "0 or 1"), ("slot_basket", "0 or 1"), ("slot_product", "0 or 1"),
    ("day_of_week_sin", "Monday = 0, UTC"), ("day_of_week_cos", "Monday = 0, UTC"),
    ("hour_sin", "hour of day, UTC"), ("hour_cos", "hour of day, UTC"),
]


@dataclasses.dataclass(frozen=True)
class Profile:
    """A shopper's distinct items, heaviest first (ties: later last event, then smaller index)."""

    item: np.ndarray     # [K] int64 item index
    count: np.ndarray    # [K] float64 events
    decayed: np.ndarray  # [K] float64 decayed events
    age: np.ndarray      # [K] float64 days since the last event
    gap: np.ndarray      # [K] float64 mean days between events, -1 for a single event
    summary: np.ndarray  # [5] float64, see SHOPPER_FEATURES


def profile(item, time_s, now_s, price, half_life=HALF_LIFE_DAYS):
    """Condenses events (`item` [E] ≥ 1, `time_s` [E], any order, none after `now_s`).

    `price` is the catalogue's [N+1] price table.
    """
    if len(item) == 0:
        none = np.zeros(0)
        return Profile(none.astype(np.int64), none, none, none, none, np.array([0, 0, NEVER, NEVER, 0]))
    age = np.maximum(now_s - time_s, 0) / DAY
    order = np.lexsort((age, item))
    item, age = item[order].astype(np.int64), age[order]
    first_row = np.flatnonzero(np.append(True, item[1:] != item[:-1]))
    count = np.diff(np.append(first_row, len(item)))
    group = np.repeat(np.arange(len(count)), count)
    recent = np.arange(len(item)) - first_row[group] < RECENT_EVENTS
    decayed = np.bincount(group, np.where(recent, 2.0 ** (-age / half_life), 0.0))
    newest, oldest = age[first_row], age[first_row + count - 1]
    gap = np.where(count > 1, (oldest - newest) / np.maximum(count - 1, 1), NEVER)
    distinct = item[first_row]
    heaviest = np.lexsort((distinct, newest, -decayed))
    known = price[distinct]
    known = known[known > 0]
    median = float(np.median(known.astype(np.float64))) if len(known) else 0.0
    summary = np.array([len(item), len(distinct), age.min(), age.max(), median])
    return Profile(distinct[heaviest], count[heaviest].astype(np.float64), decayed[heaviest],
                   newest[heaviest], gap[heaviest], summary)


def history_inputs(who):
    """`history` int64, `history_weight`, `history_age`, `history_type` float32, each [64]."""
    kept = min(HISTORY, len(who.item))
    rows = {name: np.zeros(HISTORY, np.float32) for name, _ in HISTORY_FEATURES}
    rows["history"] = np.zeros(HISTORY, np.int64)
    rows["history"][:kept] = who.item[:kept]
    rows["history_weight"][:kept] = who.decayed[:kept]
    rows["history_age"][:kept] = who.age[:kept]
    rows["history_type"][:kept] = PURCHASE
    return rows


def anchor_input(items):
    """[8] int64, padded with 0."""
    row = np.zeros(ANCHOR, np.int64)
    kept = list(items)[:ANCHOR]
    row[: len(kept)] = kept
    return row


def context_input(slot, now_s):
    """[7] float32: one-hot slot, then day of week and whole hour of day on the circle, in UTC."""
    day = (now_s // DAY + 3) % 7  # the epoch was a Thursday
    hour = now_s % DAY // 3600
    turn = 2 * math.pi
    return np.array([float(slot == name) for name in SLOTS]
                    + [math.sin(turn * day / 7), math.cos(turn * day / 7),
                       math.sin(turn * hour / 24), math.cos(turn * hour / 24)], np.float32)


def cross_inputs(who, chosen, price):
    """[C, 10] float32 for the candidates `chosen` (see `candidates.Chosen`)."""
    cross = np.zeros((len(chosen.item), CROSS), np.float64)
    cross[:, 2:4] = NEVER
    order = np.argsort(who.item)
    if len(order):
        place = order[np.minimum(np.searchsorted(who.item, chosen.item, sorter=order), len(order) - 1)]
        own = who.item[place] == chosen.item
        for column, values in enumerate((who.count, who.decayed, who.age, who.gap)):
            cross[own, column] = values[place[own]]
    median = who.summary[4]
    if median > 0:
        ratio = price[chosen.item].astype(np.float64) / median
        cross[:, 4] = np.minimum(ratio, MAX_PRICE_RATIO)
    cross[:, 5:8] = chosen.source
    cross[:, 8] = chosen.ann_score
    cross[:, 9] = chosen.popular_rank
    return cross.astype(np.float32)
