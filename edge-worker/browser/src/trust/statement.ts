/** A cell's statement of the keys that may be sealed to. The cell signs it, and an edge cannot. */

import { fromBase64 } from "../codec/bytes.js";
import type { Bytes } from "../codec/bytes.js";
import { fromRfc3339 } from "../codec/date.js";
import { open } from "./dsse.js";
import type { VerifyingKey } from "./key.js";
import { isCount, isExactly, isText } from "./shape.js";

const TYPE = "application/vnd.domicile.seal-keys+json";
const FORM = 1;

/** A statement that was opened. */
export interface KeyStatement {
  /** Seconds since 1970. */
  readonly not_after_s: number;
  /** The list of key configurations (RFC 9458, section 3.2). */
  readonly list: Bytes;
}

/** Why a statement is refused. */
export type StatementFault = "untrusted" | "form" | "unknown-form" | "other-cell" | "time" | "stale" | "configs";

/** Opens the statement of a cell, which one of `signers` has to have signed. The first fault met. */
export async function openStatement(
  envelope: string,
  cell: string,
  signers: readonly VerifyingKey[],
  now_s: number,
): Promise<KeyStatement | StatementFault> {
  const opened = await open(envelope, TYPE, signers);
  if (opened === "untrusted") {
    return opened;
  }
  const members = { form: isCount, cell: isText, issued: isText, not_after: isText, configs: isText };
  if (!isExactly(opened.said, members)) {
    return "form";
  }
  const said = opened.said as { form: number } & Record<"cell" | "issued" | "not_after" | "configs", string>;
  if (said.form !== FORM) {
    return "unknown-form";
  }
  if (said.cell !== cell) {
    return "other-cell";
  }
  const not_after_s = fromRfc3339(said.not_after);
  if (fromRfc3339(said.issued) === null || not_after_s === null) {
    return "time";
  }
  if (now_s >= not_after_s) {
    return "stale";
  }
  const list = fromBase64(said.configs);
  return list === null ? "configs" : { not_after_s, list };
}
