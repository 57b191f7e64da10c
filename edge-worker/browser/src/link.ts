/**
 * Which addresses of a list may stand in a page.
 *
 * A list is text from elsewhere. A `javascript:` link would run when it is clicked, an `http:` one tells the network
 * what a shopper looks at, and `//host` is another host that looks like a path. The overlay refuses them when it is
 * signed (`policy/overlay`); the page refuses them again, since it cannot know what lay in between.
 */

/** Whether it is a path, or an https address that is spelled out and names nobody (no `user@`). */
export function isLink(text: unknown): text is string {
  if (typeof text !== "string" || text === "" || text.length > 2_048 || /[\\\s\p{Cc}]|^\/\//u.test(text)) {
    return false;
  }
  return /^https:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text) || !/^[^/?#]*:/.test(text);
}

/**
 * The address, absolute, of a link or of whatever else leads to `base`'s own origin; `null` of anything else. A
 * relative path is one from the origin's root: a shelf stands on pages of many depths.
 */
export function link(text: unknown, base: string): string | null {
  try {
    const root = new URL("/", base);
    const url = new URL(text as string, root);
    // A page that has no origin shares `null` with addresses that run.
    const own = text !== "" && url.origin === root.origin && /^https?:$/.test(url.protocol);
    return own || isLink(text) ? url.href : null;
  } catch {
    return null;
  }
}
