/** Pages of a {@link Retailer} in Chromium, as tests use them; and what holds for every one of those tests. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Domicile } from "../../src/api.js";
import { launch } from "../chromium/site.js";
import { Retailer } from "./retailer.js";

declare global {
  interface Window {
    /** The page's connection. */
    shop: Domicile;
    moments: (readonly [name: string, detail: Record<string, unknown>])[];
    shifted: number;
  }
}

/** What the browser keeps of a page, whatever becomes of its scripts. */
function watch(): void {
  window.moments = [];
  window.shifted = 0;
  for (const name of ["list", "personal", "stays", "empty"]) {
    addEventListener(`domicile-${name}`, (event) => window.moments.push([name, (event as CustomEvent).detail]));
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.shifted += (entry as PerformanceEntry & { readonly value: number }).value;
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** A page of the shop as a test uses it. */
export class Visit {
  readonly page: Page;
  readonly console: string[] = [];
  readonly errors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => this.console.push(message.text()));
    page.on("pageerror", (error) => this.errors.push(error.message));
  }

  /** Until a shelf has said something so many times. */
  async said(name: string, times = 1): Promise<void> {
    await this.page.waitForFunction(
      ([name, times]) => window.moments.filter(([one]) => one === name).length >= times, [name, times] as const,
    );
  }

  async last(name: string): Promise<Record<string, unknown> | undefined> {
    return this.page.evaluate((name) => window.moments.filter(([one]) => one === name).at(-1)?.[1], name);
  }

  /** Ids of the items that are seen, on a shelf or before there is one. */
  ids(n = 0): Promise<string[]> {
    return this.page.locator("domicile-shelf").nth(n).locator("a:visible").evaluateAll(
      (links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.replace("/p/", "")),
    );
  }

  async shift(): Promise<number> {
    await this.page.evaluate(
      () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
    return this.page.evaluate(() => window.shifted);
  }
}

/** A retailer for each test of a file, and the browser's contexts for it. */
export interface Tests {
  readonly shop: () => Retailer;
  readonly context: () => BrowserContext;
  /** Opens a page. `?alone`: one that is not connected. */
  readonly visit: (path?: string) => Promise<Visit>;
}

export function tests(): Tests {
  let browser: Browser;
  let shop: Retailer;
  let context: BrowserContext;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    shop = await Retailer.open();
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(30_000);
    await context.addInitScript(watch);
  });
  afterEach(async () => {
    await context.close();
    shop.close();
    const methods = [...shop.site.seen.map(({ method }) => method), ...shop.methods];
    assert.ok(!methods.includes("OPTIONS"), "no request needs a preflight");
    const clear = JSON.stringify(shop.site.seen);
    assert.ok(["canary", ...shop.claims].every((secret) => !clear.includes(secret)), "no shopper in an address or a header");
  });
  const visit = async (path = "/"): Promise<Visit> => {
    const visit = new Visit(await context.newPage());
    await visit.page.goto(`${shop.origin}${path}`);
    return visit;
  };
  return { shop: () => shop, context: () => context, visit };
}
