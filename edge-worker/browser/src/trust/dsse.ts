/**
 * Signed documents: DSSE envelopes (protocol.md and envelope.md of its specification), and what all that is signed is
 * held against.
 */

import { concat, fromBase64, json, utf8 } from "../codec/bytes.js";
import { fromRfc3339 } from "../codec/date.js";
import type { VerifyingKey } from "./key.js";
import { isExactly, isListOf, isObject, isText } from "./shape.js";
import type { Check } from "./shape.js";

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** A kind of signed document, whose payload is a `T`. */
export interface Kind<T> {
  /** Is in what is signed: a receipt is never taken for a manifest. */
  readonly type: string;
  /** The members that it has, and those that it may have; with any other it is refused. */
  readonly members: { readonly [name in keyof T]-?: Check };
  readonly optional?: Readonly<Record<string, Check>>;
}

/** The payload, once one of `trusted` is seen to have signed exactly it as of this kind. */
export async function open<T extends object>(
  envelope: string,
  { type, members, optional }: Kind<T>,
  trusted: readonly VerifyingKey[],
): Promise<"untrusted" | "form" | T> {
  const read = json(utf8(envelope));
  if (!isEnvelope(read) || read.payloadType !== type) {
    return "untrusted";
  }
  const payload = fromBase64(read.payload);
  if (payload === null) {
    return "untrusted";
  }
  const message = concat(utf8(`DSSEv1 ${utf8(type).length} ${type} ${payload.length} `), payload);
  for (const { keyid, sig } of read.signatures) {
    const key = trusted.find(({ id }) => id === keyid);
    const signature = fromBase64(sig);
    if (key && signature && (await key.verifies(message, signature))) {
      const said = json(payload);
      return isExactly(said, members, optional) ? (said as T) : "form";
    }
  }
  return "untrusted";
}

/** Until when a document holds, in seconds since 1970. Its end alone is held against the clock. */
export function heldUntil(
  { issued, not_after }: { readonly issued: string; readonly not_after: string },
  now_s: number,
): number | "time" | "stale" {
  const not_after_s = fromRfc3339(not_after);
  if (fromRfc3339(issued) === null || not_after_s === null) {
    return "time";
  }
  return now_s < not_after_s ? not_after_s : "stale";
}

function isEnvelope(value: unknown): value is Envelope {
  const isSignature = (signature: unknown): boolean =>
    isObject(signature) && isText(signature["keyid"]) && isText(signature["sig"]);
  const isWhole = isObject(value) && isText(value["payload"]) && isText(value["payloadType"]);
  return isWhole && isListOf(isSignature)(value["signatures"]);
}
