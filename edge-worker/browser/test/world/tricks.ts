/** What an edge, or a cell, may do to a client. */

import type { Incoming } from "../../src/client/outside.js";
import { base64, concat, utf8 } from "../../src/codec/bytes.js";
import type { Bytes } from "../../src/codec/bytes.js";
import type { Field } from "../../src/codec/bhttp.js";
import { fromHttpDate, httpDate } from "../../src/codec/date.js";
import { sealAnswer, sealingKey } from "./cell.js";
import type { CellSide, Opened } from "./cell.js";
import { decodeRequest, encodeResponse } from "./messages.js";
import type { Inner } from "./messages.js";
import { hash, newSigner, stated } from "./signer.js";
import type { World } from "./world.js";

/** Much longer than anybody waits, and a round trip: milliseconds. */
const NEVER = 3_600_000;
const TRIP = 20;
/** Bytes of a sealed answer. */
export const ANSWER = 8_192;

/** What comes for a manifest. */
export const ROUTES = [
  "good", "forged", "rolled-back", "other-class", "stale", "garbage", "missing", "lost", "hangs",
] as const;
/** What comes for a cell's keys. */
export const KEYS = [
  "good", "by-next", "swapped", "other-cells", "cached", "stale", "garbage", "missing", "lost", "hangs",
] as const;
/** What comes for a sealed request. */
export const SEALED = [
  "answer", "by-next", "other-size", "wrong-type", "wrong-size", "truncated", "no-outcome", "two-outcomes", "disguised",
  "flipped", "noise", "plain", "no-receipt", "forged-receipt", "other-receipt", "old-receipt",
  "other-boundary", "other-class", "lost", "hangs",
] as const;

export type Route = (typeof ROUTES)[number];
export type KeysTrick = (typeof KEYS)[number];
export type Sealed =
  | (typeof SEALED)[number]
  | { readonly steers: string }
  | { readonly problem: string }
  | { readonly fallback: string }
  | { readonly refused: number };

/** An answer after so many milliseconds; `null` for none at all. */
export interface Handled {
  readonly after: number;
  readonly answer: Incoming | null;
}

export function whole(status: number, headers: Readonly<Record<string, string>>, body: Bytes | string): Handled {
  const bytes = typeof body === "string" ? utf8(body) : body;
  return { after: TRIP, answer: { status, header: (name) => headers[name] ?? "", body: bytes } };
}

const lost: Handled = { after: TRIP, answer: null };
const hangs: Handled = { after: NEVER, answer: null };
const stranger = await newSigner();
const edgesOwn = await sealingKey(1, "x25519", 77);
const gone = await sealingKey(9, "x25519", 99);

/** The manifest, or what the trick makes of it. */
export async function manifest(world: World, trick: Route): Promise<Handled> {
  const { manifest, made_s } = world;
  const type = "application/vnd.domicile.route+json";
  const signed = async (said: unknown): Promise<Handled> => whole(200, {}, await world.root.sign(type, said));
  switch (trick) {
    case "good":
      return signed(manifest);
    case "forged":
      return whole(200, {}, await stranger.sign(type, manifest));
    case "rolled-back":
      return signed({ ...manifest, version: manifest.version - 1 });
    case "other-class":
      return signed({ ...manifest, class: "us_only" });
    case "stale":
      return signed({ ...manifest, issued: stated(made_s - 7_200), not_after: stated(made_s - 1) });
    case "garbage":
      return whole(200, {}, '{"cells":[]}');
    case "missing":
      return whole(404, {}, await world.root.sign(type, manifest));
    case "lost":
      return lost;
    case "hangs":
      return hangs;
  }
}

/** A cell's statement, or what the trick makes of it. */
export async function statement(world: World, cell: CellSide, trick: KeysTrick, past: boolean): Promise<Handled> {
  const { cells, made_s } = world;
  const good = async (): Promise<Handled> => whole(200, {}, await cell.statement(cell.keys, made_s));
  const [other] = cells.filter(({ name }) => name !== cell.name);
  switch (trick) {
    case "cached":
      return past ? good() : whole(200, {}, await cell.statement([gone], made_s));
    case "good":
      return good();
    case "by-next":
      return whole(200, {}, await cell.statement(cell.keys, made_s, cell.next));
    case "swapped":
      return whole(200, {}, await cell.statement([edgesOwn], made_s, stranger));
    case "other-cells":
      return whole(200, {}, (await other?.statement(other.keys, made_s)) ?? "");
    case "stale":
      return whole(200, {}, await cell.statement(cell.keys, made_s - 3_600));
    case "garbage":
      return whole(200, {}, "[]");
    case "missing":
      return whole(503, {}, await cell.statement(cell.keys, made_s));
    case "lost":
      return lost;
    case "hangs":
      return hangs;
  }
}

/** What a cell answers, or what the trick makes of it. */
export async function answer(world: World, cell: CellSide, relayed: boolean, body: Bytes, trick: Sealed): Promise<Handled> {
  if (trick === "lost" || trick === "hangs") {
    return trick === "lost" ? lost : hangs;
  }
  if (typeof trick === "object" && "refused" in trick) {
    return whole(trick.refused, {}, '{"code":"pin-expired"}');
  }
  if (typeof trick === "object" && "fallback" in trick) {
    return relayed ? fallback(trick.fallback, '{"items":[]}') : whole(503, {}, "");
  }
  const opened = await cell.open(body);
  if (opened === null) {
    return relayed ? fallback("key-refused", "{}") : whole(422, {}, "{}");
  }
  const message = await inner(world, cell, body, opened, trick);
  const size = trick === "wrong-size" ? 4_096 : trick === "other-size" ? 3 * ANSWER : ANSWER;
  let sealed = await sealAnswer(opened, message, size);
  const headers: Record<string, string> = { "content-type": trick === "wrong-type" ? "application/json" : "message/ohttp-res" };
  switch (trick) {
    case "disguised":
      return fallback("cell-busy", sealed);
    case "flipped": {
      const at = world.chance.below(sealed.length);
      sealed = concat(sealed.slice(0, at), Uint8Array.of((sealed[at] ?? 0) ^ 1), sealed.slice(at + 1));
      break;
    }
    case "truncated":
      sealed = sealed.slice(0, world.chance.below(sealed.length));
      break;
    case "noise":
      sealed.fill(7);
      break;
    case "plain":
      sealed = concat(message, new Uint8Array(ANSWER - message.length));
      break;
  }
  if (relayed && trick !== "no-outcome") {
    const second = trick === "two-outcomes" ? ", fallback; reason=cell-busy" : "";
    headers["domicile-outcome"] = `relayed${second}`;
  }
  return whole(200, headers, sealed);
}

function fallback(reason: string, body: Bytes | string): Handled {
  return whole(200, { "domicile-outcome": `fallback; reason=${reason}`, "content-type": "message/ohttp-res" }, body);
}

/** The inner answer. */
async function inner(world: World, cell: CellSide, sealed: Bytes, { message }: Opened, trick: Sealed): Promise<Bytes> {
  const request = decodeRequest(message);
  world.opened.push({ cell: cell.name, request });
  const now_s = world.unixSeconds() + cell.ahead_s;
  const date: Field = ["date", httpDate(now_s)];
  const problem = (code: string): Bytes => encodeResponse(400, [date], utf8(JSON.stringify({ code })));
  const date_s = fromHttpDate(request.fields.get("date") ?? "") ?? 0;
  if (Math.abs(date_s - now_s) > 120) {
    return problem("date-skew");
  }
  if (typeof trick === "object" && "problem" in trick) {
    return problem(trick.problem);
  }
  const content = utf8(JSON.stringify(said(cell, request)));
  const other = world.cells.find(({ name }) => name === "us") ?? cell;
  const receipt = {
    version: 1,
    request: await hash(trick === "old-receipt" ? utf8("another request") : sealed),
    answer: await hash(content),
    cell: trick === "other-receipt" ? other.name : cell.name,
    boundary: trick === "other-boundary" ? "us" : "eu",
    class: trick === "other-class" ? "global" : "eu_only",
    rung: "full",
    time: stated(now_s),
  };
  const named: Partial<Record<string, typeof stranger>> = {
    "forged-receipt": stranger, "other-receipt": other.signer, "by-next": cell.next,
  };
  const signer = (typeof trick === "string" ? named[trick] : undefined) ?? cell.signer;
  const envelope = await signer.sign("application/vnd.domicile.receipt+json", receipt);
  const encoded = base64(utf8(envelope)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const marks: readonly Field[] = trick === "no-receipt" ? [] : [["domicile-receipt", encoded]];
  const steer: readonly Field[] =
    typeof trick === "object" && "steers" in trick
      ? [["domicile-try", `cell=${trick.steers}; seconds=30; fraction=0.5`]]
      : [];
  return encodeResponse(200, [["content-type", "application/json"], date, ...marks, ...steer], content);
}

/** What is answered to a call. */
function said(cell: CellSide, { method, path, body }: Inner): unknown {
  if (path === "/v1/rank") {
    return {
      items: [{ id: "1", title: "Milk", category: "dairy", image: "/i/1.svg", url: "/p/1", source: "own", score: 1.5 }],
      rung: "full", reason: "within-budget", snapshot: "s", overlay: "o", cell: cell.name,
      features: { state: "fresh", age_s: 1 }, candidates: { own: 1, ann: 0, popular: 0, ineligible: 0 },
      elapsed_us: 9_000, stages_us: {},
    };
  }
  if (path === "/v1/events") {
    return { accepted: (body as { events: unknown[] }).events.length, duplicates: 0, erased: 0 };
  }
  if (method === "DELETE") {
    return { cell: cell.name, state: "complete", erased_s: 1_800_000_000 };
  }
  // Three pages.
  const page = Number(/page=p(\d)/.exec(path)?.[1] ?? 0);
  const next = page < 2 ? { next: `p${page + 1}` } : {};
  return { cell: cell.name, event_ids: page, items: [], ...next };
}
