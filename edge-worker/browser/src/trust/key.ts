/** Public keys that signed documents are held against: ECDSA P-256, named by a fingerprint, as JWK. */

import { fromBase64Url, hex, sha256 } from "../codec/bytes.js";
import type { Bytes } from "../codec/bytes.js";
import { isExactly, isText } from "./shape.js";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** Bytes of a coordinate. */
const COORDINATE = 32;

/** A key that verifies. */
export interface VerifyingKey {
  /** The first 8 bytes of the SHA-256 of its compressed point (SEC 1), in hexadecimal. */
  readonly id: string;
  /** Whether `signature` (r ‖ s, 64 bytes) is this key's over `message`. */
  readonly verifies: (message: Bytes, signature: Bytes) => Promise<boolean>;
}

/** Reads a JWK, as text or as its object; `null` when it is no key of P-256 or its `kid` is not its fingerprint. */
export async function readKey(jwk: unknown): Promise<VerifyingKey | null> {
  const members = { kty: isText, crv: isText, kid: isText, x: isText, y: isText };
  try {
    const value: unknown = typeof jwk === "string" ? JSON.parse(jwk) : jwk;
    if (!isExactly(value, members, { alg: isText, use: isText })) {
      return null;
    }
    const { kty, crv, kid, x, y } = value as Record<keyof typeof members, string>;
    const id = await fingerprint(x, y);
    if (kty !== "EC" || crv !== "P-256" || kid !== id) {
      return null;
    }
    // WebCrypto refuses what is no point of the curve.
    const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, ALGORITHM, false, ["verify"]);
    return { id, verifies: (message, signature) => crypto.subtle.verify(ALGORITHM, key, signature, message) };
  } catch {
    return null;
  }
}

async function fingerprint(x: string, y: string): Promise<string | null> {
  const [a, b] = [fromBase64Url(x), fromBase64Url(y)];
  if (a?.length !== COORDINATE || b?.length !== COORDINATE) {
    return null;
  }
  const parity = (b[COORDINATE - 1] ?? 0) & 1;
  return hex((await sha256(Uint8Array.of(2 + parity, ...a))).slice(0, 8));
}
