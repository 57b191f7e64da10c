/** What the calls of one page share, from its beginning or a logout to the next one. */

import type { Options } from "../api.js";
import { readKey } from "../trust/key.js";
import type { VerifyingKey } from "../trust/key.js";
import { Grants } from "./grant.js";
import { Memory } from "./memory.js";
import type { Outside } from "./outside.js";
import type { Seen } from "./seen.js";

/** Page limit in milliseconds while no manifest is known. */
const PAGE_LIMIT_MS = 900;

/** What stays the same over logouts. */
export interface Setup {
  readonly outside: Outside;
  /** The edge's origin, without a slash at its end. */
  readonly edge: string;
  readonly roots: Promise<readonly VerifyingKey[]>;
  readonly ask: Options["grant"];
  readonly seen: Seen;
}

/** Reads what a page states once. A root that is no key is told to whoever develops the page, and trusted by nobody. */
export async function readRoots(outside: Outside, roots: Options["roots"]): Promise<readonly VerifyingKey[]> {
  const read = await Promise.all(roots.map(readKey));
  if (read.includes(null)) {
    outside.warn("domicile: a root is no public JWK of P-256 with its fingerprint as kid, and is not trusted");
  }
  return read.filter((key) => key !== null);
}

/** One session. Nothing that is under way in it outlives its end. */
export class Session {
  readonly memory = new Memory();
  readonly grants = new Grants();
  readonly outside: Outside;
  readonly edge: string;
  readonly roots: Promise<readonly VerifyingKey[]>;
  readonly ask: Options["grant"];
  readonly seen: Seen;
  page_limit_ms = PAGE_LIMIT_MS;
  /** To be called when a grant is another shopper's: this session is over then. */
  readonly isAnothers: () => void;
  readonly #end = new AbortController();

  constructor({ outside, edge, roots, ask, seen }: Setup, isAnothers: () => void) {
    this.isAnothers = isAnothers;
    this.outside = outside;
    this.edge = edge;
    this.roots = roots;
    this.ask = ask;
    this.seen = seen;
  }

  /** Aborted at its end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Seconds since 1970, by our clock and the cells' as far as that is known: the earlier. Either may be wrong. */
  least_s(): number {
    const own_s = this.outside.unixSeconds();
    return Math.min(own_s, own_s + this.memory.offset_s);
  }

  /** Ends it. */
  end(): void {
    this.#end.abort();
  }
}
