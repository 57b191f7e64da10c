/** What a client remembers: while a page's session lasts, in memory, and until logout. */

import type { KeyConfig } from "../codec/configs.js";
import type { Cell, Manifest } from "../trust/manifest.js";
import { afterFailure } from "./backoff.js";
import type { Backoff } from "./backoff.js";
import type { Steer } from "./steer.js";

/**
 * A manifest or a statement of keys is fetched again after so many seconds, though its own end is later: a cell that
 * was taken out of its class is noticed within this time.
 */
const KEPT_S = 3_600;

/** A cell's verified keys. */
export interface Keys {
  readonly configs: readonly KeyConfig[];
  /** What they were read from: two statements with the same list hold the same keys. */
  readonly list: string;
}

/** Things verified, each until it has to be fetched again. */
class Held<T> {
  readonly #what = new Map<string, { readonly what: T; readonly until_s: number }>();

  get(name: string, now_s: number): T | null {
    const held = this.#what.get(name);
    // A clock that was put back by more than is kept makes what is held as good as unknown.
    return held && now_s < held.until_s && held.until_s - now_s <= KEPT_S ? held.what : null;
  }

  keep(name: string, what: T, not_after_s: number, now_s: number): T {
    this.#what.set(name, { what, until_s: Math.min(not_after_s, now_s + KEPT_S) });
    return what;
  }

  forget(name: string): void {
    this.#what.delete(name);
  }
}

/** One session's memory. */
export class Memory {
  readonly routes = new Held<Manifest>();
  readonly keys = new Held<Keys>();
  /** How far the cells' clock is ahead of ours, in seconds. */
  offset_s = 0;
  readonly #failing = new Map<string, Backoff>();
  readonly #steered = new Map<string, Steer & { readonly until: number }>();
  readonly #slots = new Map<string, string>();
  readonly #under_way = new Map<string, Promise<unknown>>();

  /** Whether a cell is left alone. */
  fails(cell: string, now: number): boolean {
    return now < (this.#failing.get(cell)?.until ?? -Infinity);
  }

  /** A cell failed once more. */
  failed(cell: Cell, now: number, random: number): void {
    this.#failing.set(cell.name, afterFailure(this.#failing.get(cell.name), now, random));
  }

  /** A cell answered. */
  answered(cell: Cell): void {
    this.#failing.delete(cell.name);
  }

  /** Follows a hint for a class. Whether its cell is one of the class is asked where cells are ordered. */
  steer(name: string, steer: Steer, now: number): void {
    this.#steered.set(name, { ...steer, until: now + steer.seconds * 1_000 });
  }

  /** The cell that a hint points this call at; `random` decides whether the call is of the hint's fraction. */
  steered(name: string, now: number, random: number): string | null {
    const hint = this.#steered.get(name);
    return hint && now < hint.until && random < hint.fraction ? hint.cell : null;
  }

  /** The slot last asked for in a locale: where a call that is about no slot pretends to come from. */
  slot(locale: string): string | null {
    return this.#slots.get(locale) ?? null;
  }

  /** A slot of the manifest is asked for. */
  note(locale: string, slot: string): void {
    this.#slots.set(locale, slot);
  }

  /** Does a thing once however many ask for it at the same time. */
  once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = this.#under_way.get(name) as Promise<T> | undefined;
    if (begun) {
      return begun;
    }
    const done = work().finally(() => this.#under_way.delete(name));
    this.#under_way.set(name, done);
    return done;
  }
}
