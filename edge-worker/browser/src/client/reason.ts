/** Reasons that are read from somewhere, or hide another. */

import type { Reason } from "../api.js";
import type { RouteFault } from "../trust/manifest.js";
import type { StatementFault } from "../trust/statement.js";

const EDGE: readonly Reason[] = ["key-refused", "too-large", "cell-busy", "cell-failed"];
const WAITING: readonly Reason[] = ["grant-lost", "manifest-lost", "keys-lost", "answer-lost", "cell-failed"];

/** The reason of a fallback that the edge names; `null` for a name that is none of the edge's. */
export function ofEdge(name: string): Reason | null {
  return EDGE.find((reason) => reason === name) ?? null;
}

/** The reason for a cell's status where there is no edge between: the table of the edge's relay. */
export function ofStatus(status: number): Reason {
  const named: Readonly<Record<number, Reason>> = {
    400: "key-refused", 422: "key-refused", 413: "too-large", 429: "cell-busy", 503: "cell-busy",
  };
  return named[status] ?? "cell-failed";
}

/** Whether nothing came: what a call that ran out of time was waiting for. */
export function isOfWaiting(reason: Reason): boolean {
  return WAITING.includes(reason);
}

/** The reason for a fault of a manifest. */
export function ofRoute(fault: RouteFault): Reason {
  const named = { untrusted: "manifest-untrusted", stale: "manifest-stale", "rolled-back": "manifest-rolled-back" } as const;
  return fault === "other-class" ? fault : fault in named ? named[fault as keyof typeof named] : "manifest-invalid";
}

/** The reason for a fault of a statement of keys. */
export function ofStatement(fault: StatementFault): Reason {
  const named = { untrusted: "keys-untrusted", stale: "keys-stale" } as const;
  return fault in named ? named[fault as keyof typeof named] : "keys-invalid";
}
