// What an edge may send that is not what it should be, to the built script in a page. (What a list may hold: test/shelf.)
import { test } from "node:test";
import assert from "node:assert/strict";
import { whole } from "../world/tricks.js";
import { EMPTY, LIST, listOf } from "./retailer.js";
import { tests } from "./visit.js";

const { shop, visit } = tests();

/** Manifests that a root key signed, and which are none. */
const MALFORMED: Readonly<Record<string, (good: Record<string, unknown>) => unknown>> = {
  "a number": () => 7,
  "null": () => null,
  "a list": (good) => [good],
  "without a member": ({ clocks: _, ...rest }) => rest,
  "with a member that nobody knows": (good) => ({ ...good, extra: 1 }),
  "of a later form": (good) => ({ ...good, form: 2 }),
  "with cells that are none": (good) => ({ ...good, cells: [{}] }),
  "with a limit that is none": (good) => ({ ...good, clocks: { page_limit_ms: -1, cell_budget_ms: 120 } }),
  "with a time that is none": (good) => ({ ...good, not_after: "tomorrow" }),
  "with a prototype": (good) => JSON.parse(JSON.stringify({ ...good }).replace("{", '{"__proto__":{},')),
};

for (const [name, make] of Object.entries(MALFORMED)) {
  test(`a signed manifest, ${name}: the list stays, and nothing is sealed`, async () => {
    const { world } = shop().site;
    world.manifest = make(world.manifest) as typeof world.manifest;
    const visited = await visit();
    await visited.said("stays");
    assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().sealed], [LIST, "manifest-invalid", 0]);
    assert.deepEqual([visited.console, visited.errors, await visited.shift()], [[], [], 0]);
  });
}

for (const [trick, reason] of [
  ["forged", "manifest-untrusted"], ["garbage", "manifest-untrusted"], ["stale", "manifest-stale"], ["missing", "manifest-lost"],
] as const) {
  test(`a manifest that is ${trick}: the list stays, and nothing is sealed`, async () => {
    shop().site.world.route = trick;
    shop().site.world.made_s = Math.floor(Date.now() / 1_000);
    const visited = await visit();
    await visited.said("stays");
    assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().sealed], [LIST, reason, 0]);
    assert.deepEqual([visited.errors, await visited.shift()], [[], 0]);
  });
}

test("keys that the edge swapped: the list stays, and nothing is sealed", async () => {
  shop().site.world.keys = { a: "swapped" };
  const visited = await visit();
  await visited.said("stays");
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().sealed], [LIST, "keys-untrusted", 0]);
});

test("a list that breaks off, is HTML, or is another's: the personal shelf stands alone, or the shelf is empty", async () => {
  shop().body = EMPTY;
  const headers = { "content-type": "application/json", "domicile-outcome": "list" };
  const html = whole(200, headers, "<!doctype html><title>Sign in to the network</title>");
  for (const list of [whole(200, headers, '{"locale":"de-DE","slot":"home","rung":"li'), html, listOf("basket"), whole(200, headers, "")]) {
    shop().site.world.list = list;
    shop().shopper = "canary-17";
    const visited = await visit();
    await visited.said("personal");
    assert.deepEqual([await visited.ids(), visited.errors, await visited.shift()], [["1"], [], 0]);
    shop().shopper = null;
    const nobody = await visit();
    await nobody.said("empty");
    assert.deepEqual([(await nobody.last("empty"))?.["reason"], nobody.errors, await nobody.shift()], ["no-list", [], 0]);
  }
});

test("hard titles and missing images come through the whole way: list, ranking, and what the server wrote", async () => {
  const titles = ['</script><script>document.title="x"</script>', "x".repeat(200), "موز طازج", "<b>&amp;", "Nudeln", "Öl"];
  const items = titles.map((title, n) => ({ id: `l-${n}`, title, category: "", url: `/p/l-${n}`, ...(n === 4 ? {} : { image: "/img/1.svg" }) }));
  shop().site.world.list = listOf("home", items);
  shop().body = EMPTY;
  shop().shopper = null;
  const visited = await visit();
  await visited.said("list");
  assert.deepEqual(await visited.page.locator("domicile-shelf .title").allTextContents(), titles);
  assert.equal(await visited.page.title(), "Shop");
  assert.deepEqual([visited.console, visited.errors, await visited.shift()], [[], [], 0]);
  // A page that its server wrote has them as its own escaping left them.
  shop().shopper = "canary-17";
  shop().body = EMPTY.replace("></", `><ul>${titles.map((title, n) => `<li itemscope><meta itemprop="sku" content="l-${n}">
<a itemprop="url" href="/p/l-${n}"><span itemprop="name">${title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</span></a></li>`).join("")}</ul></`);
  const written = await visit();
  await written.said("personal");
  assert.deepEqual(await written.page.locator("domicile-shelf .title").allTextContents(), ["Milk", ...titles.slice(0, -1)]);
  assert.deepEqual([await written.page.title(), written.errors, await written.shift()], ["Shop", [], 0]);
});
