/** A shopper's grant: asked for once for each locale, held in memory until its end, a problem with it, or logout. */

import type { Grant } from "../api.js";
import { fromBase64Url, json } from "../codec/bytes.js";
import { isObject, isText } from "../trust/shape.js";
import { within } from "./outside.js";
import { isSegment } from "./place.js";
import type { Session } from "./session.js";

/** Longest token in bytes: a sealed request holds 4 KiB with everything. */
const TOKEN = /^[A-Za-z0-9\-._~+/=]{1,2048}$/;
/** How long a page's grant function may take, in milliseconds. Then the next call asks again. */
const GRANT_MS = 10_000;

/** Why there is no grant. */
type NoGrant = "no-grant" | "grant-lost" | "logged-out";

/** The grants of one session. */
export class Grants {
  readonly #held = new Map<string, Grant>();
  /** The last one of each locale, over or not: whose shelves this page shows, and whose events it tells. */
  readonly #latest = new Map<string, Grant>();

  /** Every locale that there was a grant of. */
  get locales(): readonly string[] {
    return [...this.#latest.keys()];
  }

  /** Whether a grant is of another shopper than those that came here. */
  isAnothers({ token }: Grant): boolean {
    return [...this.#latest.values()].some((before) => claim(before.token, "sub") !== claim(token, "sub"));
  }

  /** The grant of a locale, if there is one that is not over at `now_s`. */
  held(locale: string, now_s: number): Grant | null {
    const grant = this.#held.get(locale);
    return grant && now_s < grant.not_after ? grant : null;
  }

  /** Keeps one. */
  keep(locale: string, grant: Grant): Grant {
    this.#held.set(locale, grant);
    this.#latest.set(locale, grant);
    return grant;
  }

  /** Somebody found fault with a grant: the next call asks for another. */
  forget(grant: Grant): void {
    for (const [locale, held] of this.#held) {
      if (held === grant) {
        this.#held.delete(locale);
      }
    }
  }
}

/** The grant of a locale: held, or asked for. Calls at the same time ask once. */
export async function grantOf(
  session: Session,
  locale: string,
  until: number,
): Promise<Grant | NoGrant> {
  const { grants, memory, outside, signal } = session;
  const held = grants.held(locale, session.least_s());
  if (held) {
    return held;
  }
  const given = await within(outside, until, signal, () => memory.once(`grant/${locale}`, () => ask(session, locale)));
  return given === "over" || given === "lost" ? "grant-lost" : given;
}

/**
 * Whether the shopper is still the one whose grants came here, asked anew: a page out of the back/forward cache may
 * have missed a logout. Where it cannot be known it is not so, and the page shows its lists.
 */
export async function isStill(session: Session): Promise<boolean> {
  for (const locale of session.grants.locales) {
    if (typeof (await ask(session, locale)) === "string") {
      return false;
    }
  }
  return true;
}

async function ask(session: Session, locale: string): Promise<Grant | NoGrant> {
  const { grants, outside, signal } = session;
  const latest = outside.now() + GRANT_MS;
  const given: unknown = await within(outside, latest, signal, (signal) => session.ask(locale, signal));
  if (given === null || given === undefined) {
    return "no-grant";
  }
  if (!isGrant(given)) {
    return "grant-lost";
  }
  // Somebody else logged in meanwhile. What waits here is not theirs, and their grant is not for it.
  if (grants.isAnothers(given)) {
    session.isAnothers();
    return "logged-out";
  }
  return grants.keep(locale, given);
}

/** What a token states of itself (RFC 7519, section 4), unverified; `null` where it cannot be read. */
export function claim(token: string, name: "class" | "sub"): string | null {
  const claims = json(fromBase64Url(token.split(".")[1] ?? "") ?? new Uint8Array());
  return isObject(claims) && isText(claims[name]) ? claims[name] : null;
}

function isGrant(value: unknown): value is Grant & Record<string, unknown> {
  const sound = isObject(value) && [value["pin"], value["class"], value["home"]].every(isSegment);
  return sound && isText(value["token"]) && TOKEN.test(value["token"]) && Number.isSafeInteger(value["not_after"]);
}
