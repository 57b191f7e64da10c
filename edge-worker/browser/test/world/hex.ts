import type { Bytes } from "../../src/codec/bytes.js";

/** Bytes of hexadecimal digits. */
export function fromHex(digits: string): Bytes {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
