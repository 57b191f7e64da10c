/** The demo with a real Chromium before it, and something between the two that a test can have play tricks. */

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { Domicile } from "../../src/api.js";
import type { DomicileShelf } from "../../src/shelf/shelf.js";
import { Between } from "./between.js";
import { FLAGS } from "../chromium/flags.js";
import { Demo } from "./demo.js";
import { LONG_MS, plainPages } from "./plain.js";

/** What a plain page has for tests. */
export interface Plain {
  readonly shop: Domicile;
  readonly moments: readonly Moment[];
}

/** What a shelf said, and when: milliseconds since the navigation began. */
export interface Moment {
  readonly name: string;
  readonly at: number;
  readonly reason?: string;
  readonly rung?: string;
  readonly cell?: string | null;
  readonly ms: number;
}

/** Sums up what moves in a page without anybody's doing. */
const SHIFTS = `globalThis.shifts = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) entry.hadRecentInput || shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });`;

export class World {
  readonly demo: Demo;
  readonly shop: Between;
  readonly edge: Between;
  readonly identity: Between;
  readonly browser: Browser;

  private constructor(demo: Demo, [shop, edge, identity]: readonly [Between, Between, Between], browser: Browser) {
    [this.demo, this.shop, this.edge, this.identity, this.browser] = [demo, shop, edge, identity, browser];
    this.reset();
  }

  /** `through`: what the browser finds the test's own in place of; the rest it asks directly. */
  static async open(through: "everything" | "the shop" = "everything"): Promise<World> {
    const demo = await Demo.find();
    const { edge, identity } = demo.setup;
    const all = [await Between.before(demo.shop), await Between.before(edge), await Between.before(identity)] as const;
    const mapped = through === "everything" ? all : all.slice(0, 1);
    const rules = `--host-resolver-rules=${mapped.map(({ rule }) => rule).join(", ")}`;
    // Without the back/forward cache, which is the runner's way: a page that is left is gone.
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: [...FLAGS, rules] });
    return new World(demo, all, browser);
  }

  async close(): Promise<void> {
    await this.browser.close();
    for (const one of [this.shop, this.edge, this.identity]) {
      one.close();
    }
  }

  /** Nobody plays tricks, and nothing was seen. */
  reset(): void {
    for (const one of [this.shop, this.edge, this.identity]) {
      one.reset();
    }
    this.shop.trick = plainPages(this.demo.setup, process.env["DOMICILE_PAGES"]);
  }

  /** A browser's context, closed after `use`. What its pages complain of fails it, but for what `expected` names. */
  async visit(
    use: (context: BrowserContext) => Promise<void>,
    { expected = [], ...setting }: BrowserContextOptions & { readonly expected?: readonly RegExp[] } = {},
  ): Promise<void> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...setting });
    context.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    const complain = (text: string): void => void (expected.some((one) => one.test(text)) || complaints.push(text));
    context.on("console", (message) => ["error", "warning"].includes(message.type()) && complain(message.text()));
    context.on("weberror", (error) => complain(error.error().message));
    try {
      await context.addInitScript(SHIFTS);
      await use(context);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  }

  /** Has the identity service know who the context's shopper is. */
  async login(context: BrowserContext, shopper: string): Promise<void> {
    const answer = await context.request.post(`${this.demo.setup.identity}/v1/login`, { data: { shopper } });
    assert.equal(answer.status(), 204);
  }

  /** A plain page. Without `limit_ms` the time is no matter; `null` leaves it to the manifest. */
  async plain(context: BrowserContext, locale: string, limit_ms: number | null = LONG_MS): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${this.demo.shop}/plain/${locale}/home${limit_ms === null ? "" : `?limit=${limit_ms}`}`);
    return page;
  }
}

/** The first moment of a name, from the `from`th on. */
export async function moment(page: Page, names: string | readonly string[], from = 0): Promise<Moment> {
  const wanted = typeof names === "string" ? [names] : names;
  const found = await page.waitForFunction(
    ([wanted, from]) => (globalThis as unknown as Partial<Plain>).moments?.slice(from).find(({ name }) => wanted.includes(name)),
    [wanted, from] as const,
  );
  return (await found.jsonValue()) as Moment;
}

/** What a shelf said so far. */
export function moments(page: Page): Promise<readonly Moment[]> {
  return page.evaluate(() => [...(globalThis as unknown as Plain).moments]);
}

/** Ids of the items that a shelf shows, in their order. */
export function ids(page: Page, shelf = "domicile-shelf"): Promise<string[]> {
  return page.locator(shelf).evaluate((element) => {
    const links = [...(element.shadowRoot?.querySelectorAll(".card a") ?? [])];
    return links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.replace("/p/", ""));
  });
}

/** The answer that a plain page's shelf shows: its cell, and the three things that prove it. */
export function kept(page: Page): Promise<{ cell: string; request: number[]; content: number[]; receipt: string } | null> {
  return page.locator("domicile-shelf").evaluate((element) => {
    const answer = (element as DomicileShelf).answer;
    const kept = answer?.kept;
    return answer && kept ? { cell: answer.cell, request: [...kept.request], content: [...kept.content], receipt: kept.receipt } : null;
  });
}

/** How much moved, once what is there is painted. */
export async function shifted(page: Page): Promise<readonly number[]> {
  await page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
  return (await page.evaluate("shifts")) as number[];
}

/** Asks once more until a shelf is personal: a busy machine may be late. */
export async function personal(page: Page, cell?: string): Promise<Moment> {
  for (let from = 0; ; ) {
    const came = await moment(page, ["domicile-personal", "domicile-stays"], from);
    if (came.name === "domicile-personal" && (cell === undefined || came.cell === cell)) {
      return came;
    }
    from = (await moments(page)).length;
    await page.locator("domicile-shelf").evaluate((element) => (element as DomicileShelf).refresh());
  }
}
