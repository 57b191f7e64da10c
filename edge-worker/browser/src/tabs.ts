/**
 * Logout in the other pages of an origin: one word on a `BroadcastChannel`, and nothing of a shopper with it.
 *
 * There is one channel for a page, however many clients it has. A channel does not hear itself: a client that begins
 * right after another's logout is not ended by that.
 *
 * It stays open in a page that goes into the back/forward cache. Chromium and Firefox throw such a page out of their
 * cache when the word reaches it, so that it is loaded anew; Safari lets the word fall
 * (https://github.com/whatwg/html/issues/7253). So a page that comes back asks for its grant again, too
 * (`isStill` in client/grant.ts).
 */

import { callEach } from "./listeners.js";

const NAME = "domicile";
const WORD = "logout";

const listeners = new Set<() => void>();
let channel: BroadcastChannel | null = null;

/** Calls whenever another page of this origin says that the shopper logged out; never where there is no channel. */
export function onOthersLogout(listener: () => void): void {
  listeners.add(listener);
  // Node has channels as well, and one that is open keeps a process from its end.
  if (channel !== null || typeof document === "undefined") {
    return;
  }
  try {
    channel = new BroadcastChannel(NAME);
  } catch {
    // There is none, or storage is switched off, and this with it.
    return;
  }
  channel.onmessage = ({ data }) => {
    if (data === WORD) {
      callEach(listeners);
    }
  };
}

/** Says to the other pages that the shopper logged out. */
export function tellOthersOfLogout(): void {
  channel?.postMessage(WORD);
}
