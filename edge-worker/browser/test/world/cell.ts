/** A cell's side of a seal. */

import type { CipherSuite, KeyPair } from "hpke";
import { concat, utf8 } from "../../src/codec/bytes.js";
import type { Bytes } from "../../src/codec/bytes.js";
import type { Kem } from "../../src/codec/configs.js";
import { ANSWER_LABEL, ANSWER_OVERHEAD, requestInfo, suite } from "../../src/codec/ohttp.js";
import { base64 } from "../../src/codec/bytes.js";
import { newSigner, stated } from "./signer.js";
import type { Signer } from "./signer.js";

/** A secret sealing key. */
export interface SealingKey {
  readonly id: number;
  readonly kem: Kem;
  readonly seed: Bytes;
  readonly hpke: CipherSuite;
  readonly pair: KeyPair;
  readonly config: Bytes;
}

/** An opened request. */
export interface Opened {
  readonly message: Bytes;
  readonly secret: Bytes;
  readonly enc: Bytes;
}

export async function sealingKey(id: number, kem: Kem, seed: number): Promise<SealingKey> {
  const hpke = suite(kem);
  const bytes = new Uint8Array(32).fill(seed);
  const pair = await hpke.DeriveKeyPair(bytes, true);
  const head = Uint8Array.of(id, 0, kem === "x25519" ? 0x20 : 0x10);
  const config = concat(head, await hpke.SerializePublicKey(pair.publicKey), Uint8Array.of(0, 4, 0, 1, 0, 1));
  return { id, kem, seed: bytes, hpke, pair, config };
}

/** Opens a request sealed to a key; `null` when it does not open. */
export async function openRequest(key: SealingKey, sealed: Bytes): Promise<Opened | null> {
  const end = 7 + (key.kem === "x25519" ? 32 : 65);
  const enc = sealed.slice(7, end);
  try {
    const info = requestInfo(concat(key.config.slice(0, 3), Uint8Array.of(0, 1, 0, 1)));
    const context = await key.hpke.SetupRecipient(key.pair, enc, { info });
    const message = concat(await context.Open(sealed.slice(end)));
    return { message, enc, secret: concat(await context.Export(ANSWER_LABEL, 16)) };
  } catch {
    return null;
  }
}

/** Seals an answer of `size` bytes (RFC 9458, section 4.4). */
export async function sealAnswer({ enc, secret }: Opened, message: Bytes, size: number): Promise<Bytes> {
  const plain = new Uint8Array(size - ANSWER_OVERHEAD);
  plain.set(message);
  const nonce = crypto.getRandomValues(new Uint8Array(16));
  const prk = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const expand = (info: string, bits: number): Promise<ArrayBuffer> =>
    crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: concat(enc, nonce), info: utf8(info) }, prk, bits);
  const key = await crypto.subtle.importKey("raw", await expand("key", 128), "AES-GCM", false, ["encrypt"]);
  const iv = await expand("nonce", 96);
  return concat(nonce, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plain)));
}

/** A cell's secrets. */
export class CellSide {
  /** How far its clock is ahead of the page's, in seconds. */
  ahead_s = 0;

  private constructor(
    readonly name: string,
    readonly signer: Signer,
    readonly next: Signer,
    readonly keys: readonly SealingKey[],
  ) {}

  static async make(name: string, seed: number): Promise<CellSide> {
    const keys = await Promise.all([sealingKey(1, "x25519", seed), sealingKey(2, "p256", seed)]);
    return new CellSide(name, await newSigner(), await newSigner(), keys);
  }

  /** Its statement of keys, good for an hour. */
  statement(keys: readonly SealingKey[], issued_s: number, signer = this.signer): Promise<string> {
    const list = concat(...keys.flatMap(({ config }) => [Uint8Array.of(config.length >> 8, config.length & 0xff), config]));
    const said = {
      form: 1,
      cell: this.name,
      issued: stated(issued_s),
      not_after: stated(issued_s + 3_600),
      configs: base64(list),
    };
    return signer.sign("application/vnd.domicile.seal-keys+json", said);
  }

  /** Opens a request sealed to one of its keys. */
  async open(sealed: Bytes): Promise<Opened | null> {
    const key = this.keys.find(({ id }) => id === sealed[0]);
    return key === undefined ? null : openRequest(key, sealed);
  }
}
