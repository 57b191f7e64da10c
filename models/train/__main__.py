"""`python -m train --out DIR` (in `models/`): learns, judges and writes the demo snapshot."""

import argparse
import json
import pathlib
import time

from . import candidates, data, learn, overlay, parity, report, snapshot
from .data import SPLIT


def main():
    parser = argparse.ArgumentParser(prog="train", description="train and judge the demo snapshot")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="folder for the snapshot's files, manifest.json, overlay.json and parity.json")
    parser.add_argument("--seed", type=int, default=learn.Setting.seed)
    parser.add_argument("--quick", action="store_true", help="one pass per stage: rough, for trying things")
    asked = parser.parse_args()
    setting = learn.Setting(asked.seed, 1, 1, 1) if asked.quick else learn.Setting(asked.seed)
    started = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - started:5.0f} s] {text}", flush=True)

    say("1/5 reading the demo data")
    catalogue, events, dropped = data.load()
    for reason, count in dropped.items():
        say(f"    dropped {count:,} lines: {reason}")
    say(f"    {len(events.item):,} events, {len(events.shoppers):,} shoppers, {catalogue.size:,} items")

    say("2/5 learning embeddings and query tower")
    tower, embedding = learn.learn_tower(events, catalogue, setting)
    say("3/5 learning the full ranker, then the compact one from it")
    full, compact = learn.learn_rankers(events, catalogue, setting, tower, embedding)

    say("4/5 writing and judging the snapshot")
    tables = learn.tables_of(catalogue, embedding, learn.item_stats(events, catalogue, SPLIT))
    snapshot.write_files(asked.out, catalogue, embedding,
                         {"tower": tower, "full": full, "compact": compact}, tables)
    served = snapshot.Served(asked.out)
    popular = learn.popular_before(events, catalogue.size, SPLIT)[: candidates.POPULAR_LIST]
    metrics = report.measure(events, catalogue, embedding, popular, served)

    say("5/5 writing manifest, overlay and parity cases")
    write = snapshot.write_json
    write(asked.out / "manifest.json",
          snapshot.manifest(asked.out, catalogue, popular, metrics, asked.seed))
    write(asked.out / "overlay.json", overlay.build(events, catalogue))
    write(asked.out / "parity.json", parity.build(events, catalogue, popular, embedding, served), indent=None)
    print(json.dumps(metrics, indent=2))
    say("done")


if __name__ == "__main__":
    main()
