/** What has to hold before anything is sealed. */

import type { Grant, Reason } from "../api.js";
import { base64, text } from "../codec/bytes.js";
import { readConfigs } from "../codec/configs.js";
import { openManifest } from "../trust/manifest.js";
import type { Cell, Manifest } from "../trust/manifest.js";
import { openStatement } from "../trust/statement.js";
import { claim, grantOf } from "./grant.js";
import type { Keys } from "./memory.js";
import { within } from "./outside.js";
import type { Outgoing } from "./outside.js";
import { isSegment } from "./place.js";
import { ofRoute, ofStatement } from "./reason.js";
import type { Session } from "./session.js";

/**
 * How long a fetch of a document may take, in milliseconds: longer than a page waits for its shelf. On a slow network
 * the first page's list stays, and the next call finds the document here.
 */
const FETCH_MS = 5_000;

/** A grant, and the manifest of its class that allows this call. */
export interface Lawful {
  readonly grant: Grant;
  readonly manifest: Manifest;
  readonly slot: string;
}

/** The grant of a locale and its class's manifest, when the two and the place agree. */
export async function lawful(
  session: Session,
  locale: string,
  slot: string | null,
  until: number,
): Promise<Lawful | Reason> {
  if (!isSegment(locale) || (slot !== null && !isSegment(slot))) {
    return "page-not-in-manifest";
  }
  if ((await session.outside.kems()).length === 0) {
    return "no-crypto";
  }
  const grant = await grantOf(session, locale, until);
  if (typeof grant === "string") {
    return grant;
  }
  const manifest = await route(session, grant.class, until);
  if (typeof manifest === "string") {
    return manifest;
  }
  const isSlot = (name: string | null): name is string => manifest.slots.some((known) => known.name === name);
  // A call that is about no shelf comes from the slot that was asked for last.
  const remembered = [session.memory.slot(locale)].find(isSlot);
  const place = slot ?? remembered ?? manifest.slots[0]?.name ?? null;
  if (manifest.cells.length === 0) {
    return "no-cell";
  }
  // A cell of another class would refuse the token, and only after it had opened what was sealed for it.
  if ((claim(grant.token, "class") ?? manifest.class) !== manifest.class) {
    return "other-class";
  }
  if (!manifest.cells.some(({ name }) => name === grant.home)) {
    // One of the two is older than the other, and nobody knows which.
    session.grants.forget(grant);
    session.memory.routes.forget(grant.class);
    return "home-not-in-class";
  }
  if (session.least_s() >= grant.not_after) {
    return "grant-expired";
  }
  if (!manifest.locales.includes(locale) || !isSlot(place)) {
    return "page-not-in-manifest";
  }
  session.memory.note(locale, place);
  return { grant, manifest, slot: place };
}

/** The verified manifest of a class: held, or fetched once for everybody who asks. */
async function route(session: Session, name: string, until: number): Promise<Manifest | Reason> {
  const { memory, outside, seen, signal } = session;
  const held = memory.routes.get(name, outside.unixSeconds());
  if (held) {
    return held;
  }
  const fetch = async (): Promise<Manifest | Reason> => {
    const envelope = await document(session, { url: `${session.edge}/v1/route/${name}`, caches: "may" });
    if (envelope === null) {
      return "manifest-lost";
    }
    const now_s = outside.unixSeconds();
    const roots = await session.roots;
    const manifest = await openManifest(envelope, name, { roots, seen: seen.version(name), now_s });
    if (typeof manifest === "string") {
      return ofRoute(manifest);
    }
    seen.note(name, manifest.version);
    session.page_limit_ms = manifest.page_limit_ms;
    return memory.routes.keep(name, manifest, manifest.not_after_s, now_s);
  };
  const got = await within(outside, until, signal, () => memory.once(`route/${name}`, fetch));
  return got === "over" || got === "lost" ? "manifest-lost" : got;
}

/** A cell's verified keys: held, or fetched once for everybody who asks; past every cache where those are no good. */
export async function keysOf(
  session: Session,
  cell: Cell,
  caches: "may" | "past",
  until: number,
): Promise<Keys | Reason> {
  const { memory, outside, signal } = session;
  const name = [cell.name, ...cell.signers.map(({ id }) => id)].join(" ");
  const held = caches === "may" ? memory.keys.get(name, outside.unixSeconds()) : null;
  if (held) {
    return held;
  }
  const fetch = async (): Promise<Keys | Reason> => {
    const envelope = await document(session, { url: `${session.edge}/v1/keys/${cell.name}`, caches });
    if (envelope === null) {
      return "keys-lost";
    }
    const now_s = outside.unixSeconds();
    const statement = await openStatement(envelope, cell.name, cell.signers, now_s);
    if (typeof statement === "string") {
      return ofStatement(statement);
    }
    const configs = await readConfigs(statement.list);
    return typeof configs === "string"
      ? "keys-invalid"
      : memory.keys.keep(name, { configs, list: base64(statement.list) }, statement.not_after_s, now_s);
  };
  const got = await within(outside, until, signal, () => memory.once(`keys/${name}/${caches}`, fetch));
  return got === "over" || got === "lost" ? "keys-lost" : got;
}

/** A document that came with 200, as text. */
async function document({ outside, signal }: Session, request: Outgoing): Promise<string | null> {
  const until = outside.now() + FETCH_MS;
  const answer = await within(outside, until, signal, (signal) => outside.send(request, signal));
  return typeof answer === "string" || answer.status !== 200 ? null : text(answer.body);
}
