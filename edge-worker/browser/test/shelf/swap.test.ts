import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reason } from "../../src/api.js";
import { answered, HOME, items, stays } from "./shop.js";
import type { Shop } from "./shop.js";
import { visit, world } from "./world.js";

const { open } = world();

/** A page whose list is there, and whose ranking is to come. */
async function listed(use: (shop: Shop) => Promise<void>, setting: Partial<Parameters<typeof open>[0]> = {}): Promise<void> {
  await visit(open, { body: HOME, ...setting }, async (shop) => {
    await shop.list(items("l", 12));
    await use(shop);
  });
}

const LIST = items("l", 12).map(({ id }) => id);
const PERSONAL = items("p", 12).map(({ id }) => id);

async function comes(shop: Shop): Promise<void> {
  await shop.rank(answered(items("p", 12)));
}

async function isInUse(shop: Shop): Promise<void> {
  assert.deepEqual(await shop.ids(), LIST);
  const said = { locale: "en-GB", slot: "home", reason: "in-use", code: null, rung: "full", cell: "eu-a" };
  const { ms, ...rest } = (await shop.last("stays")) ?? {};
  assert.deepEqual(rest, said);
  assert.equal(typeof ms, "number");
  assert.deepEqual(await shop.names(), ["list", "stays"]);
  const [told, ...others] = await shop.told();
  assert.deepEqual([told?.kind, others], ["impression", []]);
  assert.equal(told?.kind === "impression" && told.shown, "late");
}

test("the list is shown while the ranking is awaited, and the ranking in its stead, and nothing moves", async () => {
  await listed(async (shop) => {
    assert.deepEqual(await shop.ids(), LIST);
    assert.deepEqual(await shop.names(), ["list"]);
    const below = await shop.page.locator("#below").boundingBox();
    await comes(shop);
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.page.locator("#below").boundingBox(), below);
    assert.equal(await shop.shift(), 0);
    assert.deepEqual(await shop.names(), ["list", "personal"]);
    const { ms, ...said } = (await shop.last("personal")) ?? {};
    assert.deepEqual(said, { locale: "en-GB", slot: "home", rung: "full", reason: "within-budget", cell: "eu-a" });
    assert.equal(typeof ms, "number");
  });
});

test("nothing moves either where cards of the list come again at other places", async () => {
  await listed(async (shop) => {
    await shop.rank(answered([...items("p", 2), ...items("l", 10).reverse()]));
    assert.deepEqual((await shop.ids()).slice(0, 3), ["p-0", "p-1", "l-9"]);
    assert.equal(await shop.shift(), 0);
  });
});

test("the room is there before the list", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await shop.frame();
    const below = await shop.page.locator("#below").boundingBox();
    await shop.list(items("l", 12));
    assert.deepEqual(await shop.page.locator("#below").boundingBox(), below);
    assert.equal(await shop.shift(), 0);
  });
});

test("a personal shelf has as many cards as the list", async () => {
  await listed(async (shop) => {
    await shop.rank(answered([...items("p", 3), ...items("l", 1)]));
    assert.deepEqual(await shop.ids(), ["p-0", "p-1", "p-2", ...LIST.slice(0, 9)]);
  });
  await listed(async (shop) => {
    await shop.rank(answered(items("p", 20)));
    assert.deepEqual(await shop.ids(), PERSONAL);
  });
});

test("no swap under a pointer, and one once it is gone", async () => {
  await listed(async (shop) => {
    await shop.page.locator("domicile-shelf").hover({ position: { x: 60, y: 120 } });
    await comes(shop);
    await isInUse(shop);
  });
  await listed(async (shop) => {
    await shop.page.locator("domicile-shelf").hover({ position: { x: 60, y: 120 } });
    await shop.page.mouse.move(600, 10);
    await comes(shop);
    assert.deepEqual(await shop.ids(), PERSONAL);
  });
});

test("no swap while the focus is inside", async () => {
  await listed(async (shop) => {
    await shop.page.locator(".card a").first().focus();
    await comes(shop);
    await isInUse(shop);
  });
});

test("no swap of a shelf that was touched", async () => {
  const context = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } };
  await listed(
    async (shop) => {
      await shop.page.evaluate(() => addEventListener("click", (event) => event.preventDefault()));
      await shop.page.touchscreen.tap(60, 200);
      await shop.page.touchscreen.tap(200, 40);
      await shop.page.evaluate(() => window.seen.moments.splice(1));
      await comes(shop);
      await isInUse(shop);
    },
    { context },
  );
});

test("no swap of a shelf that was pressed and left", async () => {
  await listed(async (shop) => {
    await shop.page.locator("domicile-shelf .heading").click();
    await shop.page.mouse.move(600, 10);
    await comes(shop);
    await isInUse(shop);
  });
});

test("no swap of a shelf whose cards were scrolled", async () => {
  await listed(async (shop) => {
    await shop.page.locator(".cards").evaluate((cards) => cards.scrollTo({ left: 300, behavior: "instant" }));
    await comes(shop);
    await isInUse(shop);
  });
});

test("no swap of a shelf that was scrolled into view", async () => {
  await listed(
    async (shop) => {
      await shop.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await comes(shop);
      await isInUse(shop);
    },
    { body: `<div class="tall"></div>${HOME}` },
  );
});

test("no swap of a shelf that came into view in the frame that is not painted yet", async () => {
  await visit(open, { body: `<div class="tall"></div>${HOME}` }, async (shop) => {
    await shop.list(items("l", 12));
    const outcome = answered(items("p", 12));
    await shop.page.evaluate((given) => {
      scrollTo(0, document.documentElement.scrollHeight);
      window.seen.fake.ranks[0]?.resolve(given);
    }, outcome);
    await shop.frame();
    await isInUse(shop);
  });
});

test("a page that is scrolled while the shelf is in view, or stays out of it, is no use of it", async () => {
  await listed(
    async (shop) => {
      await shop.page.evaluate(() => scrollTo(0, 80));
      await shop.frame();
      await comes(shop);
      assert.deepEqual(await shop.ids(), PERSONAL);
    },
    { body: `${HOME}<div class="tall"></div>` },
  );
  await listed(
    async (shop) => {
      await shop.page.evaluate(() => scrollTo(0, 300));
      await shop.frame();
      await comes(shop);
      assert.deepEqual(await shop.ids(), PERSONAL);
    },
    { body: `<div class="tall"></div>${HOME}` },
  );
});

const clocked = { prepare: (page: Shop["page"]) => page.clock.install() };

test("no swap after the manifest's limit", async () => {
  await listed(async (shop) => {
    await shop.page.clock.runFor(601_000);
    await comes(shop);
    assert.deepEqual(await shop.ids(), LIST);
    const said = await shop.last("stays");
    assert.deepEqual([said?.["reason"], said?.["rung"]], ["page-limit", "full"]);
    const [told] = await shop.told();
    assert.ok(told?.kind === "impression" && told.shown === "late" && told.client_ms >= 601_000);
  }, clocked);
  await listed(async (shop) => {
    await shop.page.clock.runFor(400_000);
    await comes(shop);
    assert.deepEqual(await shop.ids(), PERSONAL);
    const [told] = await shop.told();
    assert.ok(told?.kind === "impression" && told.shown === "used" && told.client_ms >= 400_000);
    assert.ok(Number.isInteger(told.client_ms));
  }, clocked);
});

test("a shelf's own limit goes before the manifest's, and is handed to the client", async () => {
  const body = HOME.replace("slot", 'limit-ms="300000" slot');
  await listed(
    async (shop) => {
      assert.equal(await shop.page.evaluate(() => window.seen.fake.ranks[0]?.limit_ms), 300_000);
      await shop.page.clock.runFor(400_000);
      await comes(shop);
      assert.deepEqual(await shop.ids(), LIST);
      assert.equal((await shop.last("stays"))?.["reason"], "page-limit");
    },
    { ...clocked, body },
  );
});

const REASONS: readonly Reason[] = [
  "manifest-lost", "keys-untrusted", "no-cell", "cell-failed", "answer-lost", "receipt-refused", "no-grant",
  "logged-out", "no-crypto", "page-limit",
];

test("for whatever reason nothing personal comes, the list stays and no error is shown", async () => {
  await visit(open, { body: HOME.repeat(REASONS.length) }, async (shop) => {
    for (const [n, reason] of REASONS.entries()) {
      await shop.list(items("l", 12), n);
      const shelf = shop.page.locator("domicile-shelf").nth(n);
      const before = await shelf.ariaSnapshot();
      await shop.rank(stays(reason), n);
      assert.deepEqual(await shop.ids(n), LIST);
      assert.equal(await shelf.ariaSnapshot(), before);
      const said = { locale: "en-GB", slot: "home", reason, code: null, rung: null, cell: null, ms: 7 };
      assert.deepEqual(await shop.last("stays"), said);
    }
    assert.deepEqual(await shop.told(), []);
  });
});

test("a cell's refusal is told with its code", async () => {
  await listed(async (shop) => {
    await shop.rank({ is: "refused", code: "token-expired", cell: "eu-b", ms: 9 });
    assert.deepEqual(await shop.ids(), LIST);
    const said = { reason: "refused", code: "token-expired", rung: null, cell: "eu-b", ms: 9 };
    assert.deepEqual(await shop.last("stays"), { locale: "en-GB", slot: "home", ...said });
  });
});

test("a ranking that comes before the list is shown, and the list does not replace it", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    await comes(shop);
    assert.deepEqual(await shop.ids(), PERSONAL);
    await shop.list(items("l", 12));
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.names(), ["personal"]);
    assert.equal(await shop.shift(), 0);
  });
});

test("without a list the ranking is shown; without either the shelf is empty, and as high", async () => {
  await visit(open, { body: HOME }, async (shop) => {
    const below = await shop.page.locator("#below").boundingBox();
    await shop.noList();
    assert.deepEqual(await shop.names(), []);
    await comes(shop);
    assert.deepEqual(await shop.ids(), PERSONAL);
    assert.deepEqual(await shop.page.locator("#below").boundingBox(), below);
  });
  await visit(open, { body: HOME }, async (shop) => {
    const below = await shop.page.locator("#below").boundingBox();
    await shop.noList();
    await shop.rank(stays("answer-lost"));
    assert.deepEqual(await shop.last("empty"), { locale: "en-GB", slot: "home", reason: "no-list" });
    assert.ok(await shop.page.locator('domicile-shelf [part="empty"]').isVisible());
    assert.deepEqual(await shop.page.locator("#below").boundingBox(), below);
    assert.equal(await shop.shift(), 0);
  });
});

test("an answer is told of once, whatever happens to the shelf afterwards", async () => {
  await listed(async (shop) => {
    await shop.rank(answered(items("p", 12), "compact"));
    await shop.page.locator("domicile-shelf").evaluate((shelf) => shelf.setAttribute("label", "Another"));
    await shop.page.locator("domicile-shelf").evaluate((shelf) => shelf.parentElement?.append(shelf));
    await shop.frame();
    const told = await shop.told();
    assert.equal(told.length, 1);
    const { client_ms, ...rest } = told[0] as { client_ms: number };
    assert.deepEqual(rest, { kind: "impression", rung: "compact", shown: "used", locale: "en-GB" });
    assert.ok(Number.isInteger(client_ms) && client_ms >= 0);
  });
});

test("a personal shelf with nothing to show leaves the list", async () => {
  await listed(async (shop) => {
    await shop.rank(answered([]));
    assert.deepEqual(await shop.ids(), LIST);
    assert.equal((await shop.last("stays"))?.["reason"], "no-items");
  });
});
