/**
 * What a shelf tells its page, as events that bubble out of shadow roots (`bubbles`, `composed`).
 *
 * They are for the page alone and hold no list of items. `rung`, `cell` and `reason` say something of the shopper (a
 * full rung has a history behind it): a page does not hand them on.
 */

import type { Reason, Rung } from "../api.js";

/** The list is shown. */
export interface ListDetail {
  readonly locale: string;
  readonly slot: string;
  /** Who gave it: the edge, or the shop's server within the page. */
  readonly from: "edge" | "page";
  /** Number of cards. */
  readonly items: number;
  /** Whether its time is over. It is shown nevertheless. */
  readonly stale: boolean;
  /** Milliseconds since the shelf began. */
  readonly ms: number;
}

/** The personal shelf is shown. */
export interface PersonalDetail {
  readonly locale: string;
  readonly slot: string;
  readonly rung: Rung;
  /** Why that rung. */
  readonly reason: string;
  readonly cell: string;
  readonly ms: number;
}

/** Nothing personal is shown: the list stays, or is shown again. */
export interface StaysDetail {
  readonly locale: string;
  readonly slot: string;
  /** Why. `refused`: a cell did, and `code` says why. `no-items`: its answer had none that can be shown. */
  readonly reason: Reason | "refused" | "no-items";
  readonly code: string | null;
  /** Rung of the answer that is not shown; `null` where there was none. */
  readonly rung: Rung | null;
  /** The cell that answered; `null` where none did. */
  readonly cell: string | null;
  readonly ms: number;
}

/** There is nothing to show at all. */
export interface EmptyDetail {
  readonly locale: string;
  readonly slot: string;
  /** The edge gave no list; or one without an item that can be shown. */
  readonly reason: "no-list" | "no-items";
}

/** A card was clicked. Cancelled, the browser does not follow its link; a click for a new tab cannot be cancelled. */
export interface SelectDetail {
  readonly locale: string;
  readonly slot: string;
  readonly id: string;
  /** Absolute address of the item's page. */
  readonly url: string;
  /** Its place on the shelf, from 0. */
  readonly index: number;
  readonly personal: boolean;
}

/** A shelf's events and their details. */
export interface Moments {
  readonly "domicile-list": ListDetail;
  readonly "domicile-personal": PersonalDetail;
  readonly "domicile-stays": StaysDetail;
  readonly "domicile-empty": EmptyDetail;
  readonly "domicile-select": SelectDetail;
}

type MomentMap = { [Name in keyof Moments]: CustomEvent<Moments[Name]> };

declare global {
  interface HTMLElementEventMap extends MomentMap {}
}

/** Tells the page. Whether it did not cancel. */
export function tell<Name extends keyof Moments>(
  host: EventTarget,
  name: Name,
  detail: Moments[Name],
  cancelable = false,
): boolean {
  return host.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
}
