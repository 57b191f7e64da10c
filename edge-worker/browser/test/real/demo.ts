/**
 * The demo that runs: where its parts are, and how its cells do. `DOMICILE_SHOP` names its shop; the shop says the rest.
 */

import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Setup } from "../../shop/page/setup.js";

export type State = "unknown" | "starting" | "running" | "slow" | "stopped";

/** Between two looks at how cells do, in milliseconds. */
const LOOK_MS = 100;

export class Demo {
  readonly shop: string;
  readonly setup: Setup;

  private constructor(shop: string, setup: Setup) {
    this.shop = shop;
    this.setup = setup;
  }

  static async find(): Promise<Demo> {
    const shop = new URL(process.env["DOMICILE_SHOP"] ?? "").origin;
    const said = await fetch(`${shop}/demo/setup`);
    return new Demo(shop, (await said.json()) as Setup);
  }

  /** The class and the cells of a locale. */
  region(locale: string): Setup["locales"][number] {
    const found = this.setup.locales.find((one) => one.locale === locale);
    if (found === undefined) {
      throw new Error(`the demo has no ${locale}`);
    }
    return found;
  }

  /** A household of a locale with a history, by its home cell. */
  household(locale: string, home: string): string {
    const found = this.setup.shoppers[locale]?.find((one) => one.home === home);
    if (found === undefined) {
      throw new Error(`the demo has no household of ${locale} in ${home}`);
    }
    return found.id;
  }

  async states(): Promise<Readonly<Record<string, State>>> {
    return (await (await fetch(`${this.shop}/demo/cells`)).json()) as Record<string, State>;
  }

  /** Brings cells into a state, and waits until the demo says that they are in it. */
  async have(state: "running" | "slow" | "stopped", ...cells: readonly string[]): Promise<void> {
    const wish = { running: "start", slow: "slow", stopped: "stop" }[state];
    for (const cell of cells) {
      // A cell that starts can be slowed or stopped once it is there.
      await this.#until((states) => states[cell] === "running" || states[cell] === "slow" || states[cell] === "stopped");
      if ((await this.states())[cell] !== state) {
        await this.#post(`/demo/cells/${cell}/${wish}`);
      }
    }
    await this.#until((states) => cells.every((cell) => states[cell] === state));
  }

  /** All of them, as they are meant to be. */
  async mend(): Promise<void> {
    await this.have("running", ...this.setup.cells.map(({ name }) => name));
  }

  async #until(holds: (states: Readonly<Record<string, State>>) => boolean): Promise<void> {
    while (!holds(await this.states())) {
      await pause(LOOK_MS);
    }
  }

  /** As a page of the shop posts. */
  #post(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const post = request(`${this.shop}${path}`, { method: "POST", headers: { origin: this.shop } }, (answer) => {
        answer.resume();
        answer.on("end", () => (answer.statusCode === 202 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
      });
      post.on("error", reject).end();
    });
  }
}
