/**
 * Who is shopping. Numbers of households, and it is kept in memory alone: a reload begins anew.
 *
 * The session is a cookie of the identity service's; the client is told whenever the shopper becomes another one.
 */

import { identity } from "domicile-browser";
import type { Domicile, Options } from "domicile-browser";

/** A household by number; somebody without a history; somebody who does not want a personal shelf. */
export type Who = { readonly is: "household"; readonly id: string } | { readonly is: "new" } | { readonly is: "nobody" };

export class Sessions {
  readonly #origin: string;
  readonly #ask: Options["grant"];
  #who: Who = { is: "nobody" };
  #hasCells = false;

  constructor(origin: string) {
    this.#origin = origin;
    this.#ask = identity(origin);
  }

  get who(): Who {
    return this.#who;
  }

  /** For the client: `null` for whoever wants nothing personal, and where no cell could give it. */
  readonly grant: Options["grant"] = (locale, signal) =>
    this.#who.is === "nobody" || !this.#hasCells ? Promise.resolve(null) : this.#ask(locale, signal);

  /**
   * Ends the session there is and begins another one. `hasCells`: whether a cell may serve the region.
   * Whether the identity service took it.
   */
  async become(who: Who, hasCells: boolean, client: Domicile): Promise<boolean> {
    this.#who = { is: "nobody" };
    this.#hasCells = hasCells;
    const ended = await this.#post("logout", null);
    client.logout();
    const begun = who.is === "household" ? await this.#post("login", { shopper: who.id }) : true;
    if (ended && begun) {
      this.#who = who;
    }
    return ended && begun;
  }

  async #post(what: "login" | "logout", body: unknown): Promise<boolean> {
    try {
      const answer = await fetch(`${this.#origin}/v1/${what}`, {
        method: "POST",
        // As bytes it has no type, and so no preflight.
        body: body === null ? null : new TextEncoder().encode(JSON.stringify(body)),
        credentials: "include",
        referrerPolicy: "no-referrer",
      });
      return answer.ok;
    } catch {
      return false;
    }
  }
}
