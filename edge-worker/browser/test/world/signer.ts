/** Keys that sign, and what they sign: the other side of src/trust/. */

import { base64, concat, fromBase64Url, hex, sha256, utf8 } from "../../src/codec/bytes.js";
import type { Bytes } from "../../src/codec/bytes.js";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A secret key and its public JWK. */
export interface Signer {
  readonly jwk: string;
  readonly sign: (type: string, said: unknown) => Promise<string>;
}

/** A key made now. */
export async function newSigner(): Promise<Signer> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  return signer(pair.privateKey, await crypto.subtle.exportKey("jwk", pair.publicKey));
}

/** A key from its secret JWK. */
export async function signerOf({ kty = "", crv = "", x = "", y = "", d = "" }: JsonWebKey): Promise<Signer> {
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ALGORITHM, false, ["sign"]);
  return signer(key, { x, y });
}

async function signer(key: CryptoKey, { x = "", y = "" }: JsonWebKey): Promise<Signer> {
  const [across, up] = [fromBase64Url(x), fromBase64Url(y)];
  const point = concat(Uint8Array.of(2 + ((up?.at(-1) ?? 0) & 1)), across ?? new Uint8Array());
  const kid = hex((await sha256(point)).slice(0, 8));
  const sign = async (payloadType: string, said: unknown): Promise<string> => {
    const payload = utf8(JSON.stringify(said));
    const message = concat(utf8(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload);
    const sig = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, message));
    return JSON.stringify({ payload: base64(payload), payloadType, signatures: [{ keyid: kid, sig: base64(sig) }] });
  };
  return { jwk: JSON.stringify({ kty: "EC", crv: "P-256", kid, alg: "ES256", use: "sig", x, y }), sign };
}

/** A time as documents state it. */
export function stated(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(".000", "");
}

/** SHA-256 as receipts state it. */
export async function hash(bytes: Bytes): Promise<string> {
  return hex(await sha256(bytes));
}
