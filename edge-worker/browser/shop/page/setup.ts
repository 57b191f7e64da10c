/** What the shop's server says of the demo: where things are, who can be chosen, which cells there are. */

export interface Shopper {
  readonly id: string;
  /** The cell where the history lies; `null` where the region has none. */
  readonly home: string | null;
}

export interface Region {
  readonly locale: string;
  readonly class: string;
  readonly cells: readonly string[];
}

export interface Cell {
  readonly name: string;
  readonly boundary: string;
  readonly operator: string;
  readonly site: string;
  readonly jurisdiction: string;
}

export interface Setup {
  readonly edge: string;
  readonly identity: string;
  readonly roots: readonly string[];
  readonly locales: readonly Region[];
  readonly cells: readonly Cell[];
  readonly shoppers: Readonly<Record<string, readonly Shopper[]>>;
  readonly controls: boolean;
}

/** A product, as the shop's own catalogue has it. */
export interface Product {
  readonly id: string;
  readonly title: string;
  readonly category: string;
  readonly image: string;
  readonly url: string;
  /** US dollars. */
  readonly price: number;
}

/** JSON of the shop's own origin; `null` where it has none. */
export async function own<T>(path: string): Promise<T | null> {
  const answer = await fetch(path, { cache: "no-store" });
  return answer.ok ? ((await answer.json()) as T) : null;
}
