/**
 * Binary HTTP in the known-length form (RFC 9292, section 3.1): what is inside a seal.
 *
 * Stricter than the RFC where it leaves a choice, as the cell is: no indeterminate form (a request is padded to one
 * size, so its length is known), names are lower-case tokens, and there are limits on size and number of fields.
 */

import { concat, text, utf8 } from "./bytes.js";
import type { Bytes } from "./bytes.js";

/** Longest message in bytes, padding included. */
const ANSWER_MAX = 256 * 1024;
/** Most header and trailer fields, together. */
const FIELDS_MAX = 64;
/** The framing indicators of the known-length form (section 3.3). */
const REQUEST = 0;
const RESPONSE = 1;

/** A name, in lower case, and its value. */
export type Field = readonly [name: string, value: string];

/** A response, as far as a client looks at it. */
export interface Response {
  readonly status: number;
  readonly fields: readonly Field[];
  readonly content: Bytes;
}

/** A request to `path` as a message, unpadded. */
export function encodeRequest(method: string, path: string, fields: readonly Field[], content: Bytes): Bytes {
  const control = [method, "https", "", path].map((part) => vector(utf8(part)));
  const header = fields.flatMap(([name, value]) => [vector(utf8(name)), vector(utf8(value))]);
  return concat(varint(REQUEST), ...control, vector(concat(...header)), vector(content), vector(new Uint8Array()));
}

/** Reads a response and the zeros behind it; `null` for bytes that are none. */
export function decodeResponse(bytes: Bytes): Response | null {
  if (bytes.length > ANSWER_MAX) {
    return null;
  }
  const reader = new Reader(bytes);
  try {
    return response(reader);
  } catch (error) {
    if (error === MALFORMED) {
      return null;
    }
    throw error;
  }
}

function response(reader: Reader): Response | null {
  if (reader.varint() !== RESPONSE) {
    return null;
  }
  let status = reader.varint();
  let count = 0;
  const section = (): Field[] => {
    const fields = new Reader(reader.last());
    const read: Field[] = [];
    while (!fields.isOver()) {
      read.push([name(fields.whole()), text(fields.whole()) ?? malformed()]);
    }
    count += read.length;
    return read;
  };
  while (status >= 100 && status < 200) {
    section();
    status = reader.varint();
  }
  const fields = section();
  const content = reader.last();
  section();
  const sound = status < 600 && count <= FIELDS_MAX && reader.rest().every((byte) => byte === 0);
  return status >= 200 && sound ? { status, fields, content } : null;
}

function name(bytes: Bytes): string {
  const read = text(bytes) ?? "";
  return /^[a-z0-9!#$%&'*+\-.^_`|~]+$/.test(read) ? read : malformed();
}

/** What a reader throws, and {@link decodeResponse} alone catches. */
const MALFORMED = new Error("no message");

function malformed(): never {
  throw MALFORMED;
}

/** Reads from the front. */
class Reader {
  #at = 0;
  readonly #bytes: Bytes;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  rest(): Bytes {
    return this.#bytes.slice(this.#at);
  }

  /** A variable-length integer (RFC 9000, section 16). */
  varint(): number {
    const first = this.#bytes[this.#at] ?? malformed();
    const length = 1 << (first >> 6);
    const bytes = this.#take(length);
    const value = bytes.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte & 0x3f : byte), 0);
    return Number.isSafeInteger(value) ? value : malformed();
  }

  /** Bytes behind their length. */
  whole(): Bytes {
    return this.#take(this.varint());
  }

  /** The same, or nothing: sections may be left away at the very end (section 3.8), and not be cut off. */
  last(): Bytes {
    return this.isOver() ? new Uint8Array() : this.whole();
  }

  #take(length: number): Bytes {
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      malformed();
    }
    const taken = this.#bytes.slice(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function vector(bytes: Bytes): Bytes {
  return concat(varint(bytes.length), bytes);
}

/** The shortest form; nothing here is longer than a message. */
function varint(value: number): Bytes {
  if (value < 0x40) {
    return Uint8Array.of(value);
  }
  return value < 0x4000
    ? Uint8Array.of(0x40 | (value >> 8), value & 0xff)
    : Uint8Array.of(0x80 | (value >> 24), (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);
}
