/** The cells, how they do, and buttons that stop, slow and start them. */

import { byId, h } from "./dom.js";
import { country } from "./names.js";
import { own } from "./setup.js";
import type { Cell, Setup } from "./setup.js";

type State = "unknown" | "starting" | "running" | "slow" | "stopped";

const SAID: Readonly<Record<State, string>> = {
  unknown: "not known",
  starting: "starting: it loads its models",
  running: "running",
  slow: "slow: most of the time its process is paused",
  stopped: "stopped: its process has ended",
};

const WISHES = [
  { wish: "stop", text: "Stop", from: ["running", "slow"] },
  { wish: "slow", text: "Slow down", from: ["running"] },
  { wish: "start", text: "Start", from: ["stopped", "slow"] },
] as const;

export class Cells {
  readonly #rows = new Map<string, { readonly row: HTMLElement; readonly state: HTMLElement; readonly buttons: readonly HTMLButtonElement[] }>();
  readonly #note = byId("cells-note", HTMLElement);

  constructor(setup: Setup) {
    const list = byId("cells", HTMLUListElement);
    for (const cell of setup.cells) {
      list.append(this.#row(cell, setup.controls));
    }
    if (!setup.controls) {
      this.#note.textContent = "Nobody here stops and starts them: this shop was started by itself.";
    }
  }

  /** Shows which cells may serve the shopper. */
  allow(names: readonly string[]): void {
    for (const [name, { row }] of this.#rows) {
      row.toggleAttribute("data-other", !names.includes(name));
    }
  }

  /** Asks how they do. */
  async look(): Promise<void> {
    const states = await own<Record<string, State>>("/demo/cells").catch(() => null);
    for (const [name, state] of Object.entries(states ?? {})) {
      this.#show(name, state);
    }
  }

  #show(name: string, state: State): void {
    const shown = this.#rows.get(name);
    if (shown === undefined || shown.row.dataset["state"] === state) {
      return;
    }
    shown.row.dataset["state"] = state;
    shown.state.textContent = SAID[state];
    for (const [n, button] of shown.buttons.entries()) {
      const from: readonly string[] = WISHES[n]?.from ?? [];
      // A button that has the focus keeps it: it says that it does nothing now.
      button.setAttribute("aria-disabled", String(!from.includes(state)));
    }
  }

  #row(cell: Cell, controls: boolean): HTMLElement {
    const state = h("span", { class: "state" }, SAID.unknown);
    const buttons = controls ? WISHES.map(({ wish, text }) => this.#button(cell.name, wish, text)) : [];
    const row = h(
      "li",
      { class: "cell", "data-state": "unknown" },
      h("h3", {}, h("span", { class: "dot", "aria-hidden": "true" }), cell.name, h("span", { class: "lawful" }, "may serve this shopper")),
      h("p", {}, `Boundary ${cell.boundary}, site ${cell.site}, operator “${cell.operator}”, ${country(cell.jurisdiction)}`),
      h("p", { class: "state-line" }, state),
      h("div", { class: "buttons" }, ...buttons),
    );
    this.#rows.set(cell.name, { row, state, buttons });
    return row;
  }

  #button(cell: string, wish: string, text: string): HTMLButtonElement {
    const button = h("button", { type: "button", class: "quiet", "aria-disabled": "true", "aria-label": `${text} ${cell}` }, text);
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "false") {
        void this.#wish(cell, wish);
      }
    });
    return button;
  }

  async #wish(cell: string, wish: string): Promise<void> {
    const answer = await fetch(`/demo/cells/${cell}/${wish}`, { method: "POST" }).catch(() => null);
    this.#note.textContent = answer?.ok === true ? `Told to ${wish}: ${cell}.` : `That could not be done to ${cell}.`;
    await this.look();
  }
}
