// The shelf with the client that it is made for, and an edge of one origin with the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOME, items, list } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

const { open, asked } = world();
const LIST = "/v1/shelf/en-GB/home";

async function connected(edge: Readonly<Record<string, string>>, use: (shop: Shop) => Promise<void>): Promise<void> {
  await visit(open, { body: HOME, connects: false, edge }, async (shop) => {
    await shop.page.evaluate(() => {
      const { client, domicile } = window.seen;
      domicile.connect(client({ edge: location.origin, roots: [], grant: () => Promise.resolve(null) }));
    });
    await shop.page.waitForFunction(() => window.seen.moments.length >= 2);
    await use(shop);
  });
}

test("a shopper without a grant keeps the list", async () => {
  await connected({ [LIST]: JSON.stringify(list(items("l", 6))) }, async (shop) => {
    assert.deepEqual(await shop.ids(), items("l", 6).map(({ id }) => id));
    assert.equal((await shop.last("list"))?.["items"], 6);
    assert.equal((await shop.last("stays"))?.["reason"], "no-grant");
    assert.equal(asked.filter((path) => path === LIST).length, 1);
  });
});

test("a list that is broken off, of another place or none at all is an empty shelf", async () => {
  const whole = JSON.stringify(list(items("l", 6)));
  const other = JSON.stringify({ ...list(items("l", 6)), slot: "basket" });
  for (const edge of [{ [LIST]: whole.slice(0, -9) }, { [LIST]: other }, { [LIST]: "null" }, {}]) {
    await connected(edge, async (shop) => {
      assert.deepEqual(await shop.ids(), []);
      assert.equal((await shop.last("empty"))?.["reason"], "no-list");
      assert.equal(await shop.shift(), 0);
    });
  }
});
