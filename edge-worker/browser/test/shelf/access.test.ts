import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { AxeResults } from "axe-core";
import { answered, HOME, items, stays } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

const { open } = world();
const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** What axe finds in the page, whatever its weight. */
async function found({ page }: Shop): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
  return violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html }) => html).join(" ")}`);
}

async function listed(use: (shop: Shop) => Promise<void>, setting: Partial<Parameters<typeof open>[0]> = {}): Promise<void> {
  await visit(open, { body: HOME, ...setting }, async (shop) => {
    await shop.list(items("l", 12));
    await use(shop);
  });
}

const focused = (shop: Shop): Promise<string | undefined> =>
  shop.page.evaluate(() => {
    const one = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
    return one?.getAttribute("aria-label") ?? one?.querySelector(".title")?.textContent ?? one?.id;
  });

for (const colorScheme of ["light", "dark"] as const) {
  for (const forcedColors of ["none", "active"] as const) {
    test(`axe finds nothing: ${colorScheme}, forced colours ${forcedColors}`, async () => {
      const context = { colorScheme, forcedColors };
      await visit(open, { body: HOME, context }, async (shop) => {
        assert.deepEqual(await found(shop), []);
        await shop.list(items("l", 12).map((item, n) => (n === 1 ? { ...item, image: "" } : item)));
        assert.deepEqual(await found(shop), []);
        await shop.rank(answered(items("p", 12)));
        assert.deepEqual(await found(shop), []);
      });
      await visit(open, { body: HOME, context }, async (shop) => {
        await shop.noList();
        await shop.rank(stays("answer-lost"));
        assert.deepEqual(await found(shop), []);
      });
    });
  }
}

test("it is a region with a heading, a list of links, and two named buttons", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.list(items("l", 2));
    assert.equal(
      await shop.page.locator("domicile-shelf").ariaSnapshot(),
      [
        '- region "Picked for this page":',
        '  - heading "Picked for this page" [level=2]',
        "  - list:",
        "    - listitem:",
        '      - link "Bananas (national brand) tropical fruit":',
        "        - /url: /p/l-0",
        "    - listitem:",
        '      - link "Eggs, x-large, 1 dozen (store brand) eggs":',
        "        - /url: /p/l-1",
      ].join("\n").replaceAll("/p/", `${new URL(shop.page.url()).origin}/p/`),
    );
  });
  await listed(async (shop) => {
    const shelf = shop.page.locator("domicile-shelf");
    // Safari takes a list without marks for none, unless its role is written out.
    assert.equal(await shelf.locator("ul").getAttribute("role"), "list");
    assert.ok(await shelf.getByRole("button", { name: "Previous items" }).isVisible());
    assert.ok(await shelf.getByRole("button", { name: "Next items" }).isVisible());
  });
});

test("it says its own words in the locale's language, or the page's words", async () => {
  const body = '<domicile-shelf slot="home" locale="de-DE" label-next="Weiter"></domicile-shelf>';
  await listed(async (shop) => {
    const shelf = shop.page.locator("domicile-shelf");
    assert.ok(await shelf.getByRole("region", { name: "Vorschläge" }).isVisible());
    assert.ok(await shelf.getByRole("button", { name: "Vorherige Artikel" }).isVisible());
    assert.ok(await shelf.getByRole("button", { name: "Weiter" }).isVisible());
    assert.equal(await shelf.locator("section").getAttribute("lang"), "de-DE");
  }, { body });
});

test("Tab stops at both buttons and at one card, and goes on", async () => {
  await listed(async (shop) => {
    const stops: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      await shop.page.keyboard.press("Tab");
      stops.push(await focused(shop));
    }
    assert.deepEqual(stops, ["Previous items", "Next items", "Bananas (national brand)", "outside"]);
    await shop.page.keyboard.press("Shift+Tab");
    assert.equal(await focused(shop), "Bananas (national brand)");
  });
});

test("arrows, Home and End go along the cards, and into view", async () => {
  await listed(async (shop) => {
    await shop.page.locator(".card a").first().focus();
    const keys = ["ArrowLeft", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home"];
    const stops: (string | undefined)[] = [];
    for (const key of keys) {
      await shop.page.keyboard.press(key);
      stops.push((await focused(shop))?.slice(0, 5));
    }
    assert.deepEqual(stops, ["Banan", "Eggs,", "Fluid", "Eggs,", "Eggs,", "Eggs,", "Banan"]);
    await shop.page.keyboard.press("End");
    await shop.page.waitForFunction(() => {
      const cards = document.querySelector("domicile-shelf")?.shadowRoot?.querySelector(".cards");
      return cards !== null && cards !== undefined && cards.scrollLeft + cards.clientWidth >= cards.scrollWidth - 1;
    });
    await shop.page.keyboard.press("Shift+Tab");
    await shop.page.keyboard.press("Tab");
    assert.equal(await shop.page.locator('.card a[tabindex="0"]').evaluate((link) => (link as HTMLAnchorElement).href.endsWith("l-11")), true);
  });
});

test("the focus is seen all around its card", async () => {
  await listed(async (shop) => {
    const link = shop.page.locator(".card a").first();
    const { x, y, width, height } = (await link.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const edges = [[x + width / 2, y], [x + width / 2, y + height - 2], [x, y + height / 4], [x + width - 2, y + height / 4]];
    const look = () => Promise.all(edges.map(([x, y]) =>
      shop.page.screenshot({ clip: { x: x ?? 0, y: y ?? 0, width: 2, height: 2 } }).then((png) => png.toString("base64"))));
    await shop.page.waitForLoadState("networkidle");
    const before = await look();
    await shop.page.locator(".next").focus();
    await shop.page.keyboard.press("Tab");
    const after = await look();
    assert.deepEqual(after.map((edge, n) => edge === before[n]), [false, false, false, false]);
  });
});

test("the shop's own cards take part in it, and what else they hold keeps its own stop", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.page.locator("domicile-shelf").evaluate((shelf) => {
      Object.assign(shelf, {
        renderCard: ({ title }: { readonly title: string }, index: number) => {
          const [card, link, field] = [document.createElement("article"), document.createElement("a"), document.createElement("input")];
          link.href = "/own";
          link.id = `own-${index}`;
          link.textContent = title;
          field.id = `field-${index}`;
          field.ariaLabel = "Amount";
          card.append(link, field);
          return card;
        },
      });
    });
    await shop.list(items("l", 3));
    assert.deepEqual(await found(shop), []);
    await shop.page.locator("#own-0").focus();
    const stops: (string | undefined)[] = [];
    for (const key of ["ArrowRight", "End", "Tab", "ArrowLeft", "Tab"]) {
      await shop.page.keyboard.press(key);
      stops.push(await focused(shop));
    }
    assert.deepEqual(stops, ["own-1", "own-2", "Amount", "Amount", "outside"]);
  });
});

test("in a language that runs leftward the next card is to the left", async () => {
  const body = HOME.replace("en-GB", "ar-EG");
  await listed(async (shop) => {
    const shelf = shop.page.locator("domicile-shelf");
    const [first, second] = await shelf.locator(".card").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    assert.ok((second ?? 0) < (first ?? 0));
    await shelf.locator(".card a").first().focus();
    await shop.page.keyboard.press("ArrowLeft");
    assert.equal((await focused(shop))?.slice(0, 4), "Eggs");
    await shop.page.keyboard.press("ArrowRight");
    assert.equal((await focused(shop))?.slice(0, 4), "Bana");
    const mirrored = await shelf.locator(".next").evaluate((one) => getComputedStyle(one, "::before").rotate);
    assert.equal(mirrored, "225deg");
    await shelf.locator(".next").click();
    await shop.page.waitForFunction(() => (document.querySelector("domicile-shelf")?.shadowRoot?.querySelector(".cards")?.scrollLeft ?? 0) < -100);
    assert.deepEqual(await found(shop), []);
  }, { body, html: 'lang="ar" dir="rtl"' });
});

test("buttons turn a page, and say where there is none, and keep the focus", async () => {
  await listed(async (shop) => {
    const [previous, next] = [shop.page.locator(".previous"), shop.page.locator(".next")];
    const disabled = async (): Promise<(string | null)[]> =>
      Promise.all([previous, next].map((button) => button.getAttribute("aria-disabled")));
    assert.deepEqual(await disabled(), ["true", "false"]);
    await next.focus();
    await shop.page.keyboard.press("Enter");
    await shop.page.waitForSelector('.previous[aria-disabled="false"]');
    await shop.page.keyboard.press("Enter");
    await shop.page.waitForSelector('.next[aria-disabled="true"]');
    assert.equal(await focused(shop), "Next items");
    assert.equal(await shop.shift(), 0);
  });
});

test("the focus stays with its item where the cards change under it, or else with its place", async () => {
  await listed(async (shop) => {
    await shop.rank(answered([...items("p", 2), ...items("l", 10)]));
    await shop.page.locator(".card a").nth(3).focus();
    await shop.logout();
    assert.equal(await shop.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("href")), `${new URL(shop.page.url()).origin}/p/l-1`);
  });
  await listed(async (shop) => {
    await shop.rank(answered(items("p", 12)));
    await shop.page.locator(".card a").nth(3).focus();
    await shop.logout();
    assert.equal(await shop.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute("href")), `${new URL(shop.page.url()).origin}/p/l-3`);
  });
});

test("the focus is not lost where its card goes", async () => {
  await listed(async (shop) => {
    await shop.page.locator(".card a").nth(3).focus();
    await shop.page.locator("domicile-shelf").evaluate((shelf) => shelf.setAttribute("slot", "product"));
    await shop.frame();
    assert.equal(await shop.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName), "section");
  });
});

test("a swap is not announced", async () => {
  await listed(async (shop) => {
    await shop.rank(answered(items("p", 12)));
    const live = '[aria-live], [role="status"], [role="alert"], [role="log"]';
    assert.equal(await shop.page.locator("domicile-shelf").locator(live).count(), 0);
    assert.equal(await shop.page.locator("domicile-shelf section").getAttribute("aria-busy"), "false");
  });
});

test("nothing glides where less motion is asked for", async () => {
  for (const [reducedMotion, behavior, duration] of [["reduce", "auto", "0s"], ["no-preference", "smooth", "0.15s"]] as const) {
    await listed(async (shop) => {
      const styles = (selector: string) => shop.page.locator(selector).first().evaluate((one) => {
        const { scrollBehavior, transitionDuration } = getComputedStyle(one);
        return { scrollBehavior, transitionDuration };
      });
      assert.equal((await styles(".cards")).scrollBehavior, behavior);
      assert.equal((await styles(".card")).transitionDuration, duration);
    }, { context: { reducedMotion } });
  }
});
