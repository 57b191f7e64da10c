/** Events as a cell takes them, and how many fit one request. */

import type { ShopEvent } from "../api.js";
import { utf8 } from "../codec/bytes.js";
import { room } from "../codec/ohttp.js";
import { encodeCall } from "../client/inner.js";
import type { Call } from "../client/inner.js";
import { isCount, isObject } from "../trust/shape.js";

/** Most events of a batch. */
export const BATCH_MAX = 64;
/** Longest item id in bytes. */
const ITEM_MAX = 64;
/** Largest `client_ms` that a cell reads. */
const MS_MAX = 2 ** 32 - 1;
/** Bytes kept beside the events and everything that is measured: lengths are written in up to four bytes. */
const MARGIN = 32;

const KINDS: readonly string[] = ["view", "basket", "purchase"];
const RUNGS: readonly string[] = ["full", "compact", "last-good", "list"];
const SHOWN: readonly string[] = ["used", "late"];

/** An event with its id, which makes it the same event however often it is told, and its time. */
export type WireEvent = { readonly id: string; readonly time_s: number } & ShopEvent;

/** The event of a cell; `null` for what a cell would refuse, and a whole batch with it. */
export function wireEvent(event: ShopEvent, id: string, time_s: number): WireEvent | null {
  if (!isObject(event)) {
    return null;
  }
  if (event.kind === "impression") {
    const { kind, rung, shown } = event;
    const client_ms = Math.round(Number(event.client_ms));
    const sound = RUNGS.includes(rung) && SHOWN.includes(shown) && isCount(client_ms) && client_ms <= MS_MAX;
    return sound ? { id, kind, time_s, rung, shown, client_ms } : null;
  }
  const { kind, item } = event;
  const bytes = typeof item === "string" ? utf8(item).length : 0;
  return KINDS.includes(kind) && bytes >= 1 && bytes <= ITEM_MAX ? { id, kind, item, time_s } : null;
}

/** The call that tells events. */
export function tellingOf(events: readonly WireEvent[]): Call {
  return { method: "POST", path: "/v1/events", body: { events } };
}

/** How many of the first events fit one request with this pin and token, whichever key it is sealed to. */
export function fitting(events: readonly WireEvent[], pin: string, token: string): number {
  const empty = encodeCall(tellingOf([]), { pin, token, date_s: 0, budget_ms: MS_MAX });
  let left = room("p256") - empty.length - MARGIN;
  const beyond = events.slice(0, BATCH_MAX).findIndex((event) => {
    // And the comma.
    left -= utf8(JSON.stringify(event)).length + 1;
    return left < 0;
  });
  return beyond === -1 ? Math.min(events.length, BATCH_MAX) : beyond;
}
