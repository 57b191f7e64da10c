/** One sealed request, and what is made of what comes back. */

import type { Cause, EdgeProblem, Kept, Reason } from "../api.js";
import { json } from "../codec/bytes.js";
import { KEMS } from "../codec/configs.js";
import { seal } from "../codec/ohttp.js";
import type { Sealed } from "../codec/ohttp.js";
import type { Cell } from "../trust/manifest.js";
import { openReceipt } from "../trust/receipt.js";
import { readOuter, sealedUrl } from "./exchange.js";
import { decodeReply, encodeCall, problemCode } from "./inner.js";
import type { Call, Reply } from "./inner.js";
import type { Keys } from "./memory.js";
import { within } from "./outside.js";
import type { Session } from "./session.js";
import type { Lawful } from "./trust.js";

/** What a call asks for. */
export interface Ask<T> {
  readonly locale: string;
  /** The shelf's slot; `null` for a call that is about none. */
  readonly slot: string | null;
  /** Which cells may answer: one that stands in for the home, or the home alone. */
  readonly cells: "any" | "home";
  /** What is asked, by the cells' clock: `offset_s` is how far it is ahead of ours, as far as that is known. */
  readonly call: (offset_s: number) => Call;
  /** Reads the answer's JSON; `null` where it is not of its form. */
  readonly read: (said: unknown) => T | null;
  /** Whether the request goes on when the page is left. */
  readonly outlives?: boolean;
}

/** What came of a call, but for the time it took. */
export type Result<T> =
  | { readonly is: "answered"; readonly value: T; readonly cell: string; readonly kept: Kept }
  | { readonly is: "refused"; readonly code: string; readonly cell: string }
  | { readonly is: "stays"; readonly reason: Reason; readonly edge?: EdgeProblem };

/** What an attempt ended with, and what a further one could be for. */
export type End<T> =
  /** Nothing more to do. */
  | { readonly is: "done"; readonly result: Result<T> }
  /** The cell's clock is another one; it is known now. */
  | { readonly is: "skew"; readonly result: Result<T> }
  /** The cell refused the key. */
  | { readonly is: "key"; readonly result: Result<T> }
  /** The cell failed; another one may do better. */
  | { readonly is: "failed"; readonly result: Result<T>; readonly cause: Cause };

/** A request that is ready to be sent to a cell. */
export interface Ready {
  readonly cell: Cell;
  readonly law: Lawful;
  readonly sealed: Sealed;
  readonly url: string;
}

/** What another cell of the class may do: it was too slow, its disk failed, or its topology is another one. */
const OTHER_CELLS: readonly string[] = ["late", "store-failed", "cell-not-in-class", "unknown-class"] satisfies Cause[];

/** A stay for a reason. */
export function stays<T>(reason: Reason): Result<T> {
  return { is: "stays", reason };
}

/** A failure of a cell for a reason. */
export function failed<T>(reason: Reason): End<T> {
  return { is: "failed", result: stays(reason), cause: reason };
}

/** Seals a call to a cell: by the cells' clock as far as it is known, with what is left of the time. */
export async function ready<T>(
  session: Session,
  ask: Ask<T>,
  law: Lawful,
  cell: Cell,
  keys: Keys,
  until: number,
): Promise<Ready | Reason> {
  const { outside, memory } = session;
  const kems = await outside.kems();
  const kem = KEMS.find((kem) => kems.includes(kem) && keys.configs.some((config) => config.kem === kem));
  const config = keys.configs.find((config) => config.kem === kem);
  if (config === undefined) {
    return "keys-invalid";
  }
  const { pin, token } = law.grant;
  const date_s = outside.unixSeconds() + memory.offset_s;
  const message = encodeCall(ask.call(memory.offset_s), { pin, token, date_s, budget_ms: until - outside.now() });
  const sealed = await seal(config, message);
  if (typeof sealed === "string") {
    return sealed === "key" ? "keys-invalid" : sealed;
  }
  return { cell, law, sealed, url: sealedUrl(session.edge, pin, cell, ask.locale, law.slot) };
}

/** Sends what is ready, and reads what comes back. */
export async function deliver<T>(session: Session, ask: Ask<T>, ready: Ready, until: number): Promise<End<T>> {
  const { outside, signal, grants, memory } = session;
  const { url, cell, law, sealed } = ready;
  const request = { url, body: sealed.bytes, caches: "never", outlives: ask.outlives ?? false } as const;
  const answer = await within(outside, until, signal, (signal) => outside.send(request, signal));
  if (typeof answer === "string") {
    return failed(answer === "over" ? "cell-failed" : "answer-lost");
  }
  const outer = readOuter(cell, answer);
  if (outer.is === "refused") {
    if (outer.edge.status === 403) {
      // The pin is of no epoch that the edge knows, or the cell of another class than the manifest says.
      grants.forget(law.grant);
      memory.routes.forget(law.grant.class);
    }
    return { is: "done", result: { ...stays<T>("edge-refused"), edge: outer.edge } as Result<T> };
  }
  if (outer.is === "none") {
    switch (outer.reason) {
      case "key-refused":
        return { is: "key", result: stays(outer.reason) };
      case "too-large":
        return { is: "done", result: stays(outer.reason) };
      default:
        return failed(outer.reason);
    }
  }
  const opened = await sealed.open(outer.body);
  const reply = opened === null ? null : decodeReply(opened);
  return reply === null ? failed("not-an-answer") : judge(session, ask, ready, reply);
}

/** What an opened answer comes to. */
async function judge<T>(session: Session, ask: Ask<T>, ready: Ready, reply: Reply): Promise<End<T>> {
  const { memory, outside } = session;
  const { cell, law, sealed } = ready;
  if (reply.status !== 200) {
    const code = problemCode(reply.content);
    return code === null ? failed("not-an-answer") : refused(session, ready, code, reply.date_s);
  }
  const value = ask.read(json(reply.content));
  if (value === null) {
    return failed("not-an-answer");
  }
  const covered = { request: sealed.bytes, answer: reply.content, cell: cell.name };
  const receipt = reply.receipt === null ? "untrusted" : await openReceipt(reply.receipt, cell.signers, covered);
  const holds = typeof receipt !== "string" && receipt.class === law.grant.class && receipt.boundary === cell.boundary;
  if (!holds || reply.receipt === null) {
    return failed("receipt-refused");
  }
  memory.answered(cell);
  if (reply.steer) {
    memory.steer(law.grant.class, reply.steer, outside.now());
  }
  const kept = { request: sealed.bytes, content: reply.content, receipt: reply.receipt };
  return { is: "done", result: { is: "answered", value, cell: cell.name, kept } };
}

/** What a problem inside the seal comes to. */
function refused<T>(session: Session, { cell, law }: Ready, code: string, date_s: number | null): End<T> {
  const result = { is: "refused", code, cell: cell.name } as const;
  if (code === "date-skew" && date_s !== null) {
    session.memory.offset_s = date_s - session.outside.unixSeconds();
    return { is: "skew", result };
  }
  if (OTHER_CELLS.includes(code)) {
    return { is: "failed", result, cause: code as Cause };
  }
  if (/^(token|pin)-/.test(code)) {
    session.grants.forget(law.grant);
  }
  return { is: "done", result };
}
