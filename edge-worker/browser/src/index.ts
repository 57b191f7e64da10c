/**
 * The client of Domicile for a shop's page: lists at once, personal shelves by sealed requests.
 *
 * ```ts
 * import { domicile, identity } from "domicile-browser";
 *
 * const shop = domicile({ edge: "https://edge.shop.example", roots: [root], grant: identity("https://id.shop.example") });
 * const list = await shop.list({ locale: "de-DE", slot: "home" });
 * const outcome = await shop.rank({ locale: "de-DE", slot: "home" });
 * ```
 */

import type { Domicile, Options } from "./api.js";
import { browser } from "./browser.js";
import { domicileIn } from "./domicile.js";

export type * from "./api.js";
export { ListError } from "./client/list.js";
export { identity } from "./identity.js";

/** A page's side of Domicile. One serves the whole page. */
export function domicile(options: Options): Domicile {
  return domicileIn(browser(), options);
}
