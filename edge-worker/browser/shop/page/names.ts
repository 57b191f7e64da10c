/** Names as a shopper reads them. */

const WORDS: Readonly<Record<string, string>> = {
  frzn: "frozen", refrgratd: "chilled", drnks: "drinks", drnk: "drink", sald: "salad", drsng: "dressing",
  sndwch: "sandwich", sprd: "spreads", pnt: "peanut", btr: "butter", pwdr: "powder", crystl: "crystal", mx: "mix",
  jce: "juice", conc: "concentrate", veg: "vegetables", dsh: "dishes", bn: "beans", misc: "other", mxs: "mixes",
  tiss: "tissues", dnr: "dinner", pkld: "pickled", flvrd: "flavoured", sherbts: "sherbets", wtr: "water", fd: "food",
  bkd: "baked", trsh: "bin", bg: "bags", whlsm: "wholesome", brkfst: "breakfast", sweetners: "sweeteners",
  sply: "supplies", suppplies: "supplies", cleang: "cleaning", snks: "snacks", ckys: "cookies", crkr: "crackers",
  cndy: "sweets", pkgd: "packaged", gm: "", retail: "", pk: "packs",
};

/** A category's slug in words. */
export function category(slug: string): string {
  const words = slug.split("-").map((word) => WORDS[word] ?? word).filter((word) => word !== "");
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const COUNTRIES = new Intl.DisplayNames("en", { type: "region" });
/** A country of this code. */
export function country(code: string): string {
  return COUNTRIES.of(code) ?? code;
}

/** A locale by its country: the demo has one of each. */
export function region(locale: string): string {
  const { region: code } = new Intl.Locale(locale);
  return code === undefined ? locale : country(code);
}

const MONEY = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** US dollars. */
export function money(dollars: number): string {
  return MONEY.format(dollars);
}

/** Seconds, as long ago. */
export function age(seconds: number): string {
  const steps: readonly (readonly [number, string])[] = [[86_400, "day"], [3_600, "hour"], [60, "minute"], [1, "second"]];
  const [size, unit] = steps.find(([size]) => seconds >= size) ?? [1, "second"];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
