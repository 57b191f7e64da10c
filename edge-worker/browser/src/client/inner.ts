/** The inner messages: which call, from whom, and when; and what a cell says to it. */

import { fromBase64Url, json, text, utf8 } from "../codec/bytes.js";
import type { Bytes } from "../codec/bytes.js";
import { decodeResponse, encodeRequest } from "../codec/bhttp.js";
import type { Field } from "../codec/bhttp.js";
import { fromHttpDate, httpDate } from "../codec/date.js";
import { isObject, isText } from "../trust/shape.js";
import { readSteer } from "./steer.js";
import type { Steer } from "./steer.js";

/** A call of the cell's API. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** What becomes its JSON; left out for calls without a body. */
  readonly body?: unknown;
}

/** Who calls, and when. */
export interface Caller {
  readonly pin: string;
  readonly token: string;
  /** Seconds since 1970, by the cells' clock as far as it is known. */
  readonly date_s: number;
  /** What the caller has left, in milliseconds. */
  readonly budget_ms: number;
}

/** An inner answer. Nothing is known yet of its receipt. */
export interface Reply {
  readonly status: number;
  /** The cell's clock. */
  readonly date_s: number | null;
  /** The receipt's envelope. */
  readonly receipt: string | null;
  readonly steer: Steer | null;
  /** The content exactly as it was sent: what a receipt covers. */
  readonly content: Bytes;
}

/** The whole inner request as binary HTTP, unpadded. */
export function encodeCall({ method, path, body }: Call, caller: Caller): Bytes {
  const type: readonly Field[] = body === undefined ? [] : [["content-type", "application/json"]];
  const fields: readonly Field[] = [
    ...type,
    ["domicile-pin", caller.pin],
    ["authorization", `Bearer ${caller.token}`],
    ["date", httpDate(caller.date_s)],
    ["domicile-budget-ms", String(Math.max(0, Math.floor(caller.budget_ms)))],
  ];
  return encodeRequest(method, path, fields, body === undefined ? new Uint8Array() : utf8(JSON.stringify(body)));
}

/** Reads an opened answer; `null` when it is no answer of a cell. */
export function decodeReply(bytes: Bytes): Reply | null {
  const message = decodeResponse(bytes);
  if (message === null) {
    return null;
  }
  const field = (name: string): string | null => message.fields.find(([known]) => known === name)?.[1] ?? null;
  const [date, receipt] = [field("date"), field("domicile-receipt")];
  const date_s = date === null ? null : fromHttpDate(date);
  const envelope = receipt === null ? null : text(fromBase64Url(receipt) ?? Uint8Array.of(0xff));
  if ((date !== null && date_s === null) || (receipt !== null && envelope === null)) {
    return null;
  }
  const steer = readSteer(field("domicile-try") ?? "");
  return { status: message.status, date_s, receipt: envelope, steer, content: message.content };
}

/** The code of a problem document (RFC 9457); `null` when the content is none. */
export function problemCode(content: Bytes): string | null {
  const said = json(content);
  const code = isObject(said) ? said["code"] : null;
  return isText(code) && /^[a-z-]{1,64}$/.test(code) ? code : null;
}
