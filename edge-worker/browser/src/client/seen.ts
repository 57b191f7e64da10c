/**
 * The highest version of each class's manifest that was seen: what keeps an edge from handing out an older one. The one
 * thing that is kept beyond a page, since it is about no shopper: class names and numbers.
 */

import { isCount, isObject } from "../trust/shape.js";
import type { Outside } from "./outside.js";

const NAME = "domicile.seen";

/** The versions seen, here and in this browser's other pages. */
export class Seen {
  readonly #outside: Pick<Outside, "kept" | "keep">;
  readonly #here = new Map<string, number>();

  constructor(outside: Pick<Outside, "kept" | "keep">) {
    this.#outside = outside;
  }

  /** The highest version of a class; 0 when none was seen. */
  version(name: string): number {
    return Math.max(this.#here.get(name) ?? 0, this.#kept().get(name) ?? 0);
  }

  /** Remembers a version. A lower one than before changes nothing. */
  note(name: string, version: number): void {
    if (version > this.version(name)) {
      this.#here.set(name, version);
      const all = this.#kept().set(name, version);
      this.#outside.keep(NAME, JSON.stringify(Object.fromEntries(all)));
    }
  }

  /** What is kept; nothing where it was not written here. Read anew: another tab may have written. */
  #kept(): Map<string, number> {
    try {
      const kept: unknown = JSON.parse(this.#outside.kept(NAME) ?? "{}");
      const entries = Object.entries(isObject(kept) ? kept : {});
      return new Map(entries.filter((entry): entry is [string, number] => isCount(entry[1])));
    } catch {
      return new Map();
    }
  }
}
