/** Signed documents: DSSE envelopes (protocol.md and envelope.md of its specification). */

import { concat, fromBase64, json, utf8 } from "../codec/bytes.js";
import type { VerifyingKey } from "./key.js";
import { isListOf, isObject, isText } from "./shape.js";

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/**
 * The payload's JSON, once one of `trusted` is seen to have signed exactly it as `type`; `undefined` as JSON where the
 * signed bytes are none. The type is in what is signed: a receipt is never taken for a manifest.
 */
export async function open(
  envelope: string,
  type: string,
  trusted: readonly VerifyingKey[],
): Promise<"untrusted" | { readonly said: unknown }> {
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
      return { said: json(payload) };
    }
  }
  return "untrusted";
}

function isEnvelope(value: unknown): value is Envelope {
  const isSignature = (signature: unknown): boolean =>
    isObject(signature) && isText(signature["keyid"]) && isText(signature["sig"]);
  const isWhole = isObject(value) && isText(value["payload"]) && isText(value["payloadType"]);
  return isWhole && isListOf(isSignature)(value["signatures"]);
}
