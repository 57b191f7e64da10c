/** What of a list can be shown. */

import type { Item } from "../api.js";
import { link } from "../link.js";

/** An item that can be shown: named, linked, and no other item's twin. */
export interface Shown {
  readonly item: Item;
  /** Absolute address of its page. */
  readonly href: string;
  /** Absolute address of its image; `null` where it has none that may be loaded. */
  readonly image: string | null;
}

/** The items of `value` that can be shown, in their order. What is not of the form of an item is left out. */
export function shown(value: unknown, base: string): Shown[] {
  if (!Array.isArray(value)) {
    return [];
  }
  const ids = new Set<string>();
  const all: Shown[] = [];
  for (const entry of value as readonly unknown[]) {
    const one = entry !== null && typeof entry === "object" ? single(entry as Partial<Item>, base) : null;
    if (one === null || ids.has(one.item.id)) {
      continue;
    }
    ids.add(one.item.id);
    all.push(one);
  }
  return all;
}

/**
 * A personal shelf of as many items as the list had: its own first, then what of the list it left out, so that no card
 * comes or goes when it replaces the list. Where there is no list, all of its own.
 */
export function filled(personal: readonly Shown[], list: readonly Shown[]): Shown[] {
  if (list.length === 0) {
    return [...personal];
  }
  const ids = new Set(personal.map(({ item }) => item.id));
  return [...personal, ...list.filter(({ item }) => !ids.has(item.id))].slice(0, list.length);
}

/** Whether two would make the same card. */
export function same(one: Shown | undefined, other: Shown | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.item.id === other.item.id &&
    one.item.title === other.item.title &&
    one.item.category === other.item.category &&
    one.href === other.href &&
    one.image === other.image
  );
}

function single(entry: Partial<Item>, base: string): Shown | null {
  const id = text(entry.id);
  const title = text(entry.title);
  const href = link(entry.url, base);
  if (id === "" || title === "" || href === null) {
    return null;
  }
  const item: Item = {
    id,
    title,
    category: text(entry.category),
    image: text(entry.image),
    url: text(entry.url),
    ...(typeof entry.source === "string" ? { source: entry.source } : {}),
  };
  return { item, href, image: link(entry.image, base) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
