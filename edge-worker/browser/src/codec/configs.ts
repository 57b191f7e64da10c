/**
 * A list of key configurations (RFC 9458, section 3.2), read by the cell's rules: what is of another KEM or suite is
 * passed over, as the RFC asks; anything malformed refuses the list, because a cell signed it and writes no such.
 */

import type { Bytes } from "./bytes.js";

/** Most configurations of a list. */
const MOST = 16;
/** HKDF-SHA256 and AES-128-GCM (RFC 9180, tables 3 and 5). */
const SUITE = 0x0001_0001;

/** A key encapsulation mechanism: X25519 or P-256, each with HKDF-SHA256. */
export type Kem = "x25519" | "p256";

/** Both, the preferred one first. */
export const KEMS: readonly Kem[] = ["x25519", "p256"];

/** A cell's public key. */
export interface KeyConfig {
  /** Its id: what a sealed request names it by. */
  readonly id: number;
  readonly kem: Kem;
  readonly publicKey: Bytes;
  /** What a request sealed to it begins with. */
  readonly header: Bytes;
}

/** Why a list is refused. */
export type ConfigFault = "length" | "too-many" | "twice" | "none" | "key";

/** Reads a list: at least one key of ours, in the order of the list. */
export async function readConfigs(list: Bytes): Promise<readonly KeyConfig[] | ConfigFault> {
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
  const configs: KeyConfig[] = [];
  for (let at = 0, count = 1; at < list.length; count += 1) {
    if (count > MOST) {
      return "too-many";
    }
    const begin = at + 2;
    const end = begin > list.length ? begin : begin + view.getUint16(at);
    if (end > list.length || begin > list.length) {
      return "length";
    }
    const config = await read(list.slice(begin, end));
    if (typeof config === "string") {
      return config;
    }
    if (config !== null) {
      if (configs.some((other) => other.id === config.id)) {
        return "twice";
      }
      configs.push(config);
    }
    at = end;
  }
  return configs.length === 0 ? "none" : configs;
}

/** One configuration (section 3.1); `null` where its KEM or none of its suites is ours. */
async function read(bytes: Bytes): Promise<KeyConfig | null | "length" | "key"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 3) {
    return "length";
  }
  const kem = ({ 0x20: "x25519", 0x10: "p256" } as const)[view.getUint16(1)];
  if (kem === undefined) {
    return null;
  }
  const suites = 3 + (kem === "x25519" ? 32 : 65) + 2;
  const length = bytes.length < suites ? 0 : view.getUint16(suites - 2);
  if (length === 0 || length % 4 !== 0 || bytes.length !== suites + length) {
    return "length";
  }
  let ours = false;
  for (let at = suites; at < bytes.length; at += 4) {
    ours ||= view.getUint32(at) === SUITE;
  }
  if (!ours) {
    return null;
  }
  const publicKey = bytes.slice(3, suites - 2);
  if (kem === "p256" && !(await isPoint(publicKey))) {
    return "key";
  }
  const header = Uint8Array.of(bytes[0] ?? 0, ...bytes.slice(1, 3), 0, 1, 0, 1);
  return { id: bytes[0] ?? 0, kem, publicKey, header };
}

/** Whether it is a point of P-256, uncompressed. */
async function isPoint(bytes: Bytes): Promise<boolean> {
  const imported = crypto.subtle.importKey("raw", bytes, { name: "ECDH", namedCurve: "P-256" }, true, []);
  return imported.then(() => true, () => false);
}
