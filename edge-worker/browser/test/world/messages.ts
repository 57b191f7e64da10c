/** A cell's side of binary HTTP: requests read, answers written. */

import { concat, json, text, utf8 } from "../../src/codec/bytes.js";
import type { Bytes } from "../../src/codec/bytes.js";
import type { Field } from "../../src/codec/bhttp.js";

/** A request as a cell reads it. */
export interface Inner {
  readonly method: string;
  readonly path: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** Reads a request, and asserts that it is one and nothing but zeros behind it. */
export function decodeRequest(bytes: Bytes): Inner {
  let at = 0;
  const number = (): number => {
    const first = bytes[at] ?? fail();
    const length = 1 << (first >> 6);
    const value = bytes.slice(at, at + length).reduce((sum, byte, place) => sum * 256 + (place === 0 ? byte & 0x3f : byte), 0);
    at += length;
    return value;
  };
  const vector = (): Bytes => {
    const length = number();
    at += length;
    return at <= bytes.length ? bytes.slice(at - length, at) : fail();
  };
  const words = (): string => text(vector()) ?? fail();
  if (number() !== 0) {
    fail();
  }
  const [method, scheme, authority, path] = [words(), words(), words(), words()];
  const end = number() + at;
  const fields = new Map<string, string>();
  while (at < end) {
    const name = words();
    fields.set(name, fields.has(name) ? fail() : words());
  }
  const content = vector();
  if (vector().length > 0 || scheme !== "https" || authority !== "" || bytes.slice(at).some((byte) => byte !== 0)) {
    fail();
  }
  return { method, path, fields, body: content.length === 0 ? undefined : json(content) };
}

/** Writes an answer. */
export function encodeResponse(status: number, fields: readonly Field[], content: Bytes): Bytes {
  const long = (length: number): Bytes =>
    Uint8Array.of(0x80 | (length >>> 24), (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff);
  const vector = (bytes: Bytes): Bytes => concat(long(bytes.length), bytes);
  const header = fields.flatMap(([name, value]) => [vector(utf8(name)), vector(utf8(value))]);
  const code = Uint8Array.of(0x40 | (status >> 8), status & 0xff);
  return concat(Uint8Array.of(1), code, vector(concat(...header)), vector(content), vector(new Uint8Array()));
}

function fail(): never {
  throw new Error("no request of a client");
}
