/**
 * What a page can say to Domicile, and what it hears: the types alone.
 *
 * One {@link Domicile} serves a page: its shelves share one manifest, one grant and one memory of which cells failed.
 * Nothing here throws for what a network or an edge does: a page always has an answer, and a reason with it.
 */

/** Where a shelf stands. */
export interface Place {
  /** The locale's BCP 47 tag, as in the topology. */
  readonly locale: string;
  /** The slot's name, as in the topology. */
  readonly slot: string;
}

/** One item, as a list or a cell names it. All of it is text from elsewhere: never markup. */
export interface Item {
  readonly id: string;
  readonly title: string;
  readonly category: string;
  /** Path of its image, against the shop's own origin; empty where there is none. */
  readonly image: string;
  /** Path of its page, against the shop's own origin. */
  readonly url: string;
  /** Where a cell found it: `own`, `ann` or `popular`; absent in a list. */
  readonly source?: string;
}

/** A popularity list of the edge: the same for everybody of a locale. */
export interface List extends Place {
  readonly rung: "list";
  readonly overlay: string;
  /** RFC 3339. */
  readonly not_after: string;
  /** Whether `not_after` is over. It is served nevertheless. */
  readonly stale: boolean;
  readonly items: readonly Item[];
}

/** The rungs of the ladder. */
export type Rung = "full" | "compact" | "last-good" | "list";

/** A cell's ranking. */
export interface Ranking {
  readonly items: readonly Item[];
  readonly rung: Rung;
  /** Why that rung. */
  readonly reason: string;
  readonly snapshot: string;
  readonly overlay: string;
  readonly cell: string;
  /** What was known of the shopper, and for how many seconds nothing was added to it. */
  readonly features: { readonly state: string; readonly age_s: number };
  /** Microseconds in the cell. */
  readonly elapsed_us: number;
}

/** What proves an answer later: `domicile receipt verify` takes the three. */
export interface Kept {
  /** The sealed request, as it was sent. */
  readonly request: Uint8Array;
  /** The answer's content, opened. */
  readonly content: Uint8Array;
  /** The receipt's envelope (DSSE, JSON). */
  readonly receipt: string;
}

/** An answer of a cell, opened and its receipt verified. */
export interface Answered<T> {
  readonly is: "answered";
  readonly value: T;
  readonly cell: string;
  /** Milliseconds from the call to here. */
  readonly ms: number;
  /** What the one extra attempt was spent on; `null` where it was not needed. */
  readonly extra: Cause | null;
  readonly kept: Kept;
}

/** What an extra attempt is spent on: a reason, or what a cell said inside the seal. */
export type Cause = Reason | "date-skew" | "late" | "store-failed" | "unknown-class";

/** A cell of the class answered, and refused: its code (docs/cell.md). */
export interface Refused {
  readonly is: "refused";
  readonly code: string;
  readonly cell: string;
  readonly ms: number;
}

/** Nothing personal came: the list stays. */
export interface Stays {
  readonly is: "stays";
  readonly reason: Reason;
  /** What the edge said where it refused the request itself (docs/edge.md). Its words: to be shown, not believed. */
  readonly edge?: EdgeProblem;
  readonly ms: number;
}

/** A refusal by the edge, in the clear: the HTTP status, and its problem's code or an empty text. */
export interface EdgeProblem {
  readonly status: number;
  readonly code: string;
}

/** What became of a call. Never a rejection. */
export type Outcome<T> = Answered<T> | Refused | Stays;

/** Why the list stays: those of docs/client.md, and the page's own. */
export type Reason =
  | "manifest-lost" | "manifest-untrusted" | "manifest-invalid" | "manifest-stale" | "manifest-rolled-back"
  | "keys-lost" | "keys-untrusted" | "keys-invalid" | "keys-stale"
  | "other-class" | "no-cell" | "home-not-in-class" | "cell-not-in-class" | "page-not-in-manifest"
  | "grant-expired" | "too-long" | "backing-off"
  | "key-refused" | "too-large" | "cell-busy" | "cell-failed" | "edge-refused"
  | "answer-lost" | "not-an-answer" | "receipt-refused" | "page-limit"
  // The page's own: the shopper has no grant and wants none; one was asked for and did not come; the shopper has logged
  // out; the shopper was at the shelf already; this browser lacks what sealing needs (docs/browser.md).
  | "no-grant" | "grant-lost" | "logged-out" | "in-use" | "no-crypto";

/** What the identity endpoint hands out. In memory alone, dropped at logout. */
export interface Grant {
  readonly token: string;
  readonly pin: string;
  readonly class: string;
  readonly home: string;
  /** Seconds since 1970. */
  readonly not_after: number;
}

/** What happened on a page. `id` and `time_s` are given by the client. */
export type ShopEvent =
  | { readonly kind: "view" | "basket" | "purchase"; readonly item: string }
  | { readonly kind: "impression"; readonly rung: Rung; readonly shown: "used" | "late"; readonly client_ms: number };

/** What a page states once. */
export interface Options {
  /** The edge's origin, `https://edge.shop.example`. */
  readonly edge: string;
  /** Public root keys (JWK text or object): the one in use, and its successor. */
  readonly roots: readonly (string | JsonWebKey)[];
  /**
   * Asks the retailer's identity endpoint for a grant of a locale; `null` where the shopper has none and wants none.
   * {@link identity} makes one for the reference service.
   */
  readonly grant: (locale: string, signal: AbortSignal) => Promise<Grant | null>;
}

/** A page's side. Made by `domicile(options)`. */
export interface Domicile {
  /** The list. Rejects where the edge gave none; an edge that answers wrongly is not shown. */
  list(place: Place, signal?: AbortSignal): Promise<List>;
  /**
   * The personal shelf, within `limit_ms` from now; without it, the manifest's `page_limit_ms`.
   * `anchor`: ids of the items that the page is about, 32 at most.
   */
  rank(place: Place, anchor?: readonly string[], limit_ms?: number): Promise<Outcome<Ranking>>;
  /** The class's page limit in milliseconds, once a manifest is known; 900 before. */
  readonly page_limit_ms: number;
  /** Puts an event into the queue. It is told as soon as may be, and once. */
  tell(event: ShopEvent, locale: string): void;
  /** Events that were given up: of a shopper without a grant, not of an event's form, or too many to keep. */
  readonly dropped: number;
  /** Resolves when everything told so far was acknowledged, or cannot be for now: how many are left. */
  flush(): Promise<number>;
  /** What the home cell keeps of the shopper, page after page; what is kept with it shows the last page. */
  export(locale: string): Promise<Outcome<readonly unknown[]>>;
  /** Erases what the home cell keeps of the shopper. */
  erase(locale: string): Promise<Outcome<unknown>>;
  /**
   * Forgets token, manifest, keys, queue and shelves, here and in this origin's other pages. Shelves show their list
   * again. To be called once the session has ended: whoever asks before that is given its grant.
   */
  logout(): void;
  /** Called at logout, in this page or in another. Returns what takes it back. */
  onLogout(listener: () => void): () => void;
}
