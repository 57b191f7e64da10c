/** Bytes and their spellings. What is read is read strictly: one text for one value. */

/** Bytes that own their buffer, as WebCrypto asks for. */
export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** A text as UTF-8. */
export function utf8(text: string): Bytes {
  return encoder.encode(text) as Bytes;
}

/** UTF-8 as text; `null` where it is none. */
export function text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** JSON as its value; `undefined` where it is none. */
export function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text(bytes) ?? "");
  } catch {
    return undefined;
  }
}

/** One after the other. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 (FIPS 180-4). */
export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Base64 with padding (RFC 4648, section 4). */
export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Reads base64 with padding; `null` for anything that {@link base64} would not have written. */
export function fromBase64(value: string): Bytes | null {
  try {
    const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
    // `atob` passes over blanks, missing padding and bits that stand for nothing.
    return base64(bytes) === value ? bytes : null;
  } catch {
    return null;
  }
}

/** Reads base64url without padding (RFC 4648, section 5). */
export function fromBase64Url(value: string): Bytes | null {
  if (/[^\w-]/.test(value)) {
    return null;
  }
  const padded = value + "===".slice((value.length + 3) % 4);
  return fromBase64(padded.replaceAll("-", "+").replaceAll("_", "/"));
}
