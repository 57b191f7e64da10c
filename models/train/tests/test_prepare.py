"""The locale hash and the counting of what is dropped."""

import datetime
import hashlib
import unittest

import pyarrow as pa

from .. import prepare


def lines(rows):
    """`(household, product, basket, quantity, time)` as the source's table."""
    household, product, basket, quantity, at = zip(*rows)
    return pa.table({
        "household_id": list(household), "product_id": list(product), "basket_id": list(basket),
        "quantity": list(quantity), "transaction_timestamp": pa.array(at, pa.timestamp("ns"))})


NOON = datetime.datetime(2017, 3, 1, 12, 0, 59)


class LocaleTest(unittest.TestCase):
    def test_follows_the_documented_hash(self):
        for shopper in range(1, 200):
            digest = hashlib.sha256(b"domicile-demo-locale:%d" % shopper).hexdigest()
            bucket = int(digest[:16], 16) % 100
            expected = ("de-DE" if bucket < 28 else "fr-FR" if bucket < 50 else "sv-SE" if bucket < 62
                        else "en-US" if bucket < 88 else "en-GB")
            self.assertEqual(prepare.locale_of(shopper), expected)

    def test_known_values(self):
        self.assertEqual([prepare.locale_of(s) for s in (1, 2)], ["sv-SE", "de-DE"])


class LinesTest(unittest.TestCase):
    def test_counts_each_dropped_line_once(self):
        table = lines([(1, 10, 1, 1, NOON), (1, 10, 2, 0, NOON), (1, 99, 3, 1, NOON), (1, 99, 4, -1, NOON)])
        kept, dropped = prepare.keep_lines(table, [10, 11])
        self.assertEqual(kept.num_rows, 1)
        self.assertEqual(dropped, {"quantity not positive": 2, "product unknown": 1})

    def test_an_event_is_a_household_item_and_basket_at_a_whole_minute(self):
        later = NOON + datetime.timedelta(minutes=5)
        events = prepare.to_events(lines([
            (2, 10, 7, 1, NOON), (1, 11, 5, 1, later), (1, 10, 5, 1, later), (1, 10, 5, 2, NOON)]))
        minute = int(NOON.replace(second=0, tzinfo=datetime.timezone.utc).timestamp())
        self.assertEqual(events["shopper"].to_pylist(), [1, 1, 2])
        self.assertEqual(events["item"].to_pylist(), [10, 11, 10])
        self.assertEqual(events["time_s"].to_pylist(), [minute, minute + 300, minute])


if __name__ == "__main__":
    unittest.main()
