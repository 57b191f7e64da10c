/**
 * Which addresses of a list may stand in a page.
 *
 * A list is text from elsewhere. A `javascript:` link would run when it is clicked, an `http:` one tells the network
 * what a shopper looks at, and `//host` is another host that looks like a path. The overlay refuses them when it is
 * signed (`policy/overlay`); the page refuses them again, since it cannot know what lay in between.
 */

const HTTPS = /^https:\/\//i;

/**
 * The address, absolute, of a path against `base`'s origin or of a spelled-out `https:` address; `null` of anything
 * else. A relative path is one from the origin's root: a shelf stands on pages of many depths.
 */
export function link(text: unknown, base: string): string | null {
  if (typeof text !== "string" || text === "") {
    return null;
  }
  try {
    const root = new URL("/", base);
    const url = new URL(text, root);
    const own = url.origin === root.origin && (url.protocol === "https:" || url.protocol === "http:");
    const spelled = url.protocol === "https:" && HTTPS.test(text) && url.username === "" && url.password === "";
    return own || spelled ? url.href : null;
  } catch {
    return null;
  }
}
