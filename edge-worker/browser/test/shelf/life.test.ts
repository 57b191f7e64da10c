import assert from "node:assert/strict";
import { test } from "node:test";
import type { DomicileShelf } from "../../src/shelf/index.js";
import { answered, HOME, items, list, stays } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

const { open } = world();

const LIST = items("l", 6).map(({ id }) => id);
const PERSONAL = items("p", 6).map(({ id }) => id);

async function personal(use: (shop: Shop) => Promise<void>, body = HOME): Promise<void> {
  await visit(open, { body }, async (shop) => {
    await shop.list(items("l", 6));
    await shop.rank(answered(items("p", 6)));
    assert.deepEqual(await shop.ids(), PERSONAL);
    await use(shop);
  });
}

const shelf = (shop: Shop, n = 0) => shop.page.locator("domicile-shelf").nth(n);

test("another place cancels what is under way, and shows nothing of it", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shelf(shop).evaluate((element) => {
      element.setAttribute("slot", "product");
      element.setAttribute("anchor", " 17  4 ");
    });
    await shop.frame();
    assert.deepEqual(await shop.calls(), { lists: 2, ranks: 2 });
    assert.equal(await shop.page.evaluate(() => window.seen.fake.lists[0]?.signal?.aborted), true);
    assert.deepEqual(await shop.page.evaluate(() => window.seen.fake.ranks[1]?.anchor), ["17", "4"]);
    await shop.list(items("m", 6), 1);
    await shop.rank(answered(items("p", 6)), 0);
    assert.deepEqual(await shop.ids(), items("m", 6).map(({ id }) => id));
    assert.deepEqual([await shop.names(), await shop.told()], [["list"], []]);
    assert.equal((await shop.last("list"))?.["slot"], "product");
  });
});

test("attributes that say how it looks fetch nothing", async () => {
  await personal(async (shop) => {
    await shelf(shop).evaluate((element) => {
      element.setAttribute("label", "Another");
      element.setAttribute("locale", "en-GB");
      element.setAttribute("count", "4");
      element.setAttribute("level", "3");
    });
    assert.ok(await shelf(shop).getByRole("heading", { name: "Another", level: 3 }).isVisible());
    assert.deepEqual(await shop.ids(), PERSONAL.slice(0, 4));
    assert.deepEqual(await shop.calls(), { lists: 1, ranks: 1 });
  });
});

test("several shelves of a page are each their own", async () => {
  await visit(open, { body: HOME + HOME.replace("home", "basket") }, async (shop) => {
    await shop.list(items("l", 6), 0);
    await shop.list(items("m", 6), 1);
    await shop.rank(answered(items("p", 6)), 1);
    assert.deepEqual(await shop.ids(0), LIST);
    assert.deepEqual(await shop.ids(1), PERSONAL);
    await shop.rank(stays("cell-failed"), 0);
    assert.deepEqual(await shop.ids(1), PERSONAL);
    assert.deepEqual(await shop.page.evaluate(() => window.seen.fake.lists.map(({ place }) => place.slot)), ["home", "basket"]);
  });
});

test("a shelf that is moved goes on as it was", async () => {
  await visit(open, { body: `${HOME}<section id="there"></section>` }, async (shop) => {
    await shelf(shop).evaluate((element) => document.getElementById("there")?.append(element));
    await shop.list(items("l", 6));
    await shelf(shop).evaluate((element) => document.getElementById("below")?.after(element));
    await shop.rank(answered(items("p", 6)));
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.calls(), { lists: 1, ranks: 1 });
  });
});

test("a shelf that is put back later fetches nothing again", async () => {
  await personal(async (shop) => {
    await shop.page.evaluate(async () => {
      const one = document.querySelector("domicile-shelf");
      one?.remove();
      await new Promise((resolve) => setTimeout(resolve));
      document.querySelector("main")?.append(one ?? "");
    });
    await shop.frame();
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.calls(), { lists: 1, ranks: 1 });
    assert.deepEqual(await shop.names(), ["list", "personal"]);
  });
});

test("a shelf that is taken out ends what is under way, and begins anew when it is put back", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.page.evaluate(async () => {
      const one = document.querySelector("domicile-shelf");
      Object.assign(window, { one });
      one?.remove();
      await new Promise((resolve) => setTimeout(resolve));
    });
    assert.equal(await shop.page.evaluate(() => window.seen.fake.lists[0]?.signal?.aborted), true);
    await shop.rank(answered(items("p", 6)));
    assert.deepEqual([await shop.names(), await shop.told()], [[], []]);
    await shop.page.evaluate(() => {
      document.querySelector("main")?.append((window as unknown as { one: Element }).one);
    });
    await shop.list(items("l", 6), 1);
    assert.deepEqual(await shop.ids(), LIST);
  });
});

test("a shelf that is taken out for good leaves nothing behind", async () => {
  await personal(async (shop) => {
    await shop.page.evaluate(async () => {
      const one = document.querySelector("domicile-shelf");
      Object.assign(window, { gone: new WeakRef(one as Element) });
      one?.remove();
      await new Promise((resolve) => setTimeout(resolve));
      one?.refresh();
      window.seen.fake.lists.length = window.seen.fake.ranks.length = 0;
    });
    const devtools = await shop.page.context().newCDPSession(shop.page);
    await devtools.send("HeapProfiler.collectGarbage");
    assert.equal(await shop.page.evaluate(() => (window as unknown as { gone: WeakRef<Element> }).gone.deref()), undefined);
  });
});

test("logout shows the list again, at once", async () => {
  await personal(async (shop) => {
    const shown = await shelf(shop).evaluate((element) => {
      window.seen.fake.logout();
      return element.shadowRoot?.querySelector("a")?.getAttribute("href");
    });
    assert.match(shown ?? "", /\/p\/l-0$/);
    assert.deepEqual(await shop.ids(), LIST);
    assert.doesNotMatch(await shelf(shop).evaluate((element) => element.shadowRoot?.innerHTML ?? ""), /p-\d/);
    assert.equal(await shelf(shop).evaluate((element: DomicileShelf) => element.answer), null);
    assert.equal((await shop.last("stays"))?.["reason"], "logged-out");
    assert.equal(await shop.shift(), 0);
  });
});

test("a ranking that comes after logout is not shown", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.list(items("l", 6));
    await shop.logout();
    await shop.rank(answered(items("p", 6)));
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual([await shop.names(), await shop.told()], [["list", "stays"], []]);
  });
});

test("logout before the list is there leaves nothing personal either", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.rank(answered(items("p", 6)));
    await shop.logout();
    assert.deepEqual(await shop.ids(), []);
    await shop.list(items("l", 6));
    assert.deepEqual(await shop.ids(), LIST);
  });
});

test("a shelf that is out of the document at logout forgets as well", async () => {
  await personal(async (shop) => {
    await shop.page.evaluate(async () => {
      const one = document.querySelector("domicile-shelf");
      one?.remove();
      await new Promise((resolve) => setTimeout(resolve));
      window.seen.fake.logout();
      document.querySelector("main")?.append(one ?? "");
    });
    assert.deepEqual(await shop.ids(), LIST);
  });
});

test("a page asks once more by refresh, and the answer is shown by the same rules", async () => {
  await personal(async (shop) => {
    await shelf(shop).evaluate((element: DomicileShelf) => element.refresh());
    assert.deepEqual(await shop.ids(), PERSONAL);
    await shop.rank(answered(items("q", 6)), 1);
    assert.deepEqual(await shop.ids(), items("q", 6).map(({ id }) => id));
    await shelf(shop).evaluate((element: DomicileShelf) => element.refresh());
    await shelf(shop).hover({ position: { x: 60, y: 120 } });
    await shop.rank(answered(items("r", 6)), 2);
    assert.deepEqual(await shop.ids(), items("q", 6).map(({ id }) => id));
    assert.deepEqual(await shop.calls(), { lists: 1, ranks: 3 });
    assert.deepEqual((await shop.told()).map((event) => event.kind === "impression" && event.shown), ["used", "used", "late"]);
  });
});

test("what a shopper did before a refresh does not count against its answer", async () => {
  await personal(async (shop) => {
    await shelf(shop).locator(".heading").click();
    await shop.page.mouse.move(600, 10);
    await shelf(shop).evaluate((element: DomicileShelf) => element.refresh());
    await shop.rank(answered(items("q", 6)), 1);
    assert.deepEqual(await shop.ids(), items("q", 6).map(({ id }) => id));
  });
});

test("refresh asks for a list too where there was none", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.noList();
    await shop.rank(stays("answer-lost"));
    await shelf(shop).evaluate((element: DomicileShelf) => element.refresh());
    await shop.list(items("l", 6), 1);
    assert.deepEqual(await shop.ids(), LIST);
    assert.ok(await shelf(shop).locator('[part="empty"]').isHidden());
  });
});

test("a shelf whose cards were scrolled stays in use over a refresh, and restarted it is as on a page just opened", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    const [first, second] = [items("l", 24), items("m", 24)].map((all) => all.map(({ id }) => id));
    await shop.list(items("l", 24));
    await shop.rank(stays("answer-lost"));
    await shelf(shop).locator(".cards").evaluate((cards) => cards.scrollTo({ left: 600, behavior: "instant" }));
    await shelf(shop).locator(".heading").click();
    await shop.page.mouse.move(600, 10);
    await shelf(shop).evaluate((element: DomicileShelf) => element.refresh());
    await shop.rank(answered(items("p", 24)), 1);
    assert.deepEqual([await shop.ids(), (await shop.last("stays"))?.["reason"]], [first, "in-use"]);

    await shelf(shop).evaluate((element: DomicileShelf) => element.restart());
    await shop.list(items("m", 24), 1);
    assert.deepEqual([await shop.ids(), await shelf(shop).locator(".cards").evaluate((cards) => cards.scrollLeft)], [second, 0]);
    await shop.rank(answered(items("q", 24)), 2);
    assert.deepEqual(await shop.ids(), items("q", 24).map(({ id }) => id));
    assert.deepEqual(await shop.names(), ["list", "stays", "stays", "list", "personal"]);
    assert.equal(await shop.shift(), 0);
  });
});

test("a restart shows and tells nothing of what was under way, and outside the document waits for the way back", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.list(items("l", 6));
    await shelf(shop).evaluate((element: DomicileShelf) => element.restart());
    await shop.rank(answered(items("p", 6)), 0);
    assert.deepEqual([await shop.ids(), await shop.told()], [[], []]);
    await shop.list(items("l", 6), 1);
    await shop.rank(answered(items("q", 6)), 1);
    await shop.page.evaluate(async () => {
      const one = document.querySelector("domicile-shelf");
      one?.remove();
      await new Promise((resolve) => setTimeout(resolve));
      one?.restart();
      Object.assign(window, { one, asked: window.seen.fake.ranks.length });
      document.querySelector("main")?.append(one ?? "");
    });
    assert.equal(await shop.page.evaluate(() => (window as unknown as { asked: number }).asked), 2);
    await shop.list(items("m", 6), 2);
    assert.deepEqual(await shop.ids(), items("m", 6).map(({ id }) => id));
  });
});

test("shelves wait for a connection, and one of their own goes before the page's", async () => {
  await visit(open, { body: HOME + HOME, connects: false }, async (shop) => {
    await shop.frame();
    assert.deepEqual(await shop.calls(), { lists: 0, ranks: 0 });
    await shelf(shop, 1).evaluate((element: DomicileShelf) => {
      const own = new window.seen.Fake();
      Object.assign(window, { own });
      element.domicile = own;
      window.seen.domicile.connect(window.seen.fake);
    });
    await shop.list(items("l", 6));
    assert.deepEqual([await shop.ids(0), await shop.ids(1)], [LIST, []]);
    const given = list(items("m", 6));
    await shop.page.evaluate((one) => (window as unknown as { own: typeof window.seen.fake }).own.lists[0]?.resolve(one), given);
    await shop.frame();
    assert.deepEqual(await shop.ids(1), items("m", 6).map(({ id }) => id));
  });
});

test("what was set before the element was defined counts", async () => {
  const prepare = (page: Shop["page"]): Promise<unknown> =>
    page.addInitScript(() => {
      document.addEventListener("readystatechange", () => {
        const one = document.querySelector("domicile-shelf");
        if (document.readyState === "interactive" && one !== null) {
          const renderCard = (item: { readonly title: string }): Element => {
            const made = document.createElement("b");
            made.textContent = `own: ${item.title}`;
            return made;
          };
          Object.assign(one, { renderCard });
        }
      });
    });
  await visit(open, { body: HOME, prepare }, async (shop) => {
    await shop.list(items("l", 2));
    assert.equal(await shop.page.locator("domicile-shelf > b").first().textContent(), "own: Bananas (national brand)");
  });
});

test("the place may be named by `shelf`, which a host's shadow root does not take for a slot of its own", async () => {
  const body = '<shop-page><domicile-shelf shelf="home" locale="en-GB"></domicile-shelf></shop-page>';
  await visit(open, { body }, async (shop) => {
    await shop.page.evaluate(() => {
      const host = document.querySelector("shop-page");
      host?.attachShadow({ mode: "open" }).append(document.createElement("slot"));
    });
    await shop.list(items("l", 6));
    assert.deepEqual(await shop.ids(), LIST);
    assert.equal((await shop.last("list"))?.["slot"], "home");
  });
});

test("two pages of one browser are each their own", async () => {
  await personal(async (shop) => {
    const other = await shop.page.context().newPage();
    await other.goto(shop.page.url());
    await other.waitForSelector("html[data-ready]");
    await other.evaluate(() => window.seen.fake.logout());
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.names(), ["list", "personal"]);
  });
});

test("a click says which item it was, and can be kept from following the link", async () => {
  await personal(async (shop) => {
    await shop.page.evaluate(() => {
      addEventListener("domicile-select", (event) => event.preventDefault());
    });
    await shelf(shop).locator(".card a").nth(2).click();
    const { url, ...said } = (await shop.last("select")) ?? {};
    assert.deepEqual(said, { locale: "en-GB", slot: "home", id: "p-2", index: 2, personal: true });
    assert.equal(url, `${new URL(shop.page.url()).origin}/p/p-2`);
    assert.equal(new URL(shop.page.url()).pathname, "/");
    assert.deepEqual((await shop.told()).filter(({ kind }) => kind === "view"), []);
    await shelf(shop).evaluate((element) => element.setAttribute("tells", "view"));
    await shelf(shop).locator(".card a").first().click();
    assert.deepEqual((await shop.told()).at(-1), { kind: "view", item: "p-0", locale: "en-GB" });
  });
});

test("a click for a new tab opens one, whatever the page does", async () => {
  await personal(async (shop) => {
    await shop.page.evaluate(() => {
      addEventListener("domicile-select", (event) => event.preventDefault());
    });
    const opened = shop.page.context().waitForEvent("page");
    await shelf(shop).locator(".card a").nth(2).click({ modifiers: ["Control"] });
    assert.match((await opened).url(), /\/p\/p-2$|^about:blank$/);
    assert.equal((await shop.last("select"))?.["id"], "p-2");
  });
});

test("a click that is not kept follows the link", async () => {
  await personal(async (shop) => {
    await shelf(shop).locator(".card a").nth(2).click();
    await shop.page.waitForURL("**/p/p-2");
    await shop.page.goBack();
    await shop.page.waitForSelector("html[data-ready]");
  });
});
