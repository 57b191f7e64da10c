// The client in a real browser: what leaves, what is stored, and what a page that is left still tells.
import { after, before, beforeEach, afterEach, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Domicile, Outcome, Ranking } from "../../src/api.js";
import { Site, launch } from "./site.js";

declare const shop: Domicile;

let browser: Browser;
let context: BrowserContext;
let site: Site;

before(async () => {
  browser = await launch();
});
after(() => browser.close());
beforeEach(async () => {
  site = await Site.open();
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
  site.close();
});

/** A shelf, however busy this machine is: the outcome, and the KEM of the request. */
async function rank(page: Page): Promise<string> {
  const outcome: Outcome<Ranking> = await page.evaluate(() => shop.rank({ locale: "de-DE", slot: "home" }, [], 60_000));
  return outcome.is === "answered" ? `answered ${Object.values(outcome.kept.request).slice(1, 3).join()}` : outcome.is === "stays" ? outcome.reason : outcome.code;
}

/** The ids of every event that a cell opened. */
function told(): string[] {
  const batches = site.world.opened.filter(({ request }) => request.path === "/v1/events");
  return batches.flatMap(({ request }) => (request.body as { events: { item: string }[] }).events.map(({ item }) => item));
}

test("a shelf comes over one untyped POST: no preflight, no cookie, no referrer, and one thing stored", async () => {
  const violations: string[] = [];
  await context.addCookies([{ name: "shopper", value: "canary", url: site.edge }]);
  const page = await site.page(context);
  page.on("console", (message) => violations.push(message.text()));
  assert.equal(await rank(page), "answered 0,32");
  const sent = site.seen.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(sent, ["GET /v1/route/eu_only", "GET /v1/keys/a", "POST /v1/sealed/PIN/a/de-DE/home"]);
  for (const { headers } of site.seen) {
    assert.deepEqual([headers.cookie, headers.referer, headers.authorization, headers["content-type"]], Array(4).fill(undefined));
    assert.ok(!JSON.stringify(headers).includes("canary"));
  }
  const stored = await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }, document.cookie]);
  assert.deepEqual(stored[0], { "domicile.seen": '{"eu_only":7}' });
  assert.deepEqual([stored[1], await page.evaluate(() => indexedDB.databases())], [{}, []]);
  assert.deepEqual(violations, []);
});

test("an edge on the shop's own origin is asked without a preflight and without a cookie as well", async () => {
  await context.addCookies([{ name: "shopper", value: "canary", url: site.edge }]);
  const page = await site.page(context, site.edge);
  const before = site.seen.length;
  assert.equal(await rank(page), "answered 0,32");
  const sent = site.seen.slice(before);
  assert.deepEqual(sent.map(({ method }) => method), ["GET", "GET", "POST"]);
  assert.ok(!JSON.stringify(sent.map(({ headers }) => headers)).includes("canary"));
});

test("keys past the caches need no preflight either", async () => {
  site.world.keys = { a: "cached" };
  const page = await site.page(context);
  await rank(page);
  const asked = site.seen.filter(({ path }) => path === "/v1/keys/a");
  assert.deepEqual(asked.map(({ headers }) => headers["cache-control"]), [undefined, "no-cache"]);
  assert.ok(site.seen.every(({ method }) => method !== "OPTIONS"));
});

test("a browser without X25519 seals to the P-256 key", async () => {
  await context.addInitScript(() => {
    const real = SubtleCrypto.prototype.generateKey as (this: SubtleCrypto, ...given: unknown[]) => Promise<CryptoKeyPair>;
    const lacking = function (this: SubtleCrypto, algorithm: { name: string }, ...given: unknown[]): Promise<CryptoKeyPair> {
      const missing = new DOMException("not here", "NotSupportedError");
      return algorithm.name === "X25519" ? Promise.reject(missing) : real.call(this, algorithm, ...given);
    };
    Object.assign(SubtleCrypto.prototype, { generateKey: lacking });
  });
  assert.equal(await rank(await site.page(context)), "answered 0,16");
});

test("a browser without storage ranks, one without WebCrypto says so", async () => {
  await context.addInitScript(() => {
    Object.defineProperty(globalThis, "localStorage", {
      get() {
        throw new DOMException("switched off", "SecurityError");
      },
    });
  });
  assert.equal(await rank(await site.page(context)), "answered 0,32");
  await context.addInitScript(() => Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined }));
  assert.equal(await rank(await site.page(context)), "no-crypto");
});

test("nothing follows a redirect: sealed bytes go nowhere that no manifest names", async () => {
  site.redirect = `${site.shop}/elsewhere`;
  assert.equal(await rank(await site.page(context)), "answer-lost");
  assert.equal(site.seen.filter(({ method }) => method === "POST").length, 1);
});

test("a page that is left tells its last events", async () => {
  const page = await site.page(context);
  await rank(page);
  await page.evaluate(async () => {
    shop.tell({ kind: "view", item: "last" }, "de-DE");
    // By then it is sealed: the ranking's own seal comes after it.
    await shop.rank({ locale: "de-DE", slot: "home" }, [], 60_000);
  });
  await page.goto("about:blank");
  await site.until(() => told().includes("last"));
});

test("a page out of the back/forward cache tells again what was lost when it was left", async () => {
  const page = await site.page(context);
  await rank(page);
  await page.evaluate(async () => {
    addEventListener("pageshow", ({ persisted }) => Object.assign(globalThis, { persisted }));
    shop.tell({ kind: "view", item: "again" }, "de-DE");
    await shop.rank({ locale: "de-DE", slot: "home" }, [], 60_000);
  });
  const posts = site.world.posted.length;
  site.world.sealed = [{ fallback: "cell-failed" }];
  await page.goto(`${site.shop}/other`);
  await site.until(() => site.world.posted.length > posts);
  assert.deepEqual(told(), []);
  await page.goBack({ waitUntil: "commit" });
  await site.until(() => told().includes("again"));
  assert.equal(await page.evaluate(() => (globalThis as unknown as { persisted: boolean }).persisted), true);
  assert.equal(await page.evaluate(() => shop.flush()), 0);
});

test("logout ends what is under way, in the network too", async () => {
  const page = await site.page(context);
  await rank(page);
  site.world.sealed = ["hangs"];
  const posts = site.world.posted.length;
  const under_way = page.evaluate(() => shop.rank({ locale: "de-DE", slot: "home" }, [], 60_000));
  await site.until(() => site.world.posted.length > posts);
  const failed = page.waitForEvent("requestfailed");
  await page.evaluate(() => shop.logout());
  const outcome = await under_way;
  assert.equal(outcome.is === "stays" && outcome.reason, "logged-out");
  assert.match((await failed).url(), /\/v1\/sealed\//);
});
