"""The demo data as arrays: the catalogue and every shopper's events in time order."""

import calendar
import dataclasses

import numpy as np
import pyarrow.compute as pc

from . import prepare, titles

MIN_PURCHASES = 5
DAY = 86_400


def utc(year, month, day=1):
    """Seconds since the Unix epoch at midnight UTC."""
    return calendar.timegm((year, month, day, 0, 0, 0))


#: Training sees events before this instant; the judge asks about those at or after it.
SPLIT = utc(2017, 12)


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """N items; row 0 of every array is the padding item."""

    ids: np.ndarray           # [N+1] int64 product ids, 0 first
    price: np.ndarray         # [N+1] float32 median unit price in USD, 0 = unknown
    title: list               # N+1 strings
    category: list            # N+1 slugs
    department: list          # N+1 slugs
    type_code: np.ndarray     # [N+1] int32 code of the product type, 0 = padding
    category_code: np.ndarray  # [N+1] int32 code of the category, 0 = padding

    @property
    def size(self):
        return len(self.ids) - 1


@dataclasses.dataclass(frozen=True)
class Events:
    """All events, sorted by shopper, then time. Row range of shopper s: `start[s]:start[s+1]`."""

    shoppers: np.ndarray  # [S] int64 household ids
    start: np.ndarray     # [S+1] row offsets
    item: np.ndarray      # [E] int32 item index, 0 = not in the catalogue
    raw_item: np.ndarray  # [E] int64 product id
    time_s: np.ndarray    # [E] int64 seconds since the Unix epoch

    def of(self, s, before=None, since=None):
        """`(item, time_s)` of one shopper's catalogue events in `[since, before)`, oldest first."""
        rows = slice(self.start[s], self.start[s + 1])
        item, time_s = self.item[rows], self.time_s[rows]
        low = 0 if since is None else np.searchsorted(time_s, since)
        high = len(time_s) if before is None else np.searchsorted(time_s, before)
        item, time_s = item[low:high], time_s[low:high]
        known = item > 0
        return item[known], time_s[known]


def median_prices(ids, product, price):
    """Median of `price` per product, 2 decimals, never below one cent when a price is known."""
    order = np.lexsort((price, product))
    product, price = product[order], price[order]
    low = np.searchsorted(product, ids, side="left")
    high = np.searchsorted(product, ids, side="right")
    result = np.zeros(len(ids), np.float64)
    known = high > low
    middle = (low + high - 1) / 2
    lower, upper = np.floor(middle).astype(int), np.ceil(middle).astype(int)
    result[known] = (price[lower[known]] + price[upper[known]]) / 2
    result[known] = np.maximum(np.round(result[known], 2), 0.01)
    return result.astype(np.float32)


def codes(names):
    """[N+1] int32: a code per distinct name in order of the alphabet, 0 for the padding row."""
    table = {name: i + 1 for i, name in enumerate(sorted(set(names[1:])))}
    return np.array([0] + [table[name] for name in names[1:]], np.int32)


def load():
    """Reads the package. Returns `(catalogue, events, dropped)`."""
    lines, products = prepare.read_source()
    kept, dropped = prepare.keep_lines(lines, products["product_id"].to_pylist())
    table = prepare.to_events(kept)
    household = table["shopper"].to_numpy()
    raw_item, time_s = table["item"].to_numpy(), table["time_s"].to_numpy()

    seen, count = np.unique(raw_item[time_s < SPLIT], return_counts=True)
    ids = seen[count >= MIN_PURCHASES]
    position = np.searchsorted(ids, raw_item)
    found = ids[np.minimum(position, len(ids) - 1)] == raw_item
    item = np.where(found, position + 1, 0).astype(np.int32)

    shoppers = np.unique(household)
    start = np.searchsorted(household, shoppers)
    events = Events(shoppers, np.append(start, len(household)), item, raw_item, time_s)
    return catalogue_of(ids, kept, products), events, dropped


def catalogue_of(ids, lines, products):
    """The catalogue of the product `ids` (sorted); prices come from training-time lines only."""
    early = lines.filter(pc.less(pc.cast(lines["transaction_timestamp"], "timestamp[s]", safe=False)
                                 .cast("int64"), SPLIT))
    paid = early["sales_value"].to_numpy()
    unit = paid / early["quantity"].to_numpy()
    price = median_prices(ids, early["product_id"].to_numpy()[paid > 0], unit[paid > 0])
    rows = {row["product_id"]: row for row in products.to_pylist()}
    described = [titles.describe(rows[int(i)]) for i in ids]
    title, category, department, kind = (
        [""] + [entry[field] for entry in described]
        for field in ("title", "category", "department", "type"))
    return Catalogue(
        ids=np.concatenate([[0], ids]), price=np.concatenate([[0], price]).astype(np.float32),
        title=title, category=category, department=department,
        type_code=codes([c + "/" + k for c, k in zip(category, kind)]), category_code=codes(category))
