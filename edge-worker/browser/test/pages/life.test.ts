// Shelves of one page, and a page that changes without being loaded.
import { test } from "node:test";
import assert from "node:assert/strict";
import { EMPTY, LIST, PERSONAL, listOf } from "./retailer.js";
import { tests } from "./visit.js";

const { shop, visit } = tests();

/** Both slots, each with a list of its own. */
function twoSlots(): void {
  const { world } = shop().site;
  world.manifest = { ...world.manifest, slots: ["home", "product"].map((name) => ({ name, items: 2, relay_wait_ms: 350 })) };
  world.list = (path) => listOf(path.split("/").at(-1) ?? "");
}

test("several shelves of a page share a grant, a manifest and a cell's keys", async () => {
  twoSlots();
  shop().body = EMPTY + EMPTY.replace("home", "product") + EMPTY;
  const visited = await visit();
  await visited.said("personal", 3);
  for (const n of [0, 1, 2]) {
    assert.equal((await visited.ids(n))[0], PERSONAL[0]);
  }
  assert.deepEqual([shop().tokens, shop().asked("/v1/route/eu_only"), shop().asked("/v1/keys/a"), shop().ranked], [1, 1, 1, 3]);
  assert.equal(await visited.shift(), 0);
});

test("a shelf that is taken out and comes back for another slot begins there, with what the page holds", async () => {
  twoSlots();
  const visited = await visit();
  await visited.said("personal");
  await visited.page.evaluate(async () => {
    const one = document.querySelector("domicile-shelf");
    one?.remove();
    await new Promise((resolve) => setTimeout(resolve));
    history.pushState(null, "", "/p/1");
    one?.setAttribute("slot", "product");
    document.querySelector("h1")?.after(one ?? "");
  });
  await visited.said("personal", 2);
  const { locale, slot } = (await visited.last("personal")) ?? {};
  assert.deepEqual([locale, slot, (await visited.ids())[0]], ["de-DE", "product", PERSONAL[0]]);
  const posts = shop().site.seen.map(({ path }) => path).filter((path) => path.startsWith("/v1/sealed/"));
  assert.ok(posts.includes("/v1/sealed/PIN/a/de-DE/product"), posts.join());
  assert.deepEqual([shop().tokens, shop().asked("/v1/route/eu_only"), shop().asked("/v1/keys/a"), shop().ranked], [1, 1, 1, 2]);
  assert.deepEqual(visited.errors, []);
});

test("at a navigation of a single-page shop a shelf that stays where it is begins anew", async () => {
  const visited = await visit();
  await visited.said("personal");
  await visited.page.locator("domicile-shelf .heading").click();
  await visited.page.mouse.move(600, 700);
  await visited.page.evaluate(() => {
    history.pushState(null, "", "/p/1");
    document.querySelector("domicile-shelf")?.restart();
  });
  await visited.said("personal", 2);
  const names = await visited.page.evaluate(() => window.moments.map(([name]) => name));
  assert.deepEqual(names, ["list", "personal", "list", "personal"]);
  assert.deepEqual([await visited.ids(), shop().tokens, shop().ranked, await visited.shift()], [PERSONAL, 1, 2, 0]);
});

test("a page that the shopper leaves by logging out shows the list, and nothing more is sealed", async () => {
  const visited = await visit();
  await visited.said("personal");
  shop().shopper = null;
  await visited.page.evaluate(() => window.shop.logout());
  const { ranked } = shop();
  await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.refresh());
  await visited.said("stays", 2);
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().ranked], [LIST, "no-grant", ranked]);
});
