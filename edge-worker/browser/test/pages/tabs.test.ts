// Logout, in the browser's other tabs and in pages that wait in the back/forward cache; and what tabs share besides.
import { test } from "node:test";
import assert from "node:assert/strict";
import { LIST, PERSONAL } from "./retailer.js";
import { tests } from "./visit.js";
import type { Visit } from "./visit.js";

const { shop, context, visit } = tests();

async function personal(path = "/"): Promise<Visit> {
  const visited = await visit(path);
  await visited.said("personal");
  assert.deepEqual(await visited.ids(), PERSONAL);
  return visited;
}

const logout = ({ page }: Visit): Promise<void> => page.evaluate(() => window.shop.logout());
const reasonNow = async (visited: Visit): Promise<unknown> => (await visited.last("stays"))?.["reason"];

/** Marks the page, so that one which is loaded anew is told from one out of the cache. */
async function mark({ page }: Visit): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.dataset["marked"] = "";
    addEventListener("pageshow", ({ persisted }) => (document.documentElement.dataset["persisted"] = String(persisted)));
  });
}

async function leave({ page }: Visit): Promise<void> {
  await page.locator("#other").click();
  await page.waitForURL("**/other");
  await page.waitForSelector("html[data-ready]", { state: "attached" });
}

test("a logout in one tab takes the other's shelf and token", async () => {
  const [one, other] = [await personal(), await personal()];
  assert.equal(shop().tokens, 2);
  shop().shopper = null;
  await logout(one);
  await other.said("stays");
  assert.deepEqual([await other.ids(), await reasonNow(other)], [LIST, "logged-out"]);
  const { ranked } = shop();
  await other.page.evaluate(() => document.querySelector("domicile-shelf")?.restart());
  await other.said("stays", 2);
  assert.deepEqual([await reasonNow(other), shop().tokens, shop().ranked], ["no-grant", 3, ranked]);
  assert.equal(await one.page.evaluate(() => window.moments.filter(([name]) => name === "stays").length), 1, "no echo");
});

test("tabs share the versions of manifests, a word, and nothing else", async () => {
  const words = await visit("/?alone");
  await words.page.evaluate(() => {
    const heard: unknown[] = [];
    new BroadcastChannel("domicile").onmessage = ({ data }) => void heard.push(data);
    Object.assign(globalThis, { heard });
  });
  const one = await personal();
  shop().shopper = "canary-18";
  const other = await personal();
  await other.page.evaluate(() => window.shop.tell({ kind: "view", item: "1" }, "de-DE"));
  await other.page.evaluate(() => window.shop.flush());
  await logout(other);
  await one.said("stays");
  assert.deepEqual(await words.page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard), ["logout"]);
  const stored = await one.page.evaluate(async () =>
    [{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases(), await caches.keys()]);
  assert.deepEqual(stored, [{ "domicile.seen": '{"eu_only":7}' }, {}, "", [], []]);
});

test("a tab takes no older manifest than another one has seen", async () => {
  const { world } = shop().site;
  const one = await visit("/?alone");
  world.manifest = { ...world.manifest, version: 8 };
  await personal();
  world.manifest = { ...world.manifest, version: 7 };
  await one.page.evaluate(() => (globalThis as unknown as { connectShop: () => void }).connectShop());
  await one.said("stays");
  assert.deepEqual([await one.ids(), await reasonNow(one)], [LIST, "manifest-rolled-back"]);
  assert.equal(shop().ranked, 1);
});

test("a tab that is closed takes nothing from another", async () => {
  const [one, other] = [await personal(), await personal()];
  await other.page.close({ runBeforeUnload: true });
  await one.page.evaluate(() => document.querySelector("domicile-shelf")?.refresh());
  await one.said("personal", 2);
  assert.deepEqual([await one.ids(), shop().tokens], [PERSONAL, 2]);
});

test("a page with a client comes out of the back/forward cache, also with other tabs open, and shows what was there", async () => {
  await personal();
  const one = await personal();
  await mark(one);
  await leave(one);
  await one.page.evaluate(() => history.back());
  await one.page.waitForSelector('html[data-marked][data-persisted="true"]', { state: "attached" });
  assert.deepEqual(await one.ids(), PERSONAL);
  assert.deepEqual([await one.page.evaluate(() => window.shop.flush()), shop().ranked], [0, 3]);
});

test("a page in the back/forward cache does not come back after a logout: it is loaded anew", async () => {
  const one = await personal();
  await mark(one);
  await leave(one);
  shop().shopper = null;
  await logout(one);
  await one.page.evaluate(() => history.back());
  await one.page.waitForURL(`${shop().origin}/`);
  await one.page.waitForSelector("html[data-ready]:not([data-marked])", { state: "attached" });
  await one.said("stays");
  assert.deepEqual([await one.ids(), await reasonNow(one)], [LIST, "no-grant"]);
});

test("without the word, a page out of the back/forward cache finds that the shopper is another one", async () => {
  await context().addInitScript(() => Reflect.deleteProperty(globalThis, "BroadcastChannel"));
  for (const next of [null, "canary-18"]) {
    shop().shopper = "canary-17";
    const one = await personal();
    await mark(one);
    await leave(one);
    shop().shopper = next;
    await logout(one);
    await one.page.evaluate(() => history.back());
    await one.page.waitForSelector('html[data-marked][data-persisted="true"]', { state: "attached" });
    await one.said("stays");
    assert.deepEqual([await one.ids(), await reasonNow(one)], [LIST, "logged-out"]);
  }
});
