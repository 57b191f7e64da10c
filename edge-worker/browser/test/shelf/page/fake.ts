/** A page's connection of which a test says what comes and when. */

import type { Domicile, List, Outcome, Place, Ranking, ShopEvent } from "../../../src/api.js";

interface Call<T> {
  readonly place: Place;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export interface ListCall extends Call<List> {
  readonly signal: AbortSignal | undefined;
}

export interface RankCall extends Call<Outcome<Ranking>> {
  readonly anchor: readonly string[] | undefined;
  readonly limit_ms: number | undefined;
}

export class Fake implements Domicile {
  /** Long enough for the slowest machine: a test that is about the limit moves the page's clock. */
  page_limit_ms = 600_000;
  readonly dropped = 0;
  readonly lists: ListCall[] = [];
  readonly ranks: RankCall[] = [];
  readonly told: (ShopEvent & { readonly locale: string })[] = [];
  readonly #leaving = new Set<() => void>();

  list(place: Place, signal?: AbortSignal): Promise<List> {
    return new Promise((resolve, reject) => {
      this.lists.push({ place, signal, resolve, reject });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }

  rank(place: Place, anchor?: readonly string[], limit_ms?: number): Promise<Outcome<Ranking>> {
    return new Promise((resolve, reject) => this.ranks.push({ place, anchor, limit_ms, resolve, reject }));
  }

  tell(event: ShopEvent, locale: string): void {
    this.told.push({ ...event, locale });
  }

  flush(): Promise<number> {
    return Promise.resolve(0);
  }

  export(): Promise<Outcome<readonly unknown[]>> {
    return Promise.resolve({ is: "stays", reason: "no-grant", ms: 0 });
  }

  erase(): Promise<Outcome<unknown>> {
    return Promise.resolve({ is: "stays", reason: "no-grant", ms: 0 });
  }

  logout(): void {
    for (const listener of this.#leaving) {
      listener();
    }
  }

  onLogout(listener: () => void): () => void {
    this.#leaving.add(listener);
    return () => void this.#leaving.delete(listener);
  }
}
