/**
 * Sealing: Oblivious HTTP's encapsulation (RFC 9458, section 4), HPKE (RFC 9180) underneath.
 *
 * One KDF and one AEAD, HKDF-SHA256 and AES-128-GCM, under X25519 where the browser has it and P-256 elsewhere. Every
 * request is {@link REQUEST_BYTES} long whatever it asks, filled up with zeros, which binary HTTP allows.
 */

import {
  AEAD_AES_128_GCM,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_P256_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
} from "hpke";
import { concat, utf8 } from "./bytes.js";
import type { Bytes } from "./bytes.js";
import type { Kem, KeyConfig } from "./configs.js";

/** Bytes of every sealed request. */
export const REQUEST_BYTES = 4_096;
/** Media type of a sealed answer (RFC 9458, section 9.3). */
export const ANSWER_TYPE = "message/ohttp-res";
/** Bytes that sealing adds to an answer: its nonce, and the tag. */
export const ANSWER_OVERHEAD = 32;

const NONCE = 16;
const KEY = 16;
const TAG = 16;
/** Key id, KEM, KDF, AEAD (section 4.3). */
const HEADER = 7;
/** Npk and Nenc, which are equal for both. */
const PUBLIC = { x25519: 32, p256: 65 } as const;

/** A sealed request, and what opens its answer. */
export interface Sealed {
  readonly bytes: Bytes;
  /** The answer's plain text, padding included; `null` when it is not one to this request, or was altered. */
  readonly open: (answer: Bytes) => Promise<Bytes | null>;
}

/** Bytes of plain text in a request. */
export function room(kem: Kem): number {
  return REQUEST_BYTES - HEADER - PUBLIC[kem] - TAG;
}

/** The suite of a KEM. */
export function suite(kem: Kem): CipherSuite {
  const inner = kem === "x25519" ? KEM_DHKEM_X25519_HKDF_SHA256 : KEM_DHKEM_P256_HKDF_SHA256;
  return new CipherSuite(inner, KDF_HKDF_SHA256, AEAD_AES_128_GCM);
}

/** What the request's context is bound to (section 4.3). */
export function requestInfo(header: Bytes): Bytes {
  return concat(utf8("message/bhttp request\0"), header);
}

/** What an answer's secret is exported under (section 4.4). */
export const ANSWER_LABEL: Bytes = utf8("message/bhttp response");

/**
 * Seals a message to a cell's key. `too-long` when it does not fit; `key` when nothing can be sealed to that key (an
 * X25519 point of low order).
 */
export async function seal(config: KeyConfig, message: Bytes): Promise<Sealed | "too-long" | "key"> {
  const size = room(config.kem);
  if (message.length > size) {
    return "too-long";
  }
  const plain = new Uint8Array(size);
  plain.set(message);
  try {
    const hpke = suite(config.kem);
    const key = await hpke.DeserializePublicKey(config.publicKey);
    const { encapsulatedSecret, ctx } = await hpke.SetupSender(key, { info: requestInfo(config.header) });
    const sealed = await ctx.Seal(plain);
    const secret = concat(await ctx.Export(ANSWER_LABEL, KEY));
    const enc = concat(encapsulatedSecret);
    return { bytes: concat(config.header, enc, sealed), open: (answer) => openAnswer(enc, secret, answer) };
  } catch {
    return "key";
  }
}

/** Opens an answer to the request of this encapsulated key and exported secret (section 4.4). */
export async function openAnswer(enc: Bytes, secret: Bytes, answer: Bytes): Promise<Bytes | null> {
  const salt = concat(enc, answer.slice(0, NONCE));
  try {
    const prk = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
    const expand = async (info: string, bytes: number): Promise<ArrayBuffer> =>
      crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info: utf8(info) }, prk, bytes * 8);
    const raw = await expand("key", KEY);
    const iv = await expand("nonce", 12);
    const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, answer.slice(NONCE)));
  } catch {
    return null;
  }
}
