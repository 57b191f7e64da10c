// What a shopper leaves behind: nothing in an address, a header or storage, and nothing at all after logout.
import { test } from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { BrowserContext, Page, Request } from "playwright-core";
import type { Grant } from "../../src/api.js";
import { world } from "./stage.js";
import { ids, moment, personal } from "./world.js";
import type { Plain } from "./world.js";

declare const shop: Plain["shop"];

/** Everything that a browser keeps for a page's origin, as text. */
function stored(page: Page): Promise<{ local: Record<string, string>; rest: string }> {
  return page.evaluate(async () => ({
    local: { ...localStorage },
    rest: JSON.stringify([{ ...sessionStorage }, document.cookie, await indexedDB.databases(), await caches.keys(), history.state, name]),
  }));
}

/** The tokens that the identity service gave out. */
function tokens(): readonly string[] {
  const given = world.identity.answered.filter(({ asked }) => asked.path === "/v1/token").map(({ came }) => JSON.parse(came.body.toString()) as Grant);
  return given.map(({ token }) => token);
}

test("canaries: subject, token, history and event ids are in no address, no header, no body in the clear, and no storage", async () => {
  const subject = `canary-${randomUUID()}`;
  const history = [`canary-${randomUUID()}`, `canary-${randomUUID()}`];
  await world.visit(async (context) => {
    const requests: Request[] = [];
    context.on("request", (request) => requests.push(request));
    // The client names events by what the browser's `randomUUID` gives.
    await context.addInitScript(() => {
      let made = 0;
      const all: string[] = [];
      Object.assign(globalThis, { eventIds: all });
      if (typeof Crypto !== "undefined") {
        Crypto.prototype.randomUUID = () => {
          const id = `ca9a51e5-0000-4000-8000-${String((made += 1)).padStart(12, "0")}` as const;
          all.push(id);
          return id;
        };
      }
    });
    await world.login(context, subject);
    const page = await world.plain(context, "en-US");
    await personal(page);
    for (const item of history) {
      await page.evaluate((item) => shop.tell({ kind: "basket", item }, "en-US"), item);
    }
    while ((await page.evaluate(() => shop.flush())) > 0);
    const next = await world.plain(context, "en-US");
    await personal(next);
    const kept = await next.evaluate(() => shop.export("en-US"));
    assert.ok(kept.is === "answered");
    assert.ok(history.every((item) => JSON.stringify(kept.value).includes(item)), "the cell has the history");

    const given = tokens();
    assert.ok(given.length > 0);
    const parts = given.flatMap((token) => [token, ...token.split(".").slice(1)]);
    const events = await page.evaluate(() => (globalThis as unknown as { eventIds: readonly string[] }).eventIds);
    assert.ok(events.length >= 3, "two items, and an impression");
    const canaries = [subject, ...history, ...parts, ...events];

    const seen = await Promise.all(requests.map(async (request) => [request.url(), await request.allHeaders()]));
    const places: Readonly<Record<string, string>> = {
      "addresses and headers, as the browser has them": JSON.stringify(seen),
      "addresses and headers, as the edge has them": JSON.stringify(world.edge.seen.map(({ path, headers }) => [path, headers])),
      "addresses and headers, as the identity service has them": JSON.stringify(world.identity.seen.map(({ path, headers }) => [path, headers])),
      "what goes to the edge": Buffer.concat(world.edge.seen.map(({ body }) => body)).toString("latin1"),
      "what comes from it": Buffer.concat(world.edge.answered.map(({ came }) => came.body)).toString("latin1"),
      "the recorder's memory": await (await fetch(`${world.demo.shop}/demo/edge-saw?since=0`)).text(),
      "storage": JSON.stringify([await stored(page), await stored(next)]),
      "addresses of the pages": page.url() + next.url(),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const canary of canaries) {
        assert.ok(!text.includes(canary), place);
        assert.ok(!text.includes(Buffer.from(canary).toString("hex")), `${place}, in hexadecimal`);
        assert.ok(!text.includes(Buffer.from(canary).toString("base64url").slice(0, -2)), `${place}, in base64`);
      }
    }
    assert.deepEqual(Object.keys((await stored(page)).local), ["domicile.seen"]);
    assert.equal((await next.evaluate(() => shop.erase("en-US"))).is, "answered");
  });
});

test("all that goes to the edge of a shopper has one size and one path: rankings, events, export and erasure", async () => {
  await world.visit(async (context) => {
    await world.login(context, `size-${randomUUID()}`);
    const page = await world.plain(context, "en-US");
    await personal(page);
    await page.evaluate(async () => {
      shop.tell({ kind: "view", item: "1" }, "en-US");
      await shop.flush();
      await shop.export("en-US");
      await shop.erase("en-US");
    });
    const sealed = world.edge.sealed;
    assert.ok(sealed.length >= 4);
    assert.deepEqual([...new Set(sealed.map(({ body }) => body.length))], [4_096]);
    assert.equal(new Set(sealed.map(({ path }) => path)).size, 1);
    const names = sealed.map(({ headers }) => headers.filter((_, at) => at % 2 === 0).join().toLowerCase());
    assert.equal(new Set(names).size, 1, names.join("\n"));
    const answers = world.edge.answered.filter(({ asked }) => asked.method === "POST").map(({ came }) => came.body.length);
    assert.equal(new Set(answers).size, 1);
  });
});

test("logout: the list is shown again, token and shelf are gone, and nothing more is sealed", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    const page = await world.plain(context, "de-DE");
    await personal(page);
    const ranked = await ids(page);
    await context.request.post(`${world.demo.setup.identity}/v1/logout`);
    const [sealed, asked] = [world.edge.sealed.length, tokens().length];
    await page.evaluate(() => shop.logout());
    assert.equal((await moment(page, "domicile-stays")).reason, "logged-out");
    assert.notDeepEqual(await ids(page), ranked);
    assert.equal(await page.evaluate(() => document.querySelector<HTMLElement & { answer: unknown }>("domicile-shelf")?.answer), null);
    assert.equal(await page.evaluate(() => shop.flush()), 0);
    assert.deepEqual([world.edge.sealed.length, tokens().length], [sealed, asked]);
    assert.deepEqual((await stored(page)).rest, JSON.stringify([{}, "", [], [], null, ""]));
  });
});

test("the shop's page: logging out leaves the list, and nothing of the household with the page", async () => {
  await world.visit(async (context) => {
    const page = await shopPage(context);
    const answered = page.locator("#answer .verdict.good");
    while ((await answered.count()) === 0) {
      await page.locator(".again").first().click();
      await page.locator("#answer .verdict").waitFor();
    }
    await page.locator("#log-out").click();
    await page.locator("#badge", { hasText: "The list" }).waitFor();
    await page.locator(".again").first().click();
    await page.getByText("Nobody asked for a personal shelf").waitFor();
    const given = tokens().length;
    const sealed = world.edge.sealed.length;
    await page.locator(".again").first().click();
    await page.getByText("Nobody asked for a personal shelf").waitFor();
    assert.deepEqual([tokens().length, world.edge.sealed.length], [given, sealed]);
    assert.deepEqual(Object.keys((await stored(page)).local), ["domicile.seen"]);
    assert.deepEqual(await context.cookies(), []);
  });
});

async function shopPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(world.demo.shop);
  await page.locator("#answer .verdict").waitFor();
  return page;
}
