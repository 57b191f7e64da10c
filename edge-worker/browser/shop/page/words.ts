/** What rungs, reasons and states mean, in plain words. A code without words is shown as it is. */

import type { Rung } from "domicile-browser";

export const RUNGS: Readonly<Record<Rung, string>> = {
  full: "The full model ranked for this shopper, with what the cell knows of them.",
  compact: "A smaller model ranked for this shopper.",
  "last-good": "The shopper's last successful ranking, held against today's catalogue.",
  list: "The cell answered with the popular list, inside the seal.",
};

/** Why it was that rung. */
const WHY: Readonly<Record<string, string>> = {
  "within-budget": "there was time enough",
  "no-features": "nothing is known of this shopper yet",
  "features-failed": "what is known of this shopper did not come in its share of the time",
  "full-too-slow": "the full model would have taken too long",
  "deadline-too-near": "the deadline was too near",
  "ranker-busy": "the ranker had too much to do",
  "ranker-failed": "the ranker failed",
  "ranker-late": "the ranker was too late",
  "no-candidates": "there was nothing to rank",
};

export function why(code: string): string {
  return WHY[code] ?? code;
}

export const FEATURES: Readonly<Record<string, string>> = {
  fresh: "a history, up to date",
  stale: "a history, somewhat old",
  session: "only what happened in this session",
  none: "nothing known of this shopper",
  failed: "it did not come in its share of the time",
};

/** Why the list stays. */
const REASONS: Readonly<Record<string, string>> = {
  "no-grant": "Nobody asked for a personal shelf, so nothing was sealed and nothing was sent.",
  "logged-out": "Logged out. Token, keys and the personal shelf are gone from this page.",
  "no-cell": "No cell may serve this region. The list is the lawful answer.",
  "grant-lost": "The identity service gave no token.",
  "cell-failed": "The cell did not answer in its time, nor did another of the class.",
  "cell-busy": "The cell has too much to do just now.",
  "backing-off": "Every cell of the class failed a moment ago. The page leaves them alone for a while.",
  "answer-lost": "The answer broke off, or the edge could not be reached.",
  "not-an-answer": "What came was no sealed answer.",
  "receipt-refused": "An answer came without a receipt that holds. It is not shown.",
  "page-limit": "An answer came too late to be swapped in: nothing moves under a shopper.",
  "in-use": "You were at the shelf already. Nothing moves under a shopper.",
  "key-refused": "The cell did not know the key that the page sealed to.",
  "edge-refused": "The edge refused the request itself.",
  "keys-lost": "The cell's keys could not be fetched.",
  "manifest-lost": "The route manifest could not be fetched.",
  "manifest-untrusted": "The route manifest is not signed by the retailer. Nothing was sealed.",
  "manifest-rolled-back": "The route manifest is older than one seen before. Nothing was sealed.",
  "keys-untrusted": "The cell's keys are not signed by the cell. Nothing was sealed.",
  "page-not-in-manifest": "The route manifest knows no such place on a page. Nothing was sealed.",
  "manifest-stale": "The route manifest's time is over. Nothing was sealed.",
  "keys-stale": "The cell's keys are out of date. Nothing was sealed.",
  "no-crypto": "This browser has no cryptography for pages here.",
  refused: "A cell of the class answered, and refused.",
  "no-items": "The answer had nothing that can be shown.",
};

export function reason(code: string): string {
  return REASONS[code] ?? `The reason is ${code}.`;
}
