"""Feature functions on cases small enough to work out by hand."""

import unittest

import numpy as np

from .. import candidates, features
from ..data import DAY, utc

NOW = utc(2017, 12)
PRICE = np.array([0, 1, 2, 4, 0], np.float32)


def profile(*events, half_life=10.0):
    item = np.array([i for i, _ in events], np.int64)
    return features.profile(item, NOW - np.array([int(d * DAY) for _, d in events], np.int64), NOW,
                            PRICE, half_life)


class ProfileTest(unittest.TestCase):
    def test_counts_decays_and_orders(self):
        who = profile((1, 10), (1, 30), (2, 0))
        self.assertEqual(who.item.tolist(), [2, 1])
        self.assertEqual(who.count.tolist(), [1, 2])
        np.testing.assert_allclose(who.decayed, [1, 0.5 + 0.125])
        self.assertEqual(who.age.tolist(), [0, 10])
        self.assertEqual(who.gap.tolist(), [-1, 20])
        np.testing.assert_allclose(who.summary, [3, 2, 0, 30, 1.5])

    def test_ties_go_to_the_later_then_the_smaller(self):
        self.assertEqual(profile((3, 5), (2, 5), (1, 5)).item.tolist(), [1, 2, 3])

    def test_only_the_sixteen_latest_events_weigh(self):
        who = profile(*[(1, 0)] * 20)
        self.assertEqual((who.count[0], who.decayed[0]), (20, 16))

    def test_unknown_prices_stay_out_of_the_median(self):
        self.assertEqual(profile((4, 1), (2, 1)).summary[4], 2)

    def test_nobody(self):
        who = profile()
        self.assertEqual(who.summary.tolist(), [0, 0, -1, -1, 0])
        self.assertFalse(features.history_inputs(who)["history"].any())


class ContextTest(unittest.TestCase):
    def test_friday_at_six(self):
        row = features.context_input("basket", NOW + 6 * 3600 + 59)  # 1 December 2017 was a Friday
        turn = 2 * np.pi * 4 / 7
        np.testing.assert_allclose(row, [0, 1, 0, np.sin(turn), np.cos(turn), 1, 0], atol=1e-6)


class CandidatesTest(unittest.TestCase):
    def test_union_keeps_order_and_every_source(self):
        scores = np.array([0.1, 0.9, 0.5, 0.0], np.float32)
        chosen = candidates.choose(np.array([3, 1]), scores, np.array([2, 4]), (1, 2, 2))
        self.assertEqual(chosen.item.tolist(), [3, 2, 4])
        self.assertEqual(chosen.source.tolist(), [[1, 1, 0], [0, 1, 1], [0, 0, 1]])
        np.testing.assert_allclose(chosen.ann_score, [0.5, 0.9, 0.0], atol=1e-7)
        np.testing.assert_allclose(chosen.popular_rank, [0, 1, 0.5])

    def test_without_history_and_anchor_only_the_popular(self):
        chosen = candidates.choose(np.zeros(0, int), None, np.array([2, 4]))
        self.assertEqual(chosen.item.tolist(), [2, 4])
        self.assertFalse(chosen.ann_score.any())

    def test_popularity_counts_shoppers_not_purchases(self):
        ranked = candidates.popularity(np.array([0, 0, 0, 0, 1]), np.array([1, 1, 1, 2, 2]), 3)
        self.assertEqual(ranked.tolist(), [2, 1])

    def test_cross_features(self):
        who = profile((1, 10), (1, 30), (3, 0))
        chosen = candidates.choose(who.item, None, np.array([2, 3]))
        cross = features.cross_inputs(who, chosen, PRICE)
        rows = dict(zip(chosen.item.tolist(), cross.tolist()))
        np.testing.assert_allclose(rows[1], [2, 0.625, 10, 20, 0.4, 1, 0, 0, 0, 0], rtol=1e-6)
        np.testing.assert_allclose(rows[2], [0, 0, -1, -1, 0.8, 0, 0, 1, 0, 1], rtol=1e-6)
        np.testing.assert_allclose(rows[3], [1, 1, 0, -1, 1.6, 1, 0, 1, 0, 0.5], rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
