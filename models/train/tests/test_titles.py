"""Titles are short, readable and stable."""

import unittest

from .. import titles


def row(**changes):
    return {"product_category": "FLUID MILK PRODUCTS", "product_type": "FLUID MILK WHITE ONLY",
            "department": "GROCERY", "brand": "Private", "package_size": "1 GA", **changes}


class TitleTest(unittest.TestCase):
    def test_reads_well(self):
        made = titles.describe(row())
        self.assertEqual(made["title"], "Fluid milk white only, 1 gal (store brand)")
        self.assertEqual(made["category"], "fluid-milk-products")

    def test_a_lone_word_gets_its_family(self):
        made = titles.describe(row(product_category="BAG SNACKS", product_type="PRETZELS",
                                   package_size=None, brand="National"))
        self.assertEqual(made["title"], "Bag snacks, pretzels (national brand)")

    def test_produce_has_no_crate_size(self):
        made = titles.describe(row(product_category="TROPICAL FRUIT", product_type="BANANAS",
                                   department="PRODUCE", package_size="40 LB"))
        self.assertEqual(made["title"], "Bananas (store brand)")

    def test_never_too_long_and_never_empty(self):
        made = titles.describe(row(product_type="WORD " * 40))
        self.assertLessEqual(len(made["title"]), titles.MAX_TITLE)
        nothing = titles.describe(dict.fromkeys(row()))
        self.assertEqual((nothing["title"], nothing["category"]), ("Unnamed product (national brand)", "other"))


if __name__ == "__main__":
    unittest.main()
