/** Choosing a region and a shopper. */

import { byId, h } from "./dom.js";
import { region } from "./names.js";
import type { Setup } from "./setup.js";
import type { Who } from "./shopper.js";

export class Chooser {
  readonly #setup: Setup;
  readonly #region = byId("region", HTMLSelectElement);
  readonly #shopper = byId("shopper", HTMLSelectElement);
  readonly #leave = byId("log-out", HTMLButtonElement);
  readonly #note = byId("who-note", HTMLElement);

  constructor(setup: Setup, chosen: () => void) {
    this.#setup = setup;
    this.#region.append(...setup.locales.map(({ locale }) => h("option", { value: locale }, region(locale))));
    this.#offer();
    this.#region.addEventListener("change", () => {
      this.#offer();
      chosen();
    });
    this.#shopper.addEventListener("change", chosen);
    this.#leave.addEventListener("click", () => {
      this.#shopper.value = "nobody";
      chosen();
    });
    this.#region.disabled = this.#shopper.disabled = this.#leave.disabled = false;
  }

  get locale(): string {
    return this.#region.value;
  }

  get who(): Who {
    const value = this.#shopper.value;
    return value === "new" || value === "nobody" ? { is: value } : { is: "household", id: value };
  }

  say(text: string): void {
    this.#note.textContent = text;
  }

  /** The shoppers of the region. */
  #offer(): void {
    const offered = this.#setup.shoppers[this.locale] ?? [];
    const homes = [...new Set(offered.map(({ home }) => home))];
    const groups = homes.map((home) => {
      const label = home === null ? "No cell in this region" : `Home cell ${home}`;
      const options = offered.filter((one) => one.home === home).map(({ id }) => h("option", { value: id }, `Household ${id}`));
      return h("optgroup", { label }, ...options);
    });
    const others = h("optgroup", { label: "Without a history" }, h("option", { value: "new" }, "Somebody new"), h("option", { value: "nobody" }, "Nobody: the list alone"));
    this.#shopper.replaceChildren(...groups, others);
  }
}
