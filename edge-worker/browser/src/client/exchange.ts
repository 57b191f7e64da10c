/** What the edge is asked for a sealed call, and how its outer answer is read. */

import type { EdgeProblem, Reason } from "../api.js";
import type { Bytes } from "../codec/bytes.js";
import { ANSWER_TYPE } from "../codec/ohttp.js";
import type { Cell } from "../trust/manifest.js";
import { problemCode } from "./inner.js";
import type { Incoming } from "./outside.js";
import { ofEdge, ofStatus } from "./reason.js";

/** The header that says what an outer answer is. */
export const OUTCOME = "domicile-outcome";
const FALLBACK = "fallback; reason=";

/** What came of a sealed request, before it is opened. */
export type Outer =
  | { readonly is: "sealed"; readonly body: Bytes }
  | { readonly is: "none"; readonly reason: Reason }
  | { readonly is: "refused"; readonly edge: EdgeProblem };

/** Where sealed bytes go, the way that the manifest names. */
export function sealedUrl(edge: string, pin: string, cell: Cell, locale: string, slot: string): string {
  return cell.transport === "relay"
    ? `${edge}/v1/sealed/${pin}/${cell.name}/${locale}/${slot}`
    : `${cell.transport.direct.replace(/\/+$/, "")}/gateway`;
}

/** Reads what came back. Whatever is not plainly a cell's answer is none. */
export function readOuter(cell: Cell, { status, header, body }: Incoming): Outer {
  if (cell.transport !== "relay") {
    return status === 200 ? sealed(header("content-type"), body) : { is: "none", reason: ofStatus(status) };
  }
  if (status !== 200) {
    return { is: "refused", edge: { status, code: problemCode(body) ?? "" } };
  }
  const outcome = header(OUTCOME);
  if (outcome === "relayed") {
    return sealed(header("content-type"), body);
  }
  const named = outcome.startsWith(FALLBACK) ? ofEdge(outcome.slice(FALLBACK.length)) : null;
  return { is: "none", reason: named ?? "not-an-answer" };
}

function sealed(type: string, body: Bytes): Outer {
  return type === ANSWER_TYPE && isAnswerSize(body.length) ? { is: "sealed", body } : { is: "none", reason: "not-an-answer" };
}

/**
 * Whether a sealed answer may be so long: whole kibibytes, 8 at least and 256 at most. Any of these, and not what the
 * manifest states alone: a cell whose topology is ahead of the manifest's, or behind it, has another.
 */
function isAnswerSize(bytes: number): boolean {
  return bytes % 1_024 === 0 && bytes >= 8 * 1_024 && bytes <= 256 * 1_024;
}
