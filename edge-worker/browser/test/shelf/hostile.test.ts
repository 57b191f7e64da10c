import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, HOME, items } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

const { open, asked } = world();

const good = { id: "1", title: "Bananas", category: "fruit", image: "/img/1.svg", url: "/p/1" };

async function shows(all: readonly unknown[], use: (shop: Shop) => Promise<void>, body = HOME): Promise<void> {
  await visit(open, { body }, async (shop) => {
    await shop.list(all);
    await use(shop);
  });
}

test("a list that is none is an empty shelf", async () => {
  for (const all of [[], null, "items", { length: 3 }, [null, 7, "x", {}, [], { id: 1, title: 2, url: 3 }]]) {
    await shows(all as unknown[], async (shop) => {
      await shop.rank({ is: "stays", reason: "no-grant", ms: 0 });
      assert.equal((await shop.last("empty"))?.["reason"], "no-items");
      assert.equal(await shop.shift(), 0);
    });
  }
});

test("what of a list is no item is left out, and the first of two of one id is taken", async () => {
  await shows([null, good, { ...good, title: "Twin" }, { ...good, id: "2", title: " " }, { ...good, id: "" }], async (shop) => {
    assert.deepEqual(await shop.ids(), ["1"]);
    assert.equal(await shop.page.locator(".title").textContent(), "Bananas");
  });
});

test("text is text", async () => {
  const title = '</script><img src=x onerror="document.title=1"> & <b>bold</b> {{7*7}}';
  await shows([{ ...good, title, category: title }], async (shop) => {
    assert.equal(await shop.page.locator(".title").textContent(), title);
    assert.equal(await shop.page.locator(".category").textContent(), title);
    assert.equal(await shop.page.locator("domicile-shelf img").count(), 1);
    assert.equal(await shop.page.title(), "A shop");
  });
});

test("links lead to the shop, or to a spelled-out https address, and nowhere else", async () => {
  const urls = [
    ...["/p/1", "p/1", "?q=1", "https://shop.example/p/1", "HTTPS://shop.example/p/1"],
    ...["javascript:alert(1)", "\tjava\nscript:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://shop.example/1"],
    ...["http://shop.example/p/1", "//shop.example/p/1", "/\\shop.example/p/1", "\\\\shop.example", "https:shop.example"],
    ...["https://shop@elsewhere.example/", "https://", "", " "],
  ];
  const all = urls.map((url, n) => ({ ...good, id: String(n), title: `${n}`, url, image: "" }));
  await shows(all, async (shop) => {
    const origin = new URL(shop.page.url()).origin;
    const links = await shop.page.locator(".card a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    const elsewhere = "https://shop.example/p/1";
    assert.deepEqual(links, [`${origin}/p/1`, `${origin}/p/1`, `${origin}/?q=1`, elsewhere, elsewhere, `${origin}/`]);
  });
});

test("an image with an address that may not be loaded, or that is not there, leaves its mark and its room", async () => {
  const images = ["javascript:alert(1)", "//elsewhere.example/1.svg", "http://elsewhere.example/1.svg", "", "/img/none.svg", "/img/1.svg"];
  const all = images.map((image, n) => ({ ...good, id: String(n), image, title: `«${"äbcdef"[n]}»` }));
  await shows(all, async (shop) => {
    await shop.page.waitForFunction(() => {
      const images = [...(document.querySelector("domicile-shelf")?.shadowRoot?.querySelectorAll("img") ?? [])];
      return images.length === 1 && images[0]?.complete;
    });
    const pictures = shop.page.locator("domicile-shelf .picture");
    const marks = await pictures.evaluateAll((all) => all.map((one) => getComputedStyle(one, "::before").content));
    assert.deepEqual(marks, ['"Ä"', '"B"', '"C"', '"D"', '"E"', "none"]);
    const heights = await pictures.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.equal(new Set(heights).size, 1);
    assert.deepEqual(asked.filter((path) => path.startsWith("/img/")).sort(), ["/img/1.svg", "/img/none.svg"]);
    assert.equal(await shop.shift(), 0);
  });
});

test("a title of 200 characters is cut to its lines, and said in full", async () => {
  const title = `${"Very long name of a thing ".repeat(4)}${"x".repeat(96)}`;
  assert.equal(title.length, 200);
  await shows([good, { ...good, id: "2", title }], async (shop) => {
    const cards = await shop.page.locator(".card").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.equal(new Set(cards).size, 1);
    assert.ok(await shop.page.getByRole("link", { name: title }).isVisible());
    const line = await shop.page.locator(".title").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.ok((line[1] ?? 0) <= 2 * (line[0] ?? 0) + 1, `${line}`);
    assert.equal(await shop.page.locator(".title").nth(1).getAttribute("title"), title);
  });
});

test("titles run in their own direction", async () => {
  await shows([{ ...good, title: "موز طازج" }, { ...good, id: "2" }], async (shop) => {
    const directions = await shop.page.locator(".title").evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
    assert.deepEqual(directions, ["rtl", "ltr"]);
  });
});

test("fewer items than cards need no buttons, and as much room", async () => {
  await shows(items("l", 2), async (shop) => {
    assert.deepEqual(await shop.ids(), ["l-0", "l-1"]);
    assert.ok(await shop.page.locator(".buttons").isHidden());
    assert.equal(await shop.shift(), 0);
    await shop.rank(answered(items("p", 12)));
    assert.deepEqual(await shop.ids(), ["p-0", "p-1"]);
  });
});

test("a connection that fails instead of answering is one that has nothing", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.page.evaluate(() => window.seen.fake.ranks[0]?.reject(new Error("no")));
    await shop.list(items("l", 3));
    assert.deepEqual(await shop.ids(), ["l-0", "l-1", "l-2"]);
    assert.equal((await shop.last("stays"))?.["reason"], "answer-lost");
  });
});

test("the shop's own cards stand in the page's tree, and where one fails the shelf's own stands in", async () => {
  await visit(open, { body: HOME, css: "domicile-shelf > article { color: rgb(1, 2, 3) }" }, async (shop) => {
    await shop.page.locator("domicile-shelf").evaluate((shelf) => {
      Object.assign(shelf, {
        renderCard: ({ id, title }: { readonly id: string; readonly title: string }, index: number) => {
          if (index === 1) {
            throw new Error("card 1");
          }
          const card = document.createElement("article");
          const link = document.createElement("a");
          link.href = `/own/${id}`;
          link.textContent = `${index}: ${title}`;
          card.append(link, document.createElement("button"));
          return card;
        },
      });
      addEventListener("domicile-select", (event) => event.preventDefault());
    });
    await shop.list(items("l", 3));
    const own = shop.page.locator("domicile-shelf > article");
    assert.deepEqual(await own.locator("a").allTextContents(), ["0: Bananas (national brand)", "2: Fluid milk white only, 1 gal (store brand)"]);
    assert.equal(await own.first().evaluate((card) => getComputedStyle(card).color), "rgb(1, 2, 3)");
    assert.equal(await shop.page.locator(".card .link").count(), 1);
    assert.deepEqual(shop.errors.splice(0), ["card 1"]);
    await own.last().locator("button").click();
    assert.equal(await shop.last("select"), undefined);
    await own.last().locator("a").click();
    assert.equal((await shop.last("select"))?.["id"], "l-2");
    await shop.page.locator("domicile-shelf").evaluate((shelf) => Object.assign(shelf, { renderCard: null }));
    assert.equal(await own.count(), 0);
    assert.equal(await shop.page.locator(".card .link").count(), 3);
  });
});
