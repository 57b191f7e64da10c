/** An edge with cells behind it, and a page before it. */

import assert from "node:assert/strict";
import type { Domicile, Grant, Options } from "../../src/api.js";
import type { Kem } from "../../src/codec/configs.js";
import { domicileIn } from "../../src/domicile.js";
import type { Bytes } from "../../src/codec/bytes.js";
import type { Incoming, Outgoing, Outside } from "../../src/client/outside.js";
import { CellSide } from "./cell.js";
import { Chance } from "./chance.js";
import { Clock } from "./clock.js";
import type { Inner } from "./messages.js";
import { newSigner, stated } from "./signer.js";
import { ANSWER, answer, manifest, statement, whole } from "./tricks.js";
import type { Handled, KeysTrick, Route, Sealed } from "./tricks.js";

/** When the tests play, in seconds since 1970. */
export const NOW_S = 1_800_000_000;
/** The page's limit in milliseconds. */
export const LIMIT_MS = 900;
export const EDGE = "https://edge.example";

/** Secrets are made once: what differs between worlds is what is done with them. */
const ROOT = await newSigner();
const CELLS = await Promise.all(["a", "b", "c", "us"].map((name, at) => CellSide.make(name, at + 1)));

/** A sealed request as it was sent. */
export interface Posted {
  readonly cell: string;
  readonly body: Bytes;
  readonly at: number;
  readonly outlives: boolean;
}

interface Form {
  /** The cells of the class. */
  readonly cells?: readonly string[];
  /** Those of them that are reached directly. */
  readonly direct?: readonly string[];
  /** Whether the manifest names each cell's next key. */
  readonly next?: boolean;
  readonly kems?: readonly Kem[];
  readonly seed?: number;
}

/** Everything outside of the client. */
export class World implements Outside {
  readonly clock = new Clock();
  readonly chance: Chance;
  readonly root = ROOT;
  readonly cells = CELLS;
  made_s = NOW_S;
  manifest: Record<string, unknown> & { version: number };
  /** What the edge and its cells do: to the next manifests, to keys by cell, to one sealed request each. */
  route: Route = "good";
  keys: Record<string, KeysTrick> = {};
  sealed: Sealed[] = [];
  /** What comes for a list, whichever is asked for or by its path. */
  list: Handled | ((path: string) => Handled) = whole(404, {}, '{"code":"unknown-slot"}');
  /** What they saw. */
  posted: Posted[] = [];
  fetched: string[] = [];
  readonly opened: { readonly cell: string; readonly request: Inner }[] = [];
  /** The page's own. */
  grants: (locale: string, signal: AbortSignal) => Promise<unknown> = () => Promise.resolve(this.grant("a"));
  asked = 0;
  readonly stored = new Map<string, string>();
  readonly warned: string[] = [];
  draw: number | null = null;
  ahead_s = 0;
  #kems: readonly Kem[];
  #ids = 0;
  hide: () => void = () => assert.fail("no page");
  show: () => void = () => assert.fail("no page");
  back: () => void = () => assert.fail("no page");
  /** What another page's logout calls, and how often this page told of its own. */
  othersLogout: () => void = () => assert.fail("no page");
  toldOthers = 0;

  constructor({ cells = ["a", "b", "c"], direct = [], next = false, kems = ["x25519", "p256"], seed = 1 }: Form = {}) {
    this.chance = new Chance(seed);
    this.#kems = kems;
    this.cells.forEach((cell) => {
      cell.ahead_s = 0;
    });
    const named = CELLS.filter(({ name }) => cells.includes(name)).map((cell) => ({
      name: cell.name,
      boundary: "eu",
      weight: 1,
      transport: direct.includes(cell.name) ? { direct: `https://direct.${cell.name}/` } : "relay",
      answer_bytes: ANSWER,
      signing_key: cell.signer.jwk,
      ...(next ? { next_signing_key: cell.next.jwk } : {}),
    }));
    this.manifest = {
      form: 1,
      version: 7,
      issued: stated(NOW_S - 60),
      not_after: stated(NOW_S + 86_400),
      class: "eu_only",
      cells: named,
      locales: ["de-DE"],
      slots: [{ name: "home", items: 2, relay_wait_ms: 350 }],
      clocks: { page_limit_ms: LIMIT_MS, cell_budget_ms: 120 },
    };
  }

  /** A page of this world. */
  page(options: Partial<Options> = {}): Domicile {
    const grant = async (locale: string, signal: AbortSignal): Promise<Grant | null> => {
      this.asked += 1;
      return (await this.grants(locale, signal)) as Grant | null;
    };
    return domicileIn(this, { edge: `${EDGE}/`, roots: [ROOT.jwk], grant, ...options });
  }

  /** A shopper's grant with this home. */
  grant(home: string, not_after = NOW_S + 600): Grant {
    return { token: "aa.bb.cc", pin: "PIN", class: "eu_only", home, not_after };
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.clock.run(work);
  }

  /** The sealed requests since the last call, in order. */
  sent(): Posted[] {
    return this.posted.splice(0);
  }

  /** The cells of those. */
  went(): string[] {
    return this.sent().map(({ cell }) => cell);
  }

  async send(request: Outgoing, signal: AbortSignal): Promise<Incoming> {
    const handled = await this.#handle(request);
    await this.clock.sleep(handled.after, signal);
    if (signal.aborted || handled.answer === null) {
      throw new TypeError("no answer");
    }
    return handled.answer;
  }

  async #handle({ url, body, caches, outlives }: Outgoing): Promise<Handled> {
    if (body) {
      assert.equal(caches, "never");
      const { cell, relayed } = destination(url);
      this.posted.push({ cell, body, at: this.clock.now, outlives: outlives ?? false });
      const side = this.cells.find(({ name }) => name === cell);
      return side ? answer(this, side, relayed, body, this.sealed.shift() ?? "answer") : assert.fail(url);
    }
    const path = url.slice(EDGE.length);
    this.fetched.push(caches === "past" ? `${path} past caches` : path);
    if (path.startsWith("/v1/shelf/")) {
      return typeof this.list === "function" ? this.list(path) : this.list;
    }
    const name = /^\/v1\/keys\/(.*)$/.exec(path)?.[1];
    const side = this.cells.find((cell) => cell.name === name);
    if (side) {
      return statement(this, side, this.keys[side.name] ?? "good", caches === "past");
    }
    assert.equal(url, `${EDGE}/v1/route/eu_only`);
    return manifest(this, this.route);
  }

  now(): number {
    return this.clock.now;
  }

  unixSeconds(): number {
    return Math.floor(NOW_S + this.ahead_s + this.clock.now / 1_000);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.clock.sleep(ms, signal);
  }

  random(): number {
    return this.draw ?? this.chance.next();
  }

  id(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  kept(name: string): string | null {
    return this.stored.get(name) ?? null;
  }

  keep(name: string, value: string): void {
    this.stored.set(name, value);
  }

  kems(): Promise<readonly Kem[]> {
    return Promise.resolve(this.#kems);
  }

  onPage(hidden: () => void, shown: () => void, back: () => void): void {
    [this.hide, this.show, this.back] = [hidden, shown, back];
  }

  onOthersLogout(listener: () => void): void {
    this.othersLogout = listener;
  }

  tellOthersOfLogout(): void {
    this.toldOthers += 1;
  }

  warn(text: string): void {
    this.warned.push(text);
  }
}

/** The cell that a sealed request goes to, and whether through the edge. */
function destination(url: string): { cell: string; relayed: boolean } {
  const direct = /^https:\/\/direct\.(\w+)\/gateway$/.exec(url);
  const relayed = /^https:\/\/edge\.example\/v1\/sealed\/PIN\/(\w+)\/de-DE\/(?:home|product)$/.exec(url);
  const cell = (direct ?? relayed)?.[1];
  return cell === undefined ? assert.fail(url) : { cell, relayed: relayed !== null };
}

/** The place of the tests. */
export const PLACE = { locale: "de-DE", slot: "home" } as const;
