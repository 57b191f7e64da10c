/**
 * Tells a shopper's events, and keeps each until a cell has acknowledged it.
 *
 * The rules:
 * - An event gets its id once, when it happens. A cell counts an id once, so whatever is told again is harmless; an
 *   event is given up only when it could never be taken ({@link GIVEN_UP}), at logout, or when there are too many.
 * - Acknowledged is what an answer says that opens, is a cell's, and has its receipt. A list with 200 is no answer.
 * - Events wait {@link LINGER_MS} for others, so that a page's first impressions share a request. What failed waits
 *   longer each time, jittered.
 * - A page may be left at any moment, and nothing can be sealed any more then. So what waits is sealed at once, beside
 *   the queue, and sealed again when it is no longer fresh; leaving the page only sends ready bytes, with `keepalive`.
 *   A page that comes back (from the back/forward cache, or a tab that was hidden) tells again what nobody acknowledged.
 * - Nothing of it is stored: what a browser that ends does not send is lost.
 */

import type { Reason, ShopEvent } from "../api.js";
import { deliver } from "../client/attempt.js";
import type { Ask, Ready } from "../client/attempt.js";
import { waitMs } from "../client/backoff.js";
import { Extra, call, prepare } from "../client/call.js";
import type { Call } from "../client/inner.js";
import { PATIENCE_MS } from "../client/calls.js";
import type { Session } from "../client/session.js";
import { lawful } from "../client/trust.js";
import { isCount, isObject } from "../trust/shape.js";
import { fitting, tellingOf, wireEvent } from "./event.js";
import { Queue } from "./queue.js";
import type { Told } from "./queue.js";

/** How long an event waits for others, in milliseconds. */
const LINGER_MS = 1_000;
/** The longest wait after failures, in milliseconds: what is ready is made anew each time, and stays fresh. */
const RETRY_MOST_MS = 45_000;
/** How old ready bytes may be, in seconds: half of how far a cell lets a date be off, unless it is set lower. */
const FRESH_S = 60;
/** Most batches that are ready: half of the 64 KiB that a browser lets outlive a page. */
const READY_MAX = 8;

/** What no later telling would change. */
const GIVEN_UP: readonly Reason[] = ["no-grant", "no-cell", "no-crypto", "page-not-in-manifest", "too-long"];

/** A sealed batch that leaving the page would send. */
interface Batch {
  readonly events: readonly Told[];
  readonly ready: Ready;
  readonly sealed_s: number;
}

/** The events of one session. */
export class Teller {
  readonly #session: Session;
  readonly #queue: Queue;
  #ready: readonly Batch[] = [];
  #sealing: Promise<void> | null = null;
  #sealAgain = false;
  #telling: Promise<void> | null = null;
  #failures = 0;
  #notBefore = -Infinity;
  #alarm: { readonly at: number; readonly stop: AbortController } | null = null;

  constructor(session: Session, onDropped: (count: number) => void) {
    this.#session = session;
    this.#queue = new Queue(onDropped);
    session.signal.addEventListener("abort", () => {
      this.#alarm?.stop.abort();
      this.#queue.giveUp(this.#queue.all());
    });
  }

  /** Takes an event. */
  tell(event: ShopEvent, locale: string): void {
    const { outside } = this.#session;
    // By our own clock; the cells' is known when it is sealed, if ever.
    const wire = wireEvent(event, outside.id(), outside.unixSeconds());
    if (wire === null) {
      outside.warn("domicile: an event is not of an event's form, and is dropped");
      this.#queue.refuse();
      return;
    }
    this.#queue.push(wire, locale);
    this.#seal();
    this.#wake(LINGER_MS);
  }

  /** Tells all that waits, now; how many are left. */
  async flush(): Promise<number> {
    await this.#tellAll();
    return this.#queue.length;
  }

  /** Does an erasure. Once it is done, what was told before it is not told any more: a cell's clock may be another. */
  async without<T extends { readonly is: string }>(erasure: () => Promise<T>): Promise<T> {
    const before = this.#queue.all();
    const outcome = await erasure();
    if (outcome.is === "answered") {
      this.#queue.giveUp(before);
      this.#seal();
    }
    return outcome;
  }

  /** The page is hidden, perhaps for good. */
  hidden(): void {
    const now_s = this.#session.outside.unixSeconds();
    const batches = this.#ready.filter((batch) => isFresh(batch, now_s) && batch.events.some((told) => !told.flies));
    this.#ready = [];
    for (const { events, ready } of batches) {
      void this.#send(events, ready);
    }
    // What was not ready yet is told as usual, without waiting for more: a page that is hidden may go on for a while.
    if (this.#session.outside.now() >= this.#notBefore) {
      void this.#tellAll();
    }
  }

  /** The page is seen again. */
  shown(): void {
    if (this.#queue.next() !== null) {
      this.#seal();
      this.#wake(0);
    }
  }

  /** Sends ready bytes. */
  async #send(events: readonly Told[], ready: Ready): Promise<void> {
    const { outside, memory } = this.#session;
    this.#queue.fly(events);
    const end = await deliver(this.#session, asking(events), ready, outside.now() + PATIENCE_MS);
    if (end.is === "done" && end.result.is === "answered") {
      this.#queue.acknowledge(events);
      return;
    }
    if (end.is === "failed") {
      memory.failed(ready.cell, outside.now(), outside.random());
    }
    this.#queue.land(events);
    this.#failed();
  }

  #tellAll(): Promise<void> {
    this.#telling ??= this.#tellEach().finally(() => {
      this.#telling = null;
    });
    return this.#telling;
  }

  /** Batch after batch, with one extra attempt for all of them; the first that fails ends it. */
  async #tellEach(): Promise<void> {
    const { signal } = this.#session;
    const extra = new Extra();
    for (let first = this.#queue.next(); first !== null && !signal.aborted; first = this.#queue.next()) {
      const events = await this.#batch(first.locale);
      if (typeof events === "string") {
        if (!GIVEN_UP.includes(events)) {
          return this.#failed();
        }
        this.#queue.giveUp(events === "too-long" ? [first] : this.#queue.waiting(first.locale));
        continue;
      }
      this.#queue.fly(events);
      const outcome = await call(this.#session, asking(events), PATIENCE_MS, extra);
      if (outcome.is === "answered") {
        this.#queue.acknowledge(events);
        this.#failures = 0;
        continue;
      }
      this.#queue.land(events);
      if (outcome.is === "refused" && outcome.code === "events-invalid") {
        this.#queue.giveUp(events);
        continue;
      }
      return this.#failed();
    }
  }

  /** The first events of a locale that fit one request, or why none can be told. */
  async #batch(locale: string): Promise<readonly Told[] | Reason> {
    const { outside } = this.#session;
    const law = await lawful(this.#session, locale, null, outside.now() + PATIENCE_MS);
    if (typeof law === "string") {
      return law;
    }
    const waiting = this.#queue.waiting(locale);
    const count = fitting(waiting.map((told) => told.event), law.grant.pin, law.grant.token);
    return count === 0 ? "too-long" : waiting.slice(0, count);
  }

  #failed(): void {
    const { outside, signal } = this.#session;
    if (signal.aborted) {
      return;
    }
    this.#failures += 1;
    const wait = waitMs(this.#failures, outside.random(), RETRY_MOST_MS);
    this.#notBefore = outside.now() + wait;
    this.#seal();
    this.#wake(wait);
  }

  /** Tells what waits after so many milliseconds, and not before a failure's time is over. */
  #wake(ms: number): void {
    const { outside, signal } = this.#session;
    const at = Math.max(outside.now() + ms, this.#notBefore);
    if (signal.aborted || (this.#alarm && this.#alarm.at <= at)) {
      return;
    }
    this.#alarm?.stop.abort();
    const stop = new AbortController();
    this.#alarm = { at, stop };
    void outside.sleep(at - outside.now(), stop.signal).then(() => {
      if (!stop.signal.aborted) {
        this.#alarm = null;
        void this.#tellAll();
      }
    });
  }

  /** Makes what waits ready, once more when it is asked for meanwhile. */
  #seal(): void {
    this.#sealAgain = true;
    this.#sealing ??= this.#sealEach().finally(() => {
      this.#sealing = null;
    });
  }

  async #sealEach(): Promise<void> {
    const { outside, signal } = this.#session;
    while (this.#sealAgain && !signal.aborted) {
      this.#sealAgain = false;
      const ready: Batch[] = [];
      for (const locale of this.#queue.locales()) {
        for (let rest = this.#queue.waiting(locale); rest.length > 0 && ready.length < READY_MAX; ) {
          const batch = await this.#sealFirst(rest);
          if (batch === null) {
            break;
          }
          ready.push(batch);
          rest = rest.slice(batch.events.length);
        }
      }
      this.#ready = signal.aborted ? [] : ready;
      // Whatever else a page asks of the processor comes between two rounds.
      await outside.sleep(0, signal);
    }
  }

  async #sealFirst(rest: readonly Told[]): Promise<Batch | null> {
    const { outside } = this.#session;
    const locale = rest[0]?.locale ?? "";
    const law = await lawful(this.#session, locale, null, outside.now() + PATIENCE_MS);
    if (typeof law === "string") {
      return null;
    }
    const events = rest.slice(0, fitting(rest.map((told) => told.event), law.grant.pin, law.grant.token));
    const sealed_s = outside.unixSeconds();
    const before = this.#ready.find((batch) => isSame(batch.events, events) && sealed_s - batch.sealed_s < FRESH_S / 4);
    if (before || events.length === 0) {
      return before ?? null;
    }
    const ready = await prepare(this.#session, asking(events), PATIENCE_MS);
    return typeof ready === "string" ? null : { events, ready, sealed_s };
  }
}

function asking(events: readonly Told[]): Ask<true> {
  const read = (said: unknown): true | null => (isObject(said) && isCount(said["accepted"]) ? true : null);
  const told = (offset_s: number): Call =>
    tellingOf(events.map(({ event }) => ({ ...event, time_s: event.time_s + offset_s })));
  return { locale: events[0]?.locale ?? "", slot: null, cells: "any", call: told, read, outlives: true };
}

function isFresh({ sealed_s }: Batch, now_s: number): boolean {
  return now_s >= sealed_s && now_s - sealed_s < FRESH_S;
}

function isSame(these: readonly Told[], those: readonly Told[]): boolean {
  return these.length === those.length && these.every((told, at) => told === those[at]);
}
