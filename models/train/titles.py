"""Names for items that have none: built from category, type, size and kind of brand."""

import re

MAX_TITLE = 80
#: Abbreviations of the source, spelled out; whole words only.
WORDS = {
    "brkfst": "breakfast", "bkd": "baked", "bn": "bean", "btr": "butter", "ckys": "cookies",
    "cntrl": "central", "crkr": "cracker", "crystl": "crystal", "dnr": "dinner", "dsh": "dish",
    "drnk": "drink", "drnks": "drinks", "drsng": "dressing", "fd": "food", "flvrd": "flavoured",
    "frzn": "frozen", "hbc": "health and beauty", "jce": "juice", "ltr": "litre", "mfg": "manufacturer",
    "misc": "miscellaneous", "mixs": "mixes", "mxs": "mixes", "ndairy": "non-dairy", "pkg": "packaged",
    "pkgd": "packaged", "pkld": "pickled", "pnt": "peanut", "pwdr": "powder", "refrgratd": "refrigerated",
    "sald": "salad", "seasn": "season", "snks": "snacks", "sndwch": "sandwich", "specilaty": "speciality",
    "sply": "supplies", "spec": "special", "sprd": "spread", "stk": "stick", "supppplies": "supplies",
    "suppplies": "supplies", "supplemen": "supplement", "sweetners": "sweeteners", "tiss": "tissue",
    "trsh": "trash", "bg": "bag", "veg": "vegetable", "wholsm": "wholesome", "whlsm": "wholesome",
    "wtr": "water", "cleang": "cleaning", "disposible": "disposable", "memorablilia": "memorabilia",
    "beeralemalt": "beer, ale and malt", "gm": "general merchandise", "pckgd": "packaged",
    "whl": "whole", "choc": "chocolate", "cond": "condensed", "asst": "assorted", "reg": "regular",
    "lunchmeat": "lunch meat", "pwdrd": "powdered", "frsh": "fresh", "orig": "original",
    "iws": "wrapped", "sft": "soft", "btl": "bottle", "carb": "carbonated", "incl": "included",
    "sngl": "single", "srv": "serve", "mlt": "multi", "dnrs": "dinners", "ss": "single-serve",
    "crbntd": "carbonated", "drnking": "drinking", "mneral": "mineral", "wate": "water",
    "unswe": "unsweetened", "hygn": "hygiene", "fem": "feminine", "saus": "sausage", "sw": "sweet",
    "gds": "goods", "dan": "danish", "prep": "prepared", "pickld": "pickled", "oth": "other",
    "marinad": "marinades", "saucessalsapicantee": "sauces and salsa", "asceptic": "aseptic",
    "chococlate": "chocolate", "worchester": "worcester", "vac": "vacuum", "pac": "packed",
    "rts": "ready", "homestyle": "home-style", "sherbts": "sherbets", "may": "mayonnaise",
    "trans": "transactions", "fs": "sliced", "pkt": "packet", "whit": "white", "ban": "bananas",
    "bnls": "boneless", "val": "value", "grnd": "ground", "rw": "random-weight", "chix": "chicken",
}
UNITS = {"oz": "oz", "lb": "lb", "lbs": "lb", "ct": "ct", "gal": "gal", "ga": "gal", "ml": "ml", "ltr": "l",
         "l": "l", "lt": "l", "pt": "pt", "qt": "qt", "pk": "pack", "sq": "sq", "ft": "ft",
         "in": "in", "dz": "dozen", "doz": "dozen", "gr": "g", "g": "g", "ea": "each"}


def slug(text):
    """Lower-case words joined by hyphens: a stable name for a category or a file."""
    return re.sub(r"[^a-z0-9]+", "-", (text or "").lower()).strip("-") or "other"


def phrase(text):
    """A readable lower-case phrase from the source's capitals and abbreviations."""
    text = (text or "").lower()
    text = re.sub(r"\([^)]*\)?", " ", text)
    text = re.sub(r"\s*[/:]\s*|\s+-\s+|-\s+", ", ", text).replace("&", " and ")
    text = re.sub(r"\.(?!\d)", " ", text)
    text = re.sub(r"[a-z]+", lambda word: WORDS.get(word.group(), word.group()), text)
    text = re.sub(r"\s+", " ", text)
    # The source cuts long names off: a last word of one or two letters is a stump.
    text = re.sub(r"[ ,](?!in$)[a-z]{1,2}$", "", text.strip())
    parts = [part.strip(" .,-") for part in text.split(",")]
    return ", ".join(dict.fromkeys(part for part in parts if part))


def size(text):
    """`14.5 OZ` → `14.5 oz`; an empty string when the source gives no usable size."""
    text = re.sub(r"\s+", " ", (text or "").strip().lower())
    if not re.match(r"^[\d./ ]*\d", text):
        return ""
    return re.sub(r"[a-z]+", lambda unit: UNITS.get(unit.group(), unit.group()), text)[:16]


def shorten(text, limit):
    """Cuts at a word, never inside one (unless the first word alone is too long)."""
    if len(text) <= limit:
        return text
    cut = text[: limit + 1].rsplit(" ", 1)[0].rstrip(" ,-")
    cut = re.sub(r"(?:,? and)$", "", cut)
    return cut[:limit]


def describe(product):
    """`title`, `category`, `department`, `type` of one row of the products table."""
    category, kind = product["product_category"], product["product_type"]
    name = phrase(kind) or phrase(category) or "unnamed product"
    # A type such as "original" or "frozen" says little alone, so its category goes first.
    family = phrase(category)
    fresh = product["department"] == "PRODUCE"
    if family and len(name.split()) == 1 and name not in family and not fresh:
        name = f"{family}, {name}"
    brand = {"Private": "store brand"}.get(product["brand"], "national brand")
    # The size of fresh produce is that of the crate it came in.
    measure = "" if fresh else size(product["package_size"])
    tail = (f", {measure}" if measure else "") + f" ({brand})"
    title = shorten(name, MAX_TITLE - len(tail)) + tail
    return {"title": title[0].upper() + title[1:], "category": slug(category),
            "department": slug(product["department"]), "type": slug(kind)}
