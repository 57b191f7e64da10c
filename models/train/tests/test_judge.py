"""The judge on rankings whose figure is known."""

import math
import unittest

import numpy as np

from .. import judge


class JudgeTest(unittest.TestCase):
    def test_perfect_and_empty(self):
        self.assertEqual(judge.ndcg([1, 2], {1, 2}), 1.0)
        self.assertEqual(judge.ndcg([3, 4], {1, 2}), 0.0)
        self.assertEqual(judge.ndcg([], {1}), 0.0)

    def test_one_hit_in_second_place(self):
        self.assertAlmostEqual(judge.ndcg([5, 1], {1}), 1 / math.log2(3))

    def test_two_relevant_one_found_first(self):
        self.assertAlmostEqual(judge.ndcg([1, 5, 6], {1, 2}), 1 / (1 + 1 / math.log2(3)))

    def test_only_ten_places_count(self):
        self.assertEqual(judge.ndcg(list(range(10)) + [99], {99}), 0.0)
        self.assertEqual(judge.ndcg(list(range(10)), set(range(50))), 1.0)

    def test_recall(self):
        self.assertEqual(judge.recall([1, 2, 3], {2, 3, 4, 5}), 0.5)

    def test_equal_scores_keep_their_order(self):
        ranked = judge.by_score(np.array([7, 8, 9]), np.array([1.0, 2.0, 1.0]))
        self.assertEqual(ranked.tolist(), [8, 7, 9])


if __name__ == "__main__":
    unittest.main()
