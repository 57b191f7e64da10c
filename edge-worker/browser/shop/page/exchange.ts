/** Exchanges with the edge, as the demo's recorder kept them, and what can be read of one. */

export type Header = readonly [name: string, value: string];

export interface Body {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly first: string;
}

export interface EdgeAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Body;
  readonly ms: number;
}

export interface Exchange {
  readonly number: number;
  readonly asked: { readonly method: string; readonly target: string; readonly headers: readonly Header[]; readonly body: Body };
  readonly came: "awaited" | "nothing" | { readonly answer: EdgeAnswer };
}

/** A part of something, with what it is. */
export interface Part {
  readonly text: string;
  readonly is: string;
}

/** Whether it is a sealed request. */
export function isSealed({ asked }: Exchange): boolean {
  return asked.method === "POST" && asked.target.startsWith("/v1/sealed/");
}

/** A sealed request's path (docs/edge.md), part by part. */
export function pathParts(target: string): Part[] {
  const [, , , pin = "", cell = "", locale = "", slot = ""] = target.split("/");
  return [
    { text: pin, is: "pin: the residency class, signed; the same for every shopper of it" },
    { text: cell, is: "cell" },
    { text: locale, is: "locale" },
    { text: slot, is: "slot" },
  ];
}

/** Bytes of a header before an encapsulated key (RFC 9458, section 4.3): key id, KEM, KDF, AEAD. */
const HEADER = 7;
/** Bytes of an encapsulated key (RFC 9180, section 7.1), by KEM. */
const KEYS: Readonly<Record<string, number>> = { "0020": 32, "0010": 65 };

/** The beginning of a sealed body, part by part. */
export function bodyParts(first: string): Part[] {
  const length = KEYS[first.slice(2, 6)] ?? 0;
  const [head, end] = [2 * HEADER, 2 * (HEADER + length)];
  return [
    { text: first.slice(0, head), is: "which of the cell's keys, and which algorithms" },
    { text: first.slice(head, end), is: "a public key made for this request alone" },
    { text: first.slice(end), is: "sealed: readable in the cell and nowhere else" },
  ];
}

/** Headers that could carry who somebody is from one request to the next. */
export const NAMING = ["cookie", "authorization", "referer", "x-forwarded-for", "traceparent"];

/** Bytes as the recorder writes them. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
