/** The route manifest of a residency class: which cells may be asked. The retailer's root key signs it. */

import { heldUntil, open } from "./dsse.js";
import type { Kind } from "./dsse.js";
import { readKey } from "./key.js";
import type { VerifyingKey } from "./key.js";
import { isCount, isExactly, isListOf, isText } from "./shape.js";

const FORM = 1;

/** A manifest that was opened. */
export interface Manifest {
  readonly version: number;
  readonly class: string;
  /** Seconds since 1970. */
  readonly not_after_s: number;
  /** In the order in which they are asked; none for a class that has no cell: list only. */
  readonly cells: readonly Cell[];
  readonly locales: readonly string[];
  readonly slots: readonly Slot[];
  readonly page_limit_ms: number;
}

/** A cell as a client knows it. */
export interface Cell {
  readonly name: string;
  readonly boundary: string;
  /** Through the edge, or to the cell's own origin. */
  readonly transport: "relay" | { readonly direct: string };
  /** What it signs statements of keys and receipts with: its key, and the successor where one is named. */
  readonly signers: readonly VerifyingKey[];
}

/** A slot as a client knows it. */
export interface Slot {
  readonly name: string;
  readonly items: number;
  /** Milliseconds the edge waits for a cell's first byte. */
  readonly relay_wait_ms: number;
}

/** Why a manifest is refused. Nothing is sealed then. */
export type RouteFault =
  | "untrusted" | "form" | "unknown-form" | "other-class" | "time" | "stale" | "rolled-back" | "cell-key";

/** What a manifest is held against. */
export interface Trust {
  /** The root key, and its successor. */
  readonly roots: readonly VerifyingKey[];
  /** The highest version of this class's manifest seen before; 0 when none was. */
  readonly seen: number;
  readonly now_s: number;
}

interface Payload {
  readonly form: number;
  readonly version: number;
  readonly issued: string;
  readonly not_after: string;
  readonly class: string;
  readonly cells: readonly PayloadCell[];
  readonly locales: readonly string[];
  readonly slots: readonly Slot[];
  readonly clocks: { readonly page_limit_ms: number; readonly cell_budget_ms: number };
}

interface PayloadCell extends Pick<Cell, "name" | "boundary" | "transport"> {
  readonly signing_key: string;
  readonly next_signing_key?: string;
}

/** Opens the manifest of a class. The first fault met: trust, form, class, time, rollback, keys. */
export async function openManifest(envelope: string, asked: string, trust: Trust): Promise<Manifest | RouteFault> {
  const said = await open(envelope, KIND, trust.roots);
  if (typeof said === "string") {
    return said;
  }
  if (said.form !== FORM) {
    return "unknown-form";
  }
  if (said.class !== asked) {
    return "other-class";
  }
  const not_after_s = heldUntil(said, trust.now_s);
  if (typeof not_after_s === "string") {
    return not_after_s;
  }
  if (said.version < trust.seen) {
    return "rolled-back";
  }
  const read = await Promise.all(said.cells.map(readCell));
  const cells = read.filter((cell) => cell !== null);
  if (cells.length !== read.length) {
    return "cell-key";
  }
  const { version, locales, slots, clocks } = said;
  return { version, class: asked, not_after_s, cells, locales, slots, page_limit_ms: clocks.page_limit_ms };
}

const KIND: Kind<Payload> = {
  type: "application/vnd.domicile.route+json",
  members: {
    form: isCount,
    version: isCount,
    issued: isText,
    not_after: isText,
    class: isText,
    cells: isListOf(isCell),
    locales: isListOf(isText),
    slots: isListOf((slot) => isExactly(slot, { name: isText, items: isCount, relay_wait_ms: isCount })),
    clocks: (clocks) => isExactly(clocks, { page_limit_ms: isCount, cell_budget_ms: isCount }),
  },
};

async function readCell({ name, boundary, transport, ...texts }: PayloadCell): Promise<Cell | null> {
  const all = [texts.signing_key, texts.next_signing_key].filter((text) => text !== undefined);
  const keys = await Promise.all(all.map(readKey));
  const signers = keys.filter((key) => key !== null);
  return signers.length === keys.length ? { name, boundary, transport, signers } : null;
}

function isCell(value: unknown): boolean {
  const isTransport = (transport: unknown): boolean =>
    transport === "relay" || isExactly(transport, { direct: isText });
  const members = {
    name: isText,
    boundary: isText,
    weight: isCount,
    transport: isTransport,
    answer_bytes: isCount,
    signing_key: isText,
  };
  return isExactly(value, members, { next_signing_key: isText });
}
