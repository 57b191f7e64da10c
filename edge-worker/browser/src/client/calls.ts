/** The calls of a cell's API, as a page makes them. All take the one sealed route. */

import type { Outcome, Place, Ranking } from "../api.js";
import { isObject, isText } from "../trust/shape.js";
import type { Ask } from "./attempt.js";
import { Extra, call } from "./call.js";
import { readRanking } from "./items.js";
import type { Session } from "./session.js";

/** Most anchors of a request. */
const ANCHORS_MAX = 32;
/** Most pages of an export: far more than a cell keeps, and an end to a cell that never comes to one. */
const PAGES_MAX = 1_024;
/** What a call that no shelf waits for may take, in milliseconds. */
export const PATIENCE_MS = 10_000;

/** A shelf for a place. */
export function rank(
  session: Session,
  { locale, slot }: Place,
  anchor: readonly string[],
  limit_ms: number | null,
): Promise<Outcome<Ranking>> {
  const body = { locale, slot, ...(anchor.length === 0 ? {} : { anchor: anchor.slice(0, ANCHORS_MAX) }) };
  const rank = { method: "POST", path: "/v1/rank", body } as const;
  return call(session, { locale, slot, cells: "any", call: () => rank, read: readRanking }, limit_ms);
}

/** What the home cell keeps, page after page; one extra attempt for all of them. */
export async function exported(session: Session, locale: string): Promise<Outcome<readonly unknown[]>> {
  const begun = session.outside.now();
  const pages: unknown[] = [];
  const extra = new Extra();
  for (let path = "/v1/shopper"; ; ) {
    const outcome = await call(session, atHome(locale, "GET", path), PATIENCE_MS, extra);
    const ms = session.outside.now() - begun;
    if (outcome.is !== "answered") {
      return { ...outcome, ms };
    }
    pages.push(outcome.value);
    const { next } = outcome.value;
    if (next === undefined || next === null) {
      return { ...outcome, value: pages, ms };
    }
    if (!isText(next) || !/^[\w-]{1,128}$/.test(next) || pages.length >= PAGES_MAX) {
      // More was promised, and how to ask for it cannot be read: not the whole.
      return { is: "stays", reason: "not-an-answer", ms };
    }
    path = `/v1/shopper?page=${next}`;
  }
}

/** Ends what the home cell keeps. May be repeated. */
export function erased(session: Session, locale: string): Promise<Outcome<unknown>> {
  return call(session, atHome(locale, "DELETE", "/v1/shopper"), PATIENCE_MS);
}

/** What is kept lies in a cell: another one that stands in would answer for itself. */
function atHome(locale: string, method: "GET" | "DELETE", path: string): Ask<Record<string, unknown>> {
  const read = (said: unknown): Record<string, unknown> | null => (isObject(said) ? said : null);
  return { locale, slot: null, cells: "home", call: () => ({ method, path }), read };
}
