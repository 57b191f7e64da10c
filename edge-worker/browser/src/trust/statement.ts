/** A cell's statement of the keys that may be sealed to. The cell signs it, and an edge cannot. */

import { fromBase64 } from "../codec/bytes.js";
import type { Bytes } from "../codec/bytes.js";
import { heldUntil, open } from "./dsse.js";
import type { Kind } from "./dsse.js";
import type { VerifyingKey } from "./key.js";
import { isCount, isText } from "./shape.js";

const FORM = 1;
const KIND: Kind<Payload> = {
  type: "application/vnd.domicile.seal-keys+json",
  members: { form: isCount, cell: isText, issued: isText, not_after: isText, configs: isText },
};

type Payload = { readonly form: number } & Readonly<Record<"cell" | "issued" | "not_after" | "configs", string>>;

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
  const said = await open(envelope, KIND, signers);
  if (typeof said === "string") {
    return said;
  }
  if (said.form !== FORM) {
    return "unknown-form";
  }
  if (said.cell !== cell) {
    return "other-cell";
  }
  const not_after_s = heldUntil(said, now_s);
  if (typeof not_after_s === "string") {
    return not_after_s;
  }
  const list = fromBase64(said.configs);
  return list === null ? "configs" : { not_after_s, list };
}
