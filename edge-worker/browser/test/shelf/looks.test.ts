import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { connect, DomicileShelf } from "../../src/shelf/index.js";
import { answered, HOME, items, stays } from "./shop.js";
import { visit, world } from "./world.js";

const { open } = world();

/** Where pictures of it are kept. */
const SHOTS = process.env["DOMICILE_SHOTS"] ?? "shots";
const MANUAL = readFileSync("../../docs/shelf.md", "utf8");
const SHEETS = ["src/shelf/style.ts", "src/shelf/shelf.css"].map((file) => readFileSync(file, "utf8"));

for (const width of [360, 1280]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`a page of ${width} px, ${colorScheme}, holds it`, async () => {
      mkdirSync(SHOTS, { recursive: true });
      const context = { viewport: { width, height: 1180 }, colorScheme };
      const product = HOME.replace("home", "product").replace("Picked for this page", "Goes well with it");
      const arabic = '<domicile-shelf slot="home" locale="ar-EG" label="اقتراحات"></domicile-shelf>';
      await visit(open, { body: HOME + product + arabic, context, css: "domicile-shelf { margin-block-end: 1.5rem }" }, async (shop) => {
        await shop.list(items("l", 24));
        await shop.rank(answered(items("p", 24, 3)));
        const few = items("m", 3).map((item, n) => (n === 1 ? { ...item, image: "" } : item));
        await shop.list(few, 1);
        await shop.list(items("a", 12, 5).map((item) => ({ ...item, title: "قهوة مطحونة، تحميص متوسط", category: "قهوة" })), 2);
        await shop.page.waitForLoadState("networkidle");
        await shop.page.screenshot({ path: `${SHOTS}/shelf-${width}-${colorScheme}.png` });
        const lists = await shop.page.locator("domicile-shelf .cards").evaluateAll((all) =>
          all.map((one) => [one.getBoundingClientRect().left >= 0, one.getBoundingClientRect().right <= innerWidth]));
        assert.deepEqual(lists, Array.from({ length: 3 }, () => [true, true]));
      });
    });
  }
}

test("it follows the page's colour scheme, and is light where the page has none", async () => {
  const surfaces: Record<string, string> = {};
  for (const css of [":root { color-scheme: light dark }", ":root { color-scheme: dark }", ":root { color-scheme: light }"]) {
    await visit(open, { body: HOME, css, context: { colorScheme: "dark" } }, async (shop) => {
      await shop.list(items("l", 2));
      surfaces[css] = await shop.page.locator(".card").first().evaluate((card) => getComputedStyle(card).backgroundColor);
    });
  }
  assert.deepEqual(Object.values(surfaces), ["rgb(29, 33, 38)", "rgb(29, 33, 38)", "rgb(255, 255, 255)"]);
});

test("custom properties and parts style it", async () => {
  const css = `domicile-shelf { --domicile-card-width: 200px; --domicile-title-lines: 3; --domicile-surface: rgb(1, 2, 3) }
domicile-shelf::part(title) { color: rgb(4, 5, 6) } domicile-shelf::part(previous) { display: none }`;
  await visit(open, { body: HOME, css }, async (shop) => {
    await shop.list(items("l", 12));
    const card = shop.page.locator(".card").first();
    assert.equal((await card.boundingBox())?.width, 200);
    assert.equal(await card.evaluate((one) => getComputedStyle(one).backgroundColor), "rgb(1, 2, 3)");
    assert.equal(await card.locator(".title").evaluate((one) => getComputedStyle(one).color), "rgb(4, 5, 6)");
    assert.ok(await shop.page.locator(".previous").isHidden());
    assert.equal(await shop.shift(), 0);
  });
});

test("the manual names each custom property, part and attribute, and no other", async () => {
  const properties = (text: string): string[] => [...new Set(text.match(/--domicile-[a-z-]+/g))].sort();
  assert.deepEqual(properties(MANUAL), properties(SHEETS.join("")));
  const attributes = [...MANUAL.split("## Properties")[0]?.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm) ?? []];
  const named = attributes.flatMap(([, names]) => names?.replaceAll("`", "").split(", ") ?? []);
  assert.deepEqual(named.sort(), [...DomicileShelf.observedAttributes, "limit-ms", "tells"].sort());
  await visit(open, { body: HOME + HOME }, async (shop) => {
    await shop.list(items("l", 2));
    await shop.noList(1);
    await shop.rank(stays("no-grant"), 1);
    const parts = await shop.page.locator("domicile-shelf [part]").evaluateAll((all) => all.flatMap((one) => [...one.part]));
    const said = MANUAL.split("`::part()`")[1]?.split("An item without")[0]?.match(/^\| `.*?` \|/gm) ?? [];
    const listed = said.flatMap((row) => row.match(/[a-z]+/g) ?? []);
    assert.deepEqual(listed.sort(), [...new Set(parts)].sort());
  });
});

test("a server's renderer can load the module", () => {
  assert.equal(typeof connect, "function");
  assert.equal("HTMLElement" in globalThis, false);
});
