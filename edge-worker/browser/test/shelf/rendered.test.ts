import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Item } from "../../src/api.js";
import { answered, HOME, items } from "./shop.js";
import { PAUSE, visit, world } from "./world.js";

const { open, asked } = world();

/** A shelf as docs/shelf.md has a shop's server write it. */
function written(all: readonly Item[], template = ""): string {
  const cards = all.map(
    ({ id, title, category, image, url }) => `<li itemscope itemtype="https://schema.org/Product">
<meta itemprop="sku" content="${id}"><a itemprop="url" href="${url}">
<img itemprop="image" src="${image}" alt="" width="320" height="320">
<span itemprop="name">${title}</span><span itemprop="category">${category}</span></a></li>`,
  );
  return HOME.replace("></", `>${template}<ul>${cards.join("")}</ul></`);
}

const LIST = items("l", 8).map(({ id }) => id);

test("a list that the server wrote is taken as it is, and not fetched", async () => {
  await visit(open, { body: written(items("l", 8)) }, async (shop) => {
    await shop.frame();
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual(await shop.calls(), { lists: 0, ranks: 1 });
    const { ms, ...said } = (await shop.last("list")) ?? {};
    assert.deepEqual(said, { locale: "en-GB", slot: "home", from: "page", items: 8, stale: false });
    assert.equal(typeof ms, "number");
    await shop.rank(answered(items("p", 8)));
    assert.deepEqual(await shop.ids(), items("p", 8).map(({ id }) => id));
    assert.equal(await shop.shift(), 0);
    await shop.logout();
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual(await shop.calls(), { lists: 0, ranks: 1 });
  });
});

test("each image of it is fetched once", async () => {
  await visit(open, { body: written(items("l", 3)) }, async (shop) => {
    await shop.page.waitForLoadState("networkidle");
    assert.deepEqual(asked.filter((path) => path.startsWith("/img/")).sort(), ["/img/0.svg", "/img/1.svg", "/img/2.svg"]);
  });
});

test("it can be read without a script", async () => {
  await visit(open, { body: written(items("l", 8)), context: { javaScriptEnabled: false } }, async ({ page }) => {
    assert.equal(await page.locator("domicile-shelf").getByRole("listitem").count(), 8);
    assert.ok(await page.getByRole("link", { name: "Bananas (national brand)" }).isVisible());
  });
});

for (const width of [360, 1280]) {
  test(`room and cards are where they were before the script came, at ${width} px`, async () => {
    const body = written(items("l", 8));
    const context = { viewport: { width, height: 800 } };
    const boxes = (page: Page): Promise<unknown> =>
      page.evaluate(() => {
        const box = (of: Element | null | undefined): number[] => {
          const { x, y, width, height } = of?.getBoundingClientRect() ?? new DOMRect();
          return [x, y, width, height].map((length) => Math.round(length * 64) / 64);
        };
        const host = document.querySelector("domicile-shelf");
        const root = host?.shadowRoot ?? host;
        const inside = [...(root?.querySelectorAll("li, img, [itemprop=name], .title") ?? [])].slice(0, 9);
        return [host, document.getElementById("below"), ...inside].map(box);
      });
    let before: unknown;
    await visit(open, { body, context: { ...context, javaScriptEnabled: false } }, async ({ page }) => {
      before = await boxes(page);
    });
    await visit(open, { body, context }, async (shop) => {
      await shop.frame();
      assert.deepEqual(await boxes(shop.page), before);
    });
  });
}

test("a list of the server is of the place it was written for", async () => {
  await visit(open, { body: written(items("l", 8)) }, async (shop) => {
    await shop.page.locator("domicile-shelf").evaluate((shelf) => shelf.setAttribute("slot", "product"));
    await shop.list(items("m", 8));
    assert.deepEqual(await shop.ids(), items("m", 8).map(({ id }) => id));
  });
});

test("it is shown before the page is connected", async () => {
  await visit(open, { body: written(items("l", 8)), connects: false }, async (shop) => {
    await shop.frame();
    assert.deepEqual([await shop.ids(), await shop.names()], [LIST, []]);
    await shop.page.evaluate(() => window.seen.domicile.connect(window.seen.fake));
    await shop.rank(answered(items("p", 8)));
    assert.deepEqual(await shop.names(), ["list", "personal"]);
  });
});

test("a list that a shopper had scrolled to before the script came is in use", async () => {
  const setting = {
    body: `<div class="tall"></div>${written(items("l", 8))}${PAUSE}`,
    meanwhile: async (page: Page) => {
      await page.waitForSelector("domicile-shelf li");
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    },
  };
  await visit(open, setting, async (shop) => {
    await shop.frame();
    await shop.rank(answered(items("p", 8)));
    assert.deepEqual(await shop.ids(), LIST);
    assert.equal((await shop.last("stays"))?.["reason"], "in-use");
  });
});

test("a shelf that was pressed before the page was connected is in use", async () => {
  await visit(open, { body: written(items("l", 8)), connects: false }, async (shop) => {
    await shop.page.locator("domicile-shelf .heading").click();
    await shop.page.mouse.move(600, 10);
    await shop.page.evaluate(() => window.seen.domicile.connect(window.seen.fake));
    await shop.rank(answered(items("p", 8)));
    assert.deepEqual(await shop.ids(), LIST);
    assert.equal((await shop.last("stays"))?.["reason"], "in-use");
  });
});

test("a declarative shadow root around it gives way to the shelf", async () => {
  const body = written(items("l", 8), '<template shadowrootmode="open"><slot></slot></template>');
  await visit(open, { body }, async (shop) => {
    await shop.frame();
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual(await shop.calls(), { lists: 0, ranks: 1 });
  });
});

test("a script that runs before the list was parsed waits for it", async () => {
  const setting = {
    body: written(items("l", 8)).replace("<ul>", `<ul>${PAUSE}`),
    head: '<script type="module" src="/page.js" async></script>',
    meanwhile: (page: Page) => page.waitForSelector("domicile-shelf:defined"),
  };
  await visit(open, setting, async (shop) => {
    await shop.page.waitForLoadState("load");
    await shop.frame();
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual(await shop.calls(), { lists: 0, ranks: 1 });
  });
});
