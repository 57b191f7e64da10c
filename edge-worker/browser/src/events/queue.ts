/** Events that nobody acknowledged yet, in their order: bounded, so that a page that is offline for hours stays small. */

import type { WireEvent } from "./event.js";

/** Most events that are kept. Of more, the oldest are given up. */
export const KEPT_MAX = 512;

/** An event in the queue. */
export interface Told {
  readonly event: WireEvent;
  readonly locale: string;
  /** Whether a request with it is under way. */
  readonly flies: boolean;
}

type Mutable = { -readonly [name in keyof Told]: Told[name] };

/** The queue. Whatever leaves it without an acknowledgement is counted. */
export class Queue {
  #told: Mutable[] = [];
  readonly #onDropped: (count: number) => void;

  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped;
  }

  get length(): number {
    return this.#told.length;
  }

  /** Adds an event at the end. */
  push(event: WireEvent, locale: string): void {
    this.#told.push({ event, locale, flies: false });
    if (this.#told.length > KEPT_MAX) {
      this.#told.shift();
      this.refuse();
    }
  }

  /** An event that was never added. */
  refuse(): void {
    this.#onDropped(1);
  }

  /** The first event that waits. */
  next(): Told | null {
    return this.#told.find((told) => !told.flies) ?? null;
  }

  /** All that nobody acknowledged yet. */
  all(): readonly Told[] {
    return [...this.#told];
  }

  /** All that wait of a locale. */
  waiting(locale: string): readonly Told[] {
    return this.#told.filter((told) => !told.flies && told.locale === locale);
  }

  /** The locales of all that wait. */
  locales(): readonly string[] {
    return [...new Set(this.#told.filter((told) => !told.flies).map((told) => told.locale))];
  }

  /** A request with these is under way. */
  fly(events: readonly Told[]): void {
    this.#mark(events, true);
  }

  /** It came to nothing: they wait again. */
  land(events: readonly Told[]): void {
    this.#mark(events, false);
  }

  /** A cell has these. */
  acknowledge(events: readonly Told[]): void {
    const had = new Set(events);
    this.#told = this.#told.filter((told) => !had.has(told));
  }

  /** These will never be told. */
  giveUp(events: readonly Told[]): void {
    const before = this.length;
    this.acknowledge(events);
    this.#onDropped(before - this.length);
  }

  #mark(events: readonly Told[], flies: boolean): void {
    const marked = new Set(events);
    for (const told of this.#told) {
      told.flies = marked.has(told) ? flies : told.flies;
    }
  }
}
