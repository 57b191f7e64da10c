// Cells that stop, come back and are slow: the shop's page goes on, and says what became of the second shelf.
import { afterEach, test } from "node:test";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DomicileShelf } from "../../src/shelf/shelf.js";
import { world } from "./stage.js";
import { ids, moment, moments, personal, shifted } from "./world.js";
import type { Plain } from "./world.js";

declare const shop: Plain["shop"];

afterEach(() => world.demo.mend());

/** What the shop's page says of the second shelf, once it says something. */
async function verdict(page: Page): Promise<string> {
  await page.locator("#answer .verdict").waitFor();
  return page.locator("#answer").innerText();
}

/** Views again until the page says so. */
async function viewUntil(page: Page, says: (text: string) => boolean): Promise<string> {
  for (let said = await verdict(page); ; said = await verdict(page)) {
    if (says(said)) {
      return said;
    }
    await page.locator(".again").first().click();
  }
}

const refresh = (page: Page): Promise<void> => page.locator("domicile-shelf").evaluate((element) => (element as DomicileShelf).refresh());
const isPersonalOf = (cell: string) => (said: string): boolean => said.includes("A personal shelf") && said.includes(`\n${cell}\n`);

test("the home cell stops: the cell that stands in answers, and says so; it starts: a page opened then has the home's", async () => {
  await world.visit(async (context) => {
    const page = await context.newPage();
    await page.goto(world.demo.shop);
    const home = world.demo.setup.shoppers["de-DE"]?.[0]?.home ?? "";
    const other = world.demo.region("de-DE").cells.find((cell) => cell !== home) ?? "";
    await viewUntil(page, isPersonalOf(home));
    await page.getByRole("button", { name: `Stop ${home}` }).click();
    await world.demo.have("stopped", home);
    await page.locator(".cell", { hasText: home }).getByText("stopped: its process has ended").waitFor();
    const stood = await viewUntil(page, isPersonalOf(other));
    assert.match(stood, /verified by this page/);
    await page.getByRole("button", { name: `Start ${home}` }).click();
    await world.demo.have("running", home);
    // The page remembers for a while who failed, and then asks the home again.
    await viewUntil(page, isPersonalOf(home));
    await page.reload();
    await viewUntil(page, isPersonalOf(home));
    assert.deepEqual(await shifted(page), []);
  });
});

test("every cell of a class stops: the list stays, with the reason, and then they are left alone; they start: it is personal again", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    await world.demo.have("stopped", ...world.demo.region("de-DE").cells);
    const page = await world.plain(context, "de-DE");
    await moment(page, "domicile-list");
    const listed = await ids(page);
    const reasons = ["keys-lost", "cell-failed", "backing-off"];
    for (let from = 0, before = -1, last = ""; last !== "backing-off"; ) {
      // Keys come from the cells as well, and are what is lost first. Then both cells are left alone, longer each time.
      ({ reason: last = "" } = await moment(page, "domicile-stays", from));
      assert.ok(reasons.includes(last), last);
      assert.ok(last !== "backing-off" || world.edge.seen.length === before, "nobody was asked");
      assert.deepEqual([await ids(page), await shifted(page)], [listed, []]);
      [from, before] = [(await moments(page)).length, world.edge.seen.length];
      await refresh(page);
    }
    await world.demo.mend();
    await personal(page, "eu-a");
  }, { expected: [/Failed to load resource/] });
});

test("the only cell of a class stops: its shoppers have the list, and no cell of another class is asked", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("en-US", "us-a"));
    const page = await world.plain(context, "en-US");
    await personal(page, "us-a");
    await world.demo.have("stopped", "us-a");
    const next = await world.plain(context, "en-US");
    await moment(next, "domicile-list");
    const { reason } = await moment(next, "domicile-stays");
    assert.ok(["keys-lost", "cell-failed"].includes(reason ?? ""), reason);
    const cells = [...world.edge.sealed.map(({ path }) => path.split("/")[4]), ...world.edge.seen.filter(({ path }) => path.startsWith("/v1/keys/")).map(({ path }) => path.split("/")[3])];
    assert.deepEqual([...new Set(cells)], ["us-a"]);
    await world.demo.mend();
    await personal(next, "us-a");
  }, { expected: [/Failed to load resource/] });
});

test("slow cells: what comes within the page's limit is shown, what does not leaves the list, and nothing comes after that", async () => {
  const limit_ms = 900;
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    await world.demo.have("slow", ...world.demo.region("de-DE").cells);
    for (let view = 0; view < 5; view += 1) {
      const page = await world.plain(context, "de-DE", null);
      await moment(page, "domicile-list");
      const came = await moment(page, ["domicile-personal", "domicile-stays"]);
      const shown = await ids(page);
      assert.ok(came.name === "domicile-stays" || came.ms <= limit_ms, `${came.ms} ms`);
      // Whatever is under way comes while the next thing is asked of the cell.
      await page.evaluate(() => shop.export("de-DE"));
      assert.deepEqual([await ids(page), await shifted(page)], [shown, []]);
      assert.deepEqual((await moments(page)).map(({ name }) => name), ["domicile-list", came.name]);
      await page.close();
    }
  }, { expected: [/Failed to load resource/] });
});

test("the shop's page shows a slow cell as slow, and that it runs again", async () => {
  await world.visit(async (context) => {
    const page = await context.newPage();
    await page.goto(world.demo.shop);
    await verdict(page);
    const cell = page.locator(".cell", { hasText: "eu-a" });
    await page.getByRole("button", { name: "Slow down eu-a" }).click();
    await cell.getByText("most of the time its process is paused").waitFor();
    await page.getByRole("button", { name: "Start eu-a" }).click();
    await cell.getByText("running", { exact: true }).waitFor();
  });
});
