/** Lists and rankings as they are read: text from elsewhere, which a page will put into links. */

import type { Item, List, Place, Ranking, Rung } from "../api.js";
import { isLink } from "../link.js";
import { isCount, isObject, isText } from "../trust/shape.js";

const RUNGS: readonly string[] = ["full", "compact", "last-good", "list"] satisfies Rung[];

/** Reads a list of a place; `null` when it is not one of it. An item that could not be shown is passed over. */
export function readList(said: unknown, place: Place): List | null {
  if (!isObject(said) || said["locale"] !== place.locale || said["slot"] !== place.slot || said["rung"] !== "list") {
    return null;
  }
  const { overlay, not_after, stale, items } = said;
  if (!isText(overlay) || !isText(not_after) || typeof stale !== "boolean" || !Array.isArray(items)) {
    return null;
  }
  return { locale: place.locale, slot: place.slot, rung: "list", overlay, not_after, stale, items: readItems(items) };
}

/** Reads a ranking; `null` when it is none. */
export function readRanking(said: unknown): Ranking | null {
  if (!isObject(said)) {
    return null;
  }
  const { items, rung, reason, snapshot, overlay, cell, features, elapsed_us } = said;
  const texts = [rung, reason, snapshot, overlay, cell].every(isText) && RUNGS.includes(rung as string);
  if (!texts || !Array.isArray(items) || !isCount(elapsed_us) || !isObject(features)) {
    return null;
  }
  const { state, age_s } = features;
  if (!isText(state) || !isCount(age_s)) {
    return null;
  }
  const named = { rung, reason, snapshot, overlay, cell } as Pick<
    Ranking,
    "rung" | "reason" | "snapshot" | "overlay" | "cell"
  >;
  return { ...named, items: readItems(items), features: { state, age_s }, elapsed_us };
}

function readItems(items: readonly unknown[]): readonly Item[] {
  return items.map(readItem).filter((item) => item !== null);
}

/** An item that can be shown: it has an id, a title and a page, and its image is a link where it has one. */
function readItem(said: unknown): Item | null {
  if (!isObject(said)) {
    return null;
  }
  const { id, title, url, source } = said;
  if (!isText(id) || id === "" || !isText(title) || title === "" || !isLink(url)) {
    return null;
  }
  const category = isText(said["category"]) ? said["category"] : "";
  const image = isLink(said["image"]) ? said["image"] : "";
  const item = { id, title, category, image, url };
  return isText(source) ? { ...item, source } : item;
}
