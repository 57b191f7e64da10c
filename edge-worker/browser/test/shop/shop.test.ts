// The demo's shop in a real browser, on its built pages and under its policy.
import { after, afterEach, before, beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launch } from "../chromium/site.js";
import { ShopSite } from "./site.js";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
/** Sums up what moved in a page without anybody's doing. */
const SHIFTS = `globalThis.shifted = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) entry.hadRecentInput || shifted.push(...entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
}).observe({ type: "layout-shift", buffered: true });`;
/** Where pictures of it are kept. */
const SHOTS = process.env["DOMICILE_SHOTS"] ?? "shots";

let browser: Browser;
let site: ShopSite;

before(async () => {
  browser = await launch();
});
after(() => browser.close());
beforeEach(async () => {
  site = await ShopSite.open();
});
afterEach(() => site.close());

/** Opens a page and closes it after `use`. What the browser complains of fails it. */
async function visit(path: string, use: (page: Page) => Promise<void>, setting: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...setting });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  try {
    await context.addInitScript(SHIFTS);
    const page = await context.newPage();
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${site.origin}${path}`);
    await use(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const personal = (page: Page): Promise<void> => page.getByText("A personal shelf").waitFor();
const stays = (page: Page): Promise<void> => page.getByText("The list stays").waitFor();
/** The card at a place of a shelf. Cards stand in the page in the order in which they were made. */
const card = (page: Page, shelf: string, at: number): Locator => page.locator(`#${shelf} > [slot="card-${at}"]`);
const first = (page: Page, shelf: string): Promise<string> => card(page, shelf, 0).locator(".product-title").innerText();
const sealed = (): number => site.edge.seen.filter(({ method }) => method === "POST").length;

/** What a cell was told: kind and item of each event but impressions. */
function events(): string[] {
  const batches = site.edge.world.opened.filter(({ request }) => request.path === "/v1/events");
  const all = batches.flatMap(({ request }) => (request.body as { events: { kind: string; item?: string }[] }).events);
  return all.filter(({ kind }) => kind !== "impression").map(({ kind, item }) => `${kind} ${item}`);
}

test("both shelves stand side by side, with what proves the second and what the edge saw of it", async () => {
  await visit("/", async (page) => {
    await personal(page);
    assert.deepEqual([await first(page, "list"), await first(page, "personal")], ["Bananas (national brand)", "Milk"]);
    const said = await page.locator("#answer").innerText();
    for (const fact of ["full", "within-budget", "a history, up to date", "9.0 ms of them in the cell", "verified by this page", "boundary eu"]) {
      assert.ok(said.includes(fact), fact);
    }
    await page.getByText("Byte for byte the request that this page sealed").waitFor();
    const saw = await page.locator("#saw").innerText();
    for (const fact of ["4,096 bytes", "relayed", "Headers that name a shopper\nnone"]) {
      assert.ok(saw.includes(fact), fact);
    }
    assert.deepEqual(site.told.slice(0, 3), ["/v1/logout", '/v1/login {"shopper":"2"}', '/v1/token {"locale":"de-DE"}']);
  });
});

test("a shopper is nowhere but with the identity service: not in an address, not in storage, not at the edge", async () => {
  await visit("/", async (page) => {
    await page.selectOption("#shopper", "3");
    await page.waitForFunction(() => document.querySelector("#answer .verdict.good") !== null);
    assert.ok(site.told.includes('/v1/login {"shopper":"3"}'));
    const stored = await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }, document.cookie, location.pathname]);
    assert.deepEqual(stored, [{ "domicile.seen": '{"eu_only":7}' }, {}, "", "/"]);
    const paths = new Set(site.edge.seen.map(({ path }) => path));
    assert.deepEqual([...paths].sort(), ["/v1/keys/a", "/v1/route/eu_only", "/v1/sealed/PIN/a/de-DE/home", "/v1/shelf/de-DE/home"]);
  });
});

test("a region without a cell has the list, and nothing is sealed or asked of the identity service", async () => {
  await visit("/", async (page) => {
    await personal(page);
    const before = sealed();
    await page.selectOption("#region", "en-GB");
    await page.getByText("The list is the lawful answer").waitFor();
    await page.getByText("Nothing sealed was sent").waitFor();
    assert.equal(sealed(), before);
    assert.deepEqual(site.told.slice(-2), ["/v1/logout", '/v1/login {"shopper":"4"}']);
  });
});

test("what goes into the basket is told to the cell, and the next view asks again", async () => {
  await visit("/", async (page) => {
    await personal(page);
    await card(page, "personal", 1).locator(".add").click();
    await page.getByText("is in the basket").waitFor();
    assert.equal(await page.locator("#basket-count").innerText(), "1");
    await page.locator(".again").first().click();
    await page.getByText("The same shelf as before").waitFor();
    assert.deepEqual(events(), ["basket 2"]);
    await page.locator(".basket-link").click();
    await page.getByRole("heading", { name: "Your basket" }).waitFor();
    assert.equal(await page.locator(".total strong").innerText(), "$1.09");
    await page.getByRole("button", { name: "Buy" }).click();
    await page.getByText("Nothing is in it").waitFor();
    assert.match(await page.locator("#moved").innerText(), /^Bought\./);
    await site.edge.until(() => events().includes("purchase 2"));
  });
});

test("a product has a page of its own, and leaves the basket as it came", async () => {
  await visit("/p/2", async (page) => {
    await page.getByRole("button", { name: "Add to basket" }).click();
    await page.locator(".basket-link").click();
    await page.getByRole("button", { name: /^Remove Eggs/ }).click();
    await page.getByText("Nothing is in it").waitFor();
    assert.equal(await page.locator("#basket-count").innerText(), "0");
  });
});

test("a card leads to its product without a reload, is told as a view, and the way back is the browser's", async () => {
  await visit("/", async (page) => {
    await personal(page);
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
    await card(page, "personal", 1).locator("a").click();
    await page.getByRole("heading", { name: "Eggs, x-large, 1 dozen (store brand)", level: 1 }).waitFor();
    const where = await page.evaluate(() => [location.pathname, Reflect.get(globalThis, "stayed"), document.activeElement?.id]);
    assert.deepEqual(where, ["/p/2", true, "main"]);
    // A shelf under the pointer is not swapped.
    await page.mouse.move(1, 1);
    await page.goBack();
    await page.getByRole("heading", { name: "Groceries, ranked close to home" }).waitFor();
    await personal(page);
    await page.waitForFunction(() => document.querySelector("#personal")?.getAttribute("slot") === "home");
    await site.edge.until(() => events().includes("view 2"));
  });
});

test("a shelf is gone along by keys: Tab to a card and to its button, arrows to the next card", async () => {
  await visit("/", async (page) => {
    await personal(page);
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
    await card(page, "personal", 0).locator("a").focus();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Add Milk to the basket");
    await page.keyboard.press("ArrowRight");
    assert.match(await focused(), /^Eggs/);
    await page.keyboard.press("Tab");
    assert.match(await focused(), /^Add Eggs/);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Stop a");
  });
});

test("of shoppers chosen one upon the other, the last is served", async () => {
  await visit("/", async (page) => {
    await personal(page);
    let begun = 0;
    const all = page.waitForEvent("response", (answer) => answer.url().endsWith("/v1/login") && ++begun === 4);
    await page.evaluate(() => {
      const select = document.querySelector<HTMLSelectElement>("#shopper");
      for (const who of ["3", "2", "2", "3"]) {
        Object.assign(select ?? {}, { value: who });
        select?.dispatchEvent(new Event("change"));
      }
    });
    await all;
    await personal(page);
    const sessions = site.told.filter((told) => !told.startsWith("/v1/token")).map((told) => told.split(" ")[0]);
    assert.deepEqual(sessions, Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? "/v1/logout" : "/v1/login")));
    assert.ok(site.told.includes('/v1/login {"shopper":"3"}'));
  });
});

test("logging out leaves the list, and no more is asked", async () => {
  await visit("/", async (page) => {
    await personal(page);
    await page.locator("#log-out").click();
    await stays(page);
    assert.equal(await first(page, "personal"), "Bananas (national brand)");
    assert.equal(site.told.at(-1), "/v1/logout");
    await page.locator(".again").first().click();
    await page.getByText("Nobody asked for a personal shelf").waitFor();
    assert.equal(site.told.filter((told) => told.startsWith("/v1/token")).length, 1);
  });
});

test("a cell that fails leaves the list, with the reason", async () => {
  site.edge.world.sealed = [{ fallback: "cell-failed" }, { fallback: "cell-failed" }];
  await visit("/", async (page) => {
    await stays(page);
    assert.match(await page.locator("#badge").innerText(), /^The list: /);
    assert.match(await page.locator("#answer").innerText(), /cell-failed/);
  });
});

test("buttons wish for what a cell's state allows, and nothing else", async () => {
  await visit("/", async (page) => {
    await personal(page);
    const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
    await page.waitForFunction(() => document.querySelector('[data-state="running"]') !== null);
    await button("Start a").click({ force: true });
    await button("Stop a").click();
    await page.getByText("Told to stop: a").waitFor();
    await button("Start us").click();
    await page.getByText("Told to start: us").waitFor();
    assert.deepEqual(site.wishes, ["POST a/stop", "POST us/start"]);
    site.states["a"] = "stopped";
    await page.locator("#cells .cell").first().getByText("stopped: its process has ended").waitFor();
    assert.equal(await button("Stop a").getAttribute("aria-disabled"), "true");
  });
});

for (const width of [360, 1280]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${width} px, ${colorScheme}: axe finds nothing, nothing overflows, and shelves shift nothing`, async () => {
      mkdirSync(SHOTS, { recursive: true });
      await visit("/", async (page) => {
        await personal(page);
        await page.getByText("Byte for byte").waitFor();
        assert.deepEqual(await page.evaluate("shifted"), []);
        for (const path of ["/", "/p/1", "/basket"]) {
          if (path !== "/") {
            await page.goto(`${site.origin}${path}`);
            await stays(page);
          }
          await page.evaluate(AXE);
          const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
          assert.deepEqual(violations.map(({ id, nodes }) => `${path} ${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
          const name = path === "/" ? "home" : path === "/basket" ? "basket" : "product";
          await page.screenshot({ path: `${SHOTS}/shop-${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
      }, { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
    });
  }
}

test("the page names every script and style with its integrity, and promises nothing that is not promised", () => {
  const page = readFileSync("dist-shop/index.html", "utf8");
  const loaded = page.match(/<(script|link rel="stylesheet")[^>]*>/g) ?? [];
  assert.equal(loaded.length, 5);
  assert.ok(loaded.every((tag) => /integrity="sha384-[\w+/]{64}"/.test(tag)), loaded.join(" "));
  assert.doesNotMatch(page, /https?:|style=|onclick|<script>/);
  for (const claim of ["anonymous", "GDPR", "oblivious", "no personal data"]) {
    assert.ok(!(page + readFileSync("dist-shop/shop.js", "utf8")).includes(claim), claim);
  }
});
