/** The popularity list: what is shown first, and what stays. */

import type { List, Place } from "../api.js";
import { json } from "../codec/bytes.js";
import { OUTCOME } from "./exchange.js";
import { problemCode } from "./inner.js";
import { readList } from "./items.js";
import { within } from "./outside.js";
import type { Outside } from "./outside.js";
import { isSegment } from "./place.js";

/** How long a list may take, in milliseconds. It can come late on a slow network: there is nothing else to show. */
const LIST_MS = 30_000;

/** Why there is no list. */
export class ListError extends Error {
  /** The HTTP status, 0 where nobody answered. */
  readonly status: number;
  /** The edge's problem code, or `list-lost`, `not-a-list`. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`no list: ${code}`);
    this.name = "ListError";
    this.status = status;
    this.code = code;
  }
}

/** Fetches a list. Rejects with a {@link ListError}. */
export async function list(outside: Outside, edge: string, place: Place, signal: AbortSignal): Promise<List> {
  if (!isSegment(place.locale) || !isSegment(place.slot)) {
    throw new ListError(0, "not-a-list");
  }
  const request = { url: `${edge}/v1/shelf/${place.locale}/${place.slot}`, caches: "may" } as const;
  const until = outside.now() + LIST_MS;
  const answer = await within(outside, until, signal, (signal) => outside.send(request, signal));
  if (typeof answer === "string") {
    throw new ListError(0, "list-lost");
  }
  const { status, body } = answer;
  const read = status === 200 && answer.header(OUTCOME) === "list" ? readList(json(body), place) : null;
  if (read === null) {
    throw new ListError(status, (status === 200 ? null : problemCode(body)) ?? "not-a-list");
  }
  return read;
}
