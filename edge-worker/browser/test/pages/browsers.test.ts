// Browsers that lack something, and clocks that are off.
import { test } from "node:test";
import assert from "node:assert/strict";
import { stated } from "../world/signer.js";
import { LIST, PERSONAL } from "./retailer.js";
import { tests } from "./visit.js";

const { shop, context, visit } = tests();

const DAY_S = 86_400;

/** The page's clock is another one, and the manifest holds for an hour from now. */
async function ahead(seconds: number): Promise<void> {
  const now_s = Math.floor(Date.now() / 1_000);
  const { world } = shop().site;
  world.manifest = { ...world.manifest, issued: stated(now_s - 60), not_after: stated(now_s + 3_600) };
  await context().addInitScript((ms) => {
    const real = Date.now;
    Date.now = () => real() + ms;
  }, seconds * 1_000);
}

test("without X25519 and Ed25519 the shelf is personal, sealed to the P-256 key", async () => {
  await context().addInitScript(() => {
    const lacking = ["X25519", "Ed25519"];
    for (const name of ["generateKey", "importKey", "deriveBits", "verify"] as const) {
      const real = SubtleCrypto.prototype[name] as (this: SubtleCrypto, ...given: unknown[]) => Promise<unknown>;
      const without = function (this: SubtleCrypto, ...given: unknown[]): Promise<unknown> {
        const named = given.map((one) => (one as { name?: string } | null)?.name ?? one);
        const missing = new DOMException("not here", "NotSupportedError");
        return lacking.some((one) => named.includes(one)) ? Promise.reject(missing) : real.call(this, ...given);
      };
      Object.assign(SubtleCrypto.prototype, { [name]: without });
    }
  });
  const visited = await visit();
  await visited.said("personal");
  assert.deepEqual([await visited.ids(), visited.errors], [PERSONAL, []]);
  const kem = await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.answer?.kept.request.slice(1, 3).join());
  assert.equal(kem, "0,16");
});

test("with a storage that throws the shelf is personal, and an older manifest than this page saw is refused", async () => {
  await context().addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException("switched off", "SecurityError");
        },
      });
    }
  });
  const visited = await visit();
  await visited.said("personal");
  assert.deepEqual([await visited.ids(), visited.errors, await visited.shift()], [PERSONAL, [], 0]);
  const { world } = shop().site;
  world.manifest = { ...world.manifest, version: 6 };
  await visited.page.evaluate(() => {
    window.shop.logout();
    document.querySelector("domicile-shelf")?.refresh();
  });
  await visited.said("stays", 2);
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"]], [LIST, "manifest-rolled-back"]);
});

test("a clock a day ahead: the manifest looks over, so the list stays and nothing is sealed", async () => {
  await ahead(DAY_S);
  const visited = await visit();
  await visited.said("stays");
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().sealed], [LIST, "manifest-stale", 0]);
  assert.deepEqual([visited.errors, await visited.shift()], [[], 0]);
});

test("a clock a day behind: the cell's answer says so, and the one extra attempt has its date", async () => {
  await ahead(-DAY_S);
  const visited = await visit();
  await visited.said("personal");
  assert.deepEqual([await visited.ids(), shop().ranked], [PERSONAL, 2]);
  assert.equal(await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.answer?.extra), "date-skew");
  assert.deepEqual([visited.errors, await visited.shift()], [[], 0]);
});
