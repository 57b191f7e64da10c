/** What the shelf itself says, by language. A page says it otherwise with `label` and the `label-…` attributes. */

export interface Words {
  /** Heading and name of the region. It has to hold for the list and for the personal shelf alike. */
  readonly label: string;
  readonly previous: string;
  readonly next: string;
  readonly empty: string;
}

type Row = readonly [label: string, previous: string, next: string, empty: string];

const ENGLISH: Row = ["Suggestions", "Previous items", "Next items", "Nothing to show right now"];

const ROWS: Readonly<Record<string, Row>> = {
  de: ["Vorschläge", "Vorherige Artikel", "Nächste Artikel", "Gerade gibt es hier nichts zu zeigen"],
  fr: ["Suggestions", "Articles précédents", "Articles suivants", "Rien à afficher pour le moment"],
  sv: ["Förslag", "Föregående varor", "Nästa varor", "Inget att visa just nu"],
};

/** The words of a locale's language; English where there are none. */
export function words(locale: string): Words {
  const language = locale.split("-", 1)[0]?.toLowerCase() ?? "";
  const [label, previous, next, empty] = Object.hasOwn(ROWS, language) ? (ROWS[language] ?? ENGLISH) : ENGLISH;
  return { label, previous, next, empty };
}

const LEFTWARD = /^(ar|arc|ckb|dv|fa|he|iw|ks|nqo|ps|sd|syr|ug|ur|yi)(-|$)|-(arab|hebr|nkoo|syrc|thaa)(-|$)/i;

/** Which way a locale's language is written. `Intl.Locale` knows too, but not yet in every browser. */
export function direction(locale: string): "ltr" | "rtl" {
  return LEFTWARD.test(locale) && !/-latn(-|$)/i.test(locale) ? "rtl" : "ltr";
}
