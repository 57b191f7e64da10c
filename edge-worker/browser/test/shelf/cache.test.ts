import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, HOME, items, stays } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

// Playwright switches the cache off, and does not notice that a page comes out of it: so the page itself is asked.
const { open } = world({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });

/** Goes to another page and back; the page has to come out of the cache. */
async function away(shop: Shop): Promise<void> {
  await shop.page.evaluate(() => {
    addEventListener("pageshow", ({ persisted }) => (document.documentElement.dataset["persisted"] = String(persisted)));
  });
  await shop.page.locator("#outside").click();
  await shop.page.waitForURL("**/other");
  await shop.page.evaluate(() => history.back());
  await shop.page.waitForSelector('html[data-persisted="true"]', { state: "attached" });
  await shop.frame();
}

test("a page out of the back/forward cache shows what was there, and asks for nothing", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.list(items("l", 6));
    await shop.rank(answered(items("p", 6)));
    await away(shop);
    assert.deepEqual(await shop.ids(), items("p", 6).map(({ id }) => id));
    assert.deepEqual(await shop.calls(), { lists: 1, ranks: 1 });
    assert.equal(await shop.shift(), 0);
  });
});

test("a shelf that had nothing begins anew", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.noList();
    await shop.rank(stays("answer-lost"));
    await away(shop);
    await shop.list(items("l", 6), 1);
    assert.deepEqual(await shop.ids(), items("l", 6).map(({ id }) => id));
  });
});
