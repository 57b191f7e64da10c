/** Grants of the reference identity service (docs/identity.md). A retailer's own service may want another function. */

import type { Grant, Options } from "./api.js";
import { heedPolicy } from "./policy.js";

/**
 * Asks the identity service at `origin` for grants, with the shopper's session there, which is a cookie of that
 * origin and nobody else's. A locale whose class has no cell gives `null`.
 */
export function identity(origin: string): Options["grant"] {
  const listOnly = new Set<string>();
  return async (locale, signal) => {
    if (listOnly.has(locale)) {
      return null;
    }
    const url = `${origin.replace(/\/+$/, "")}/v1/token`;
    heedPolicy(url);
    const answer = await fetch(url, {
      method: "POST",
      // As bytes it has no type, and so no preflight.
      body: new TextEncoder().encode(JSON.stringify({ locale })),
      cache: "no-store",
      credentials: "include",
      referrerPolicy: "no-referrer",
      redirect: "error",
      signal,
    });
    if (answer.status === 409) {
      listOnly.add(locale);
      return null;
    }
    if (answer.status !== 200) {
      throw new Error(`the identity service answers ${answer.status}`);
    }
    // Looked at by the client, as whatever a grant function gives is.
    return (await answer.json()) as Grant;
  };
}
