// How the demo's shop looks with real goods: axe finds nothing, nothing overflows, and pictures of it are kept.
import { before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { world } from "./stage.js";
import { shifted } from "./world.js";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
/** Where pictures are kept. */
const SHOTS = process.env["DOMICILE_SHOTS"] ?? "shots";

before(() => mkdirSync(SHOTS, { recursive: true }));

/** Until the second shelf is personal and its exchange is shown, and every picture in view is there. */
async function settled(page: Page): Promise<void> {
  const good = page.locator("#answer .verdict.good");
  await page.locator("#answer .verdict").waitFor();
  while ((await good.count()) === 0) {
    await page.locator(".again").first().click();
    await page.locator("#answer .verdict").waitFor();
  }
  await page.getByText("Byte for byte").waitFor();
  await page.locator('[data-state="running"]').nth(world.demo.setup.cells.length - 1).waitFor();
  await page.evaluate(() => Promise.all([...document.images].map((image) => (image.loading = "eager") && image.decode().catch(() => undefined))));
}

for (const width of [360, 1280]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${width} px, ${colorScheme}: axe finds nothing, nothing overflows or moves`, async () => {
      await world.visit(async (context) => {
        const page = await context.newPage();
        const picture = (name: string, fullPage: boolean): Promise<Buffer> => page.screenshot({ path: `${SHOTS}/real-${name}${width}-${colorScheme}.png`, fullPage });
        const check = async (what: string): Promise<void> => {
          await page.evaluate(AXE);
          const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
          assert.deepEqual(violations.map(({ id, nodes }) => `${what} ${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), what);
        };
        await page.goto(world.demo.shop);
        await settled(page);
        await check("home");
        assert.deepEqual(await shifted(page), []);
        await picture("", true);
        await picture("top-", false);

        const link = page.locator('#personal > [slot="card-0"] a');
        await page.goto(`${world.demo.shop}${await link.getAttribute("href")}`);
        await settled(page);
        await check("product");
        assert.deepEqual(await shifted(page), []);
        await picture("product-", false);

        await page.getByRole("button", { name: "Add to basket" }).click();
        await page.locator(".basket-link").click();
        await page.getByRole("heading", { name: "Your basket" }).waitFor();
        await settled(page);
        await check("basket");
        await picture("basket-", false);
      }, { viewport: { width, height: width === 360 ? 780 : 900 }, colorScheme, reducedMotion: "reduce" });
    });
  }
}
