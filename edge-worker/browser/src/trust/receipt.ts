/**
 * A receipt: a cell's signed statement of where and how one request was answered.
 *
 * It shows that the holder of the cell's signing key said so, and not where the machine stood: a cell's place is its
 * operator's word.
 */

import { hex, sha256 } from "../codec/bytes.js";
import type { Bytes } from "../codec/bytes.js";
import { open } from "./dsse.js";
import type { Kind } from "./dsse.js";
import type { VerifyingKey } from "./key.js";
import { isCount, isText } from "./shape.js";

const VERSION = 1;

/** What a cell states of one answer. */
export interface Receipt {
  readonly version: number;
  /** SHA-256 of the request as it was sealed, in hexadecimal. */
  readonly request: string;
  /** SHA-256 of the answer's content as it was sent, in hexadecimal. */
  readonly answer: string;
  readonly cell: string;
  readonly boundary: string;
  readonly class: string;
  readonly snapshot?: string;
  readonly rung: string;
  readonly time: string;
}

const texts = { request: isText, answer: isText, cell: isText, boundary: isText, class: isText, rung: isText };
const KIND: Kind<Omit<Receipt, "snapshot">> = {
  type: "application/vnd.domicile.receipt+json",
  members: { version: isCount, ...texts, time: isText },
  optional: { snapshot: isText },
};

/** Which part is another one than was signed. */
export type ReceiptFault = "untrusted" | "form" | "version" | "answer" | "request" | "cell";

/** What a receipt has to be of. */
export interface Covered {
  readonly request: Bytes;
  readonly answer: Bytes;
  readonly cell: string;
}

/** Opens a receipt that one of `signers` has to have signed, and holds it against what it has to be of. */
export async function openReceipt(
  envelope: string,
  signers: readonly VerifyingKey[],
  covered: Covered,
): Promise<Receipt | ReceiptFault> {
  const receipt: Receipt | "untrusted" | "form" = await open(envelope, KIND, signers);
  if (typeof receipt === "string") {
    return receipt;
  }
  if (receipt.version !== VERSION) {
    return "version";
  }
  if (receipt.cell !== covered.cell) {
    return "cell";
  }
  if (receipt.request !== hex(await sha256(covered.request))) {
    return "request";
  }
  return receipt.answer === hex(await sha256(covered.answer)) ? receipt : "answer";
}
