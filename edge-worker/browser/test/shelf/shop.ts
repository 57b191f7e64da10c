/** A page of the shop as a test uses it. */

import type { Page } from "playwright-core";
import type { Item, List, Outcome, Ranking, Reason, Rung, ShopEvent } from "../../src/api.js";

const NAMES = [
  ["Bananas (national brand)", "tropical-fruit"],
  ["Eggs, x-large, 1 dozen (store brand)", "eggs"],
  ["Fluid milk white only, 1 gal (store brand)", "fluid-milk-products"],
  ["Hot dog buns, 11 oz (store brand)", "baked-bread-buns-rolls"],
  ["Strawberries (national brand)", "berries"],
  ["Ground coffee, medium roast, 12 oz", "coffee"],
  ["Sharp cheddar, 8 oz (national brand)", "cheese"],
  ["Yoghurt, plain, 32 oz", "yogurt"],
  ["Pasta, spaghetti, 1 lb (store brand)", "dry-noodles-pasta"],
  ["Orange juice, no pulp, 52 oz", "refrigerated-juices-drinks"],
] as const;

/** So many items whose ids begin with `kind`. */
export function items(kind: string, count: number, from = 0): Item[] {
  return Array.from({ length: count }, (_, n) => {
    const [title, category] = NAMES[(n + from) % NAMES.length] ?? ["", ""];
    return { id: `${kind}-${n}`, title, category, image: `/img/${n + from}.svg`, url: `/p/${kind}-${n}` };
  });
}

export const HOME = '<domicile-shelf slot="home" locale="en-GB" label="Picked for this page"></domicile-shelf>';

export function list(all: readonly unknown[]): List {
  const items = all as readonly Item[];
  const where = { locale: "en-GB", slot: "home" };
  return { ...where, rung: "list", overlay: "demo", not_after: "2027-12-31T00:00:00Z", stale: false, items };
}

export function answered(all: readonly unknown[], rung: Rung = "full", cell = "eu-a"): Outcome<Ranking> {
  const features = { state: "fresh", age_s: 3 };
  const stated = { rung, reason: "within-budget", snapshot: "sha256:0", overlay: "demo", cell, features };
  const value: Ranking = { ...stated, items: all as readonly Item[], elapsed_us: 3800 };
  const kept = { request: new Uint8Array(), content: new Uint8Array(), receipt: "" };
  return { is: "answered", value, cell, ms: 12, extra: null, kept };
}

export function stays(reason: Reason): Outcome<Ranking> {
  return { is: "stays", reason, ms: 7 };
}

export type Told = readonly [name: string, detail: Record<string, unknown>];

export class Shop {
  readonly page: Page;
  readonly errors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(error.message));
  }

  /** The edge gives a list; `n`: to the how-manieth call. */
  async list(all: readonly unknown[], n = 0): Promise<void> {
    await this.page.waitForFunction((at) => window.seen.fake.lists.length > at, n);
    await this.page.evaluate(([at, given]) => window.seen.fake.lists[at]?.resolve(given), [n, list(all)] as const);
    await this.frame();
  }

  async noList(n = 0): Promise<void> {
    await this.page.evaluate((at) => window.seen.fake.lists[at]?.reject(new Error("no list")), n);
    await this.frame();
  }

  /** A call for a ranking comes to an end. */
  async rank(outcome: Outcome<Ranking>, n = 0): Promise<void> {
    await this.page.waitForFunction((at) => window.seen.fake.ranks.length > at, n);
    await this.page.evaluate(([at, given]) => window.seen.fake.ranks[at]?.resolve(given), [n, outcome] as const);
    await this.frame();
  }

  logout(): Promise<void> {
    return this.page.evaluate(() => window.seen.fake.logout());
  }

  /** Until the browser has painted what is there, and said what it has to say about it. */
  async frame(): Promise<void> {
    await this.page.evaluate(
      () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  /** Ids of the items that are shown, as their links have them. */
  ids(n = 0): Promise<string[]> {
    return this.page.locator("domicile-shelf").nth(n).locator(".card a:visible").evaluateAll(
      (links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.replace("/p/", "")),
    );
  }

  moments(): Promise<Told[]> {
    return this.page.evaluate(() => [...window.seen.moments]);
  }

  async names(): Promise<string[]> {
    return (await this.moments()).map(([name]) => name);
  }

  /** The last detail of a moment. */
  async last(name: string): Promise<Record<string, unknown> | undefined> {
    return (await this.moments()).filter(([one]) => one === name).at(-1)?.[1];
  }

  told(): Promise<(ShopEvent & { readonly locale: string })[]> {
    return this.page.evaluate(() => [...window.seen.fake.told]);
  }

  calls(): Promise<{ readonly lists: number; readonly ranks: number }> {
    return this.page.evaluate(() => ({ lists: window.seen.fake.lists.length, ranks: window.seen.fake.ranks.length }));
  }

  async shift(): Promise<number> {
    await this.frame();
    return this.page.evaluate(() => window.seen.shift());
  }
}
