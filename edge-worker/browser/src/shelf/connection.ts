/** What joins the shelves of a page: the {@link Domicile} they share, and its logout. */

import type { Domicile } from "../api.js";

/** What has to forget its personal shelf at logout. */
export interface Forgets {
  forget(): void;
}

let shared: Domicile | null = null;
const waiting = new Set<() => void>();
const heeding = new WeakMap<Domicile, Set<WeakRef<Forgets>>>();

/** Gives all shelves of the page without a `domicile` of their own this one; `null` takes it away. */
export function connect(domicile: Domicile | null): void {
  shared = domicile;
  for (const listener of [...waiting]) {
    listener();
  }
}

/** The one that is shared. */
export function connected(): Domicile | null {
  return shared;
}

/** Calls `listener` whenever another one is shared. Returns what takes it back. */
export function onConnect(listener: () => void): () => void {
  waiting.add(listener);
  return () => void waiting.delete(listener);
}

/**
 * Has `shelf` forget at `domicile`'s logout, also while it is out of the document: what is taken out may come back.
 * It is held weakly, so a shelf that is gone for good costs nothing.
 */
export function heed(domicile: Domicile, shelf: Forgets): void {
  let shelves = heeding.get(domicile);
  if (shelves === undefined) {
    const all = new Set<WeakRef<Forgets>>();
    domicile.onLogout(() => {
      for (const one of all) {
        one.deref()?.forget();
      }
    });
    heeding.set(domicile, (shelves = all));
  }
  for (const one of shelves) {
    const known = one.deref();
    if (known === shelf) {
      return;
    }
    if (known === undefined) {
      shelves.delete(one);
    }
  }
  shelves.add(new WeakRef(shelf));
}
