// What a shopper does, told to the real cell: once, whatever becomes of page and answer; and kept until it is there.
import { test } from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";
import { isSealed } from "./between.js";
import type { Came } from "./between.js";
import { world } from "./stage.js";
import { personal } from "./world.js";
import type { Plain } from "./world.js";

declare const shop: Plain["shop"];

/** A shopper of en-US, whose class has one cell, that nobody knew before: a page with their shelf. Gone after `use`. */
async function somebodyNew(use: (page: Page, context: BrowserContext) => Promise<void>, expected: readonly RegExp[] = []): Promise<void> {
  await world.visit(async (context) => {
    await world.login(context, `told-${randomUUID()}`);
    const page = await world.plain(context, "en-US");
    await personal(page);
    try {
      await use(page, context);
    } finally {
      world.edge.reset();
      const last = await world.plain(context, "en-US");
      assert.equal((await last.evaluate(() => shop.erase("en-US"))).is, "answered");
    }
  }, { expected });
}

/** What the home cell has of an item, as its export says it: the counts of the session, kind by kind. */
async function had(page: Page, locale: string, item: string): Promise<Record<string, number>> {
  const outcome = await page.evaluate((locale) => shop.export(locale), locale);
  assert.ok(outcome.is === "answered", JSON.stringify(outcome));
  const pages = outcome.value as readonly { items: readonly { group: string; item: string; kind: string; count: number }[] }[];
  const all = pages.flatMap(({ items }) => items).filter((one) => one.group === "session" && one.item === item);
  return Object.fromEntries(all.map(({ kind, count }) => [kind, count]));
}

const tell = (page: Page, kind: "view" | "basket", item: string): Promise<void> => page.evaluate(([kind, item]) => shop.tell({ kind, item }, "en-US"), [kind, item] as const);
/** Until nothing waits, the impression of the page's own shelf among it. */
async function toldAll(page: Page): Promise<void> {
  while ((await page.evaluate(() => shop.flush())) > 0) {
    // Each turn asks the client, which leaves a cell that failed alone for a while.
  }
}
/** The first items of the list that everybody gets. */
async function items(locale: string): Promise<readonly string[]> {
  const list = (await (await fetch(`${world.demo.setup.edge}/v1/shelf/${locale}/home`)).json()) as { items: { id: string }[] };
  return list.items.map(({ id }) => id);
}

test("an event arrives once: the cell has what was told, and an export shows it on another page", async () => {
  const [item = ""] = await items("en-US");
  await somebodyNew(async (page, context) => {
    assert.deepEqual(await had(page, "en-US", item), {});
    await tell(page, "basket", item);
    assert.equal(await page.evaluate(() => shop.flush()), 0);
    assert.deepEqual(await had(await world.plain(context, "en-US"), "en-US", item), { basket: 1 });
  });
});

test("a page that is left tells its last event: it is sealed already, and goes out as the page goes", async () => {
  const [item = ""] = await items("en-US");
  await somebodyNew(async (_, context) => {
    await context.clock.install();
    const page = await world.plain(context, "en-US");
    await personal(page);
    await toldAll(page);
    // Its clock stands: what waits for other events waits for good.
    await context.clock.pauseAt(Date.now() + 1_000);
    const before = world.edge.sealed.length;
    await page.evaluate(async (item) => {
      shop.tell({ kind: "basket", item }, "en-US");
      // A ranking is sealed after what was told: by then the event's bytes are ready.
      await shop.rank({ locale: "en-US", slot: "home" }, [], 50_000);
    }, item);
    assert.equal(world.edge.sealed.length, before + 1, "only the ranking was sent");
    // The request is held until the page is gone: it has to outlive it.
    let release = (): void => undefined;
    const left = new Promise<void>((resolve) => (release = resolve));
    let isTakenAlong = false;
    world.edge.trick = async (asked, pass) => {
      await (isSealed(asked) ? left : undefined);
      isTakenAlong ||= asked.isGone();
      return asked.isGone() ? "cut" : pass();
    };
    await page.goto("about:blank");
    await context.clock.resume();
    await page.goto(`${world.demo.shop}/plain/shelf.css`);
    await world.edge.until(() => world.edge.sealed.length >= before + 2);
    release();
    await world.edge.until(() => isTakenAlong || world.edge.answered.filter(({ asked }) => isSealed(asked)).length >= before + 2);
    assert.ok(!isTakenAlong);
    assert.deepEqual(await had(await world.plain(context, "en-US"), "en-US", item), { basket: 1 });
  }, [/404 \(Not Found\)/]);
});

test("the shop's page: what went into the basket is with the cell, though the page is left at once", async () => {
  await world.visit(async (context) => {
    const region = world.demo.region("de-DE");
    const shopper = world.demo.setup.shoppers[region.locale]?.[0];
    assert.ok(shopper !== undefined);
    await world.login(context, shopper.id);
    const beside = await world.plain(context, region.locale);
    await personal(beside);
    const page = await context.newPage();
    await page.goto(`${world.demo.shop}/`);
    const card = page.locator('#list > [slot="card-0"]');
    const item = (await card.locator("a").getAttribute("href"))?.replace("/p/", "") ?? "";
    const before = (await had(beside, region.locale, item))["basket"] ?? 0;
    await card.locator(".add").click();
    await page.getByText("is in the basket").waitFor();
    await page.goto("about:blank");
    for (let now = before; now !== before + 1; ) {
      now = (await had(beside, region.locale, item))["basket"] ?? 0;
      assert.ok(now <= before + 1);
    }
  });
});

test("an answer that is lost: the event is told again, and the cell counts it once", async () => {
  const [item = "", other = ""] = await items("en-US");
  await somebodyNew(async (page) => {
    await toldAll(page);
    let lost: Buffer | null = null;
    world.edge.trick = async (asked, pass) => {
      if (!isSealed(asked) || (lost !== null && !asked.body.equals(lost))) {
        return pass();
      }
      // A browser may send the same bytes once more by itself.
      const isFirst = lost === null;
      lost = asked.body;
      const came = isFirst ? await pass() : null;
      assert.ok(came === null || came.status === 200);
      return "cut";
    };
    await tell(page, "basket", item);
    await tell(page, "view", other);
    const left = await page.evaluate(() => shop.flush());
    assert.equal(left, 2, "nobody acknowledged them");
    const before = world.edge.sealed.length;
    await world.edge.until(() => world.edge.sealed.length > before);
    await toldAll(page);
    assert.deepEqual([await had(page, "en-US", item), await had(page, "en-US", other)], [{ basket: 1 }, { view: 1 }]);
  }, [/ERR_EMPTY_RESPONSE|ERR_CONNECTION/]);
});

/** What an edge could say in place of a cell's answer, with 200. */
const LISTS: readonly (readonly [what: string, headers: readonly string[]])[] = [
  ["the list as it is", ["content-type", "application/json", "domicile-outcome", "list"]],
  ["the list, said to be relayed", ["content-type", "application/json", "domicile-outcome", "relayed"]],
  ["the list under the type of a sealed answer", ["content-type", "message/ohttp-res", "domicile-outcome", "relayed"]],
  ["the list as a fallback", ["content-type", "application/json", "domicile-outcome", "fallback; reason=cell-failed"]],
];

for (const [what, headers] of LISTS) {
  test(`an edge that answers what is told with ${what}: that is no success; the event is kept, and told again later`, async () => {
    const [item = ""] = await items("en-US");
    const list = Buffer.from(await (await fetch(`${world.demo.setup.edge}/v1/shelf/en-US/home`)).arrayBuffer());
    await somebodyNew(async (page) => {
      await toldAll(page);
      const fixed = ["access-control-allow-origin", "*", "access-control-expose-headers", "domicile-outcome"];
      const instead: Came = { status: 200, headers: [...fixed, ...headers], body: Buffer.concat([list], 14_336) };
      world.edge.trick = (asked, pass) => (isSealed(asked) ? Promise.resolve(instead) : pass());
      await tell(page, "basket", item);
      assert.equal(await page.evaluate(() => shop.flush()), 1);
      assert.ok(world.edge.sealed.length > 0);
      world.edge.reset();
      await world.edge.until(() => world.edge.answered.some(({ asked }) => isSealed(asked)));
      await toldAll(page);
      assert.deepEqual(await had(page, "en-US", item), { basket: 1 });
      assert.equal(await page.evaluate(() => shop.dropped), 0);
    });
  });
}
