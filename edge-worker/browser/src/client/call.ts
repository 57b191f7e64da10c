/** One call: which cells it asks, and what its one extra attempt is spent on. */

import type { Cause, Outcome, Reason } from "../api.js";
import type { Cell } from "../trust/manifest.js";
import { deliver, failed, ready, stays } from "./attempt.js";
import type { Ask, End, Ready, Result } from "./attempt.js";
import type { Keys } from "./memory.js";
import { order } from "./order.js";
import { isOfWaiting } from "./reason.js";
import type { Session } from "./session.js";
import { keysOf, lawful } from "./trust.js";
import type { Lawful } from "./trust.js";

/** The extra attempt: one for whatever it is needed first. */
export class Extra {
  #left = true;
  #spent: Cause | null = null;

  get isLeft(): boolean {
    return this.#left;
  }

  /** What it was spent on. */
  get spent(): Cause | null {
    return this.#spent;
  }

  /** Takes it, if it is left. */
  take(cause: Cause): boolean {
    const left = this.#left;
    if (left) {
      [this.#left, this.#spent] = [false, cause];
    }
    return left;
  }

  /** Nothing was sent with it. */
  giveBack(): void {
    [this.#left, this.#spent] = [true, null];
  }
}

/**
 * Makes one call. `limit_ms` is what it may take; `null` is the page's limit, which the manifest states.
 */
export async function call<T>(
  session: Session,
  ask: Ask<T>,
  limit_ms: number | null,
  extra = new Extra(),
): Promise<Outcome<T>> {
  const { outside, signal } = session;
  const begun = outside.now();
  const until = (): number => begun + (limit_ms ?? session.page_limit_ms);
  const law = await lawful(session, ask.locale, ask.slot, until());
  const result = typeof law === "string" ? stays<T>(law) : await tries(session, ask, law, until(), extra);
  const ms = outside.now() - begun;
  if (signal.aborted) {
    return { is: "stays", reason: "logged-out", ms };
  }
  if (result.is === "answered") {
    return { ...result, extra: extra.spent, ms };
  }
  // A call that ran out of time says so in place of what it was waiting for.
  const late = result.is === "stays" && isOfWaiting(result.reason) && outside.now() >= until();
  return late ? { is: "stays", reason: "page-limit", ms } : { ...result, ms };
}

/**
 * A request that could be sent at any moment, to the cell that a call would ask first; to the home where every cell is
 * left alone: it is for a page that is left, which has no later.
 */
export async function prepare<T>(session: Session, ask: Ask<T>, limit_ms: number): Promise<Ready | Reason> {
  const until = session.outside.now() + limit_ms;
  const law = await lawful(session, ask.locale, ask.slot, until);
  if (typeof law === "string") {
    return law;
  }
  const [cell] = [...cellsOf(session, ask, law), ...cellsOf(session, { ...ask, cells: "home" }, law)];
  if (cell === undefined) {
    return "no-cell";
  }
  const keys = await keysOf(session, cell, "may", until);
  return typeof keys === "string" ? keys : ready(session, ask, law, cell, keys, until);
}

/** The cells to ask, first to last. The home alone is asked however it did a moment ago. */
function cellsOf<T>({ memory, outside }: Session, ask: Ask<T>, { grant, manifest }: Lawful): readonly Cell[] {
  if (ask.cells === "home") {
    return manifest.cells.filter(({ name }) => name === grant.home).slice(0, 1);
  }
  const now = outside.now();
  const steered = memory.steered(manifest.class, now, outside.random());
  return order(manifest, steered, grant.home, (cell) => memory.fails(cell, now));
}

async function tries<T>(
  session: Session,
  ask: Ask<T>,
  law: Lawful,
  until: number,
  extra: Extra,
): Promise<Result<T>> {
  const { memory, outside, signal } = session;
  const [first, ...others] = cellsOf(session, ask, law);
  if (first === undefined) {
    return stays("backing-off");
  }
  const wait_ms = law.manifest.slots.find(({ name }) => name === law.slot)?.relay_wait_ms ?? 0;
  let cell = first;
  let refused: Keys | null = null;
  for (;;) {
    const another = extra.isLeft && others.length > 0;
    const limit = another ? share(outside.now(), until, wait_ms) : until;
    const given = limit - outside.now();
    if (given <= 0 || signal.aborted) {
      return stays("page-limit");
    }
    const { end, keys }: { end: End<T>; keys: Keys | null } = await once(session, ask, law, cell, refused, limit);
    if (end.is === "done") {
      return end.result;
    }
    if (end.is === "skew") {
      if (!extra.take("date-skew")) {
        return end.result;
      }
    } else if (end.is === "key") {
      if (!extra.take("key-refused")) {
        memory.failed(cell, outside.now(), outside.random());
        return end.result;
      }
      refused = keys;
    } else {
      // The same keys would be refused again: the attempt that was kept for them goes to another cell.
      if (keys !== null && keys === refused) {
        extra.giveBack();
      }
      // A cell that had less time than the edge gives it, and was cut off by the page's own limit, is not to blame:
      // left alone, it would be missing from the next page.
      if (given >= wait_ms || outside.now() < until) {
        memory.failed(cell, outside.now(), outside.random());
      }
      const next: Cell | undefined = others[0];
      if (next === undefined || !extra.take(end.cause)) {
        return end.result;
      }
      others.shift();
      [cell, refused] = [next, null];
    }
  }
}

/**
 * One cell, once: its keys, and a request sealed to them. After it refused keys they are fetched past every cache; when
 * they are still the same it has failed, and those are handed back.
 */
async function once<T>(
  session: Session,
  ask: Ask<T>,
  law: Lawful,
  cell: Cell,
  refused: Keys | null,
  limit: number,
): Promise<{ end: End<T>; keys: Keys | null }> {
  const keys = await keysOf(session, cell, refused === null ? "may" : "past", limit);
  if (typeof keys === "string") {
    // A statement that came and is not to be trusted ends the call.
    const end: End<T> = keys === "keys-lost" ? failed(keys) : { is: "done", result: stays(keys) };
    return { end, keys: null };
  }
  if (refused?.list === keys.list) {
    return { end: failed("key-refused"), keys: refused };
  }
  const sealed = await ready(session, ask, law, cell, keys, limit);
  if (typeof sealed === "string") {
    return { end: { is: "done", result: stays(sealed) }, keys };
  }
  return { end: await deliver(session, ask, sealed, limit), keys };
}

/**
 * Until when a cell is waited for while another one could still be asked: half of what is left is kept for that, but
 * the edge's own wait is never cut short (a page's limit is twice that).
 */
function share(now: number, until: number, wait_ms: number): number {
  return Math.min(until, now + Math.max((until - now) / 2, wait_ms));
}
