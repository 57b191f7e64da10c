"""The demo overlay: what may be shown where, and the popularity lists of every locale.

The denied categories are examples of rules a shop has; they are no legal advice.
"""

import numpy as np

from . import candidates, prepare, snapshot
from .data import DAY, SPLIT
from .learn import shopper_rows

NOT_AFTER = "2027-12-31T00:00:00Z"
SLOTS = {"home": 24, "basket": 12, "product": 12}
ADD_ON_PRICE = 2.50
ADD_ON_DAYS = 60
#: No goods at all, or nothing a page could sell: vouchers, deposits, fuel, services, unnamed lines.
PSEUDO = ["bottle-deposits", "continuities", "coupon", "coupon-misc-items", "coupons-store-mfg", "fuel",
          "in-store-photofinishing", "j-hooks", "long-distance-calling-cards", "miscellaneous",
          "non-edible-products", "other", "overnight-photofinishing", "pharmacy",
          "prepaid-wireless-accessories", "propane", "tickets"]
TOBACCO = ["cigarettes", "cigars", "tobacco-other"]
#: Promotion to the public is restricted in the EU and in the UK.
INFANT = ["infant-formula"]
ALCOHOL = ["beers-ales", "domestic-wine", "imported-wine", "liquor", "misc-wine"]
FIREWORKS = ["fireworks"]
DENIED = {
    "de-DE": PSEUDO + TOBACCO + INFANT + FIREWORKS,
    "fr-FR": PSEUDO + TOBACCO + INFANT + FIREWORKS + ["liquor"],
    "sv-SE": PSEUDO + TOBACCO + INFANT + FIREWORKS + ALCOHOL,
    "en-US": PSEUDO,
    "en-GB": PSEUDO + TOBACCO + INFANT + FIREWORKS,
}


def pick(ranked, count, catalogue, taken, allowed, distinct):
    """The first `count` of `ranked` that are allowed, not taken, and new under `distinct` (a key of
    the item: its title or its category, so that a shelf does not say the same thing twice)."""
    chosen, keys = [], set()
    for i in ranked:
        key = distinct(i)
        if i in taken or key in keys or not allowed(i):
            continue
        chosen.append(int(i))
        keys.add(key)
        if len(chosen) == count:
            taken.update(chosen)
            return chosen
    raise SystemExit(f"only {len(chosen)} of {count} items are eligible: relax the rule")


def entry(catalogue, i):
    return {"id": str(catalogue.ids[i]), "title": catalogue.title[i], "category": catalogue.category[i],
            "image": snapshot.image(catalogue, i), "url": f"/p/{catalogue.ids[i]}"}


def lists_of(events, catalogue, members, denied):
    """The three lists of a locale whose households are the shopper positions `members`.

    All rank by number of distinct shoppers before the split. `home`: overall. `basket`: small
    add-ons (up to 2.50 USD) of the last 60 days. `product`: the best item of each category, for
    variety. No item stands in two lists, no title twice in one.
    """
    shopper = shopper_rows(events)
    seen = (events.item > 0) & (events.time_s < SPLIT) & np.isin(shopper, members)
    late = seen & (events.time_s >= SPLIT - ADD_ON_DAYS * DAY)
    overall = candidates.popularity(shopper[seen], events.item[seen], catalogue.size)
    recent = candidates.popularity(shopper[late], events.item[late], catalogue.size)
    taken = set()

    def allowed(i):
        return catalogue.category[i] not in denied

    def small(i):
        return allowed(i) and 0 < catalogue.price[i] <= ADD_ON_PRICE

    by_title, by_category = catalogue.title.__getitem__, catalogue.category.__getitem__
    return {
        "home": pick(overall, SLOTS["home"], catalogue, taken, allowed, by_title),
        "basket": pick(recent, SLOTS["basket"], catalogue, taken, small, by_title),
        "product": pick(overall, SLOTS["product"], catalogue, taken, allowed, by_category),
    }


def build(events, catalogue):
    """The overlay's payload, ready to be signed."""
    known = set(catalogue.category)
    where = np.array([prepare.locale_of(household) for household in events.shoppers])
    locales = {}
    for locale in ("de-DE", "fr-FR", "en-US", "sv-SE", "en-GB"):
        denied = sorted(set(DENIED[locale]) & known)
        lists = lists_of(events, catalogue, np.flatnonzero(where == locale), set(denied))
        locales[locale] = {
            "deny_categories": denied, "deny_items": [],
            "lists": {slot: [entry(catalogue, i) for i in chosen] for slot, chosen in lists.items()}}
    return {"version": 1, "name": "complete-journey-demo", "vocabulary": snapshot.vocabulary(catalogue),
            "not_after": NOT_AFTER, "slots": SLOTS, "locales": locales}
