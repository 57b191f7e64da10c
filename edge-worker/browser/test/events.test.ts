// Events: told once acknowledged, kept otherwise, and ready when the page is left.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Domicile, ShopEvent } from "../src/api.js";
import { REQUEST_BYTES } from "../src/codec/ohttp.js";
import { KEPT_MAX } from "../src/events/queue.js";
import { NOW_S, PLACE, World } from "./world/world.js";
import type { Posted } from "./world/world.js";

const view = (item: number): ShopEvent => ({ kind: "view", item: `item-${item}` });

function tell(page: Domicile, count: number, from = 0): void {
  for (let at = from; at < from + count; at += 1) {
    page.tell(view(at), "de-DE");
  }
}

/** The items of every batch that a cell opened. */
function batches(world: World): string[][] {
  const told = world.opened.filter(({ request }) => request.path === "/v1/events");
  return told.map(({ request }) => (request.body as { events: { item: string }[] }).events.map(({ item }) => item));
}

/** What a cell reads in bytes that were sent to it. */
async function opens(world: World, { cell, body }: Posted): Promise<boolean> {
  const opened = await world.cells.find(({ name }) => name === cell)?.open(body);
  return opened !== null && opened !== undefined;
}

test("events that happen together are told together, in the cell's form, and once", async () => {
  const world = new World();
  const page = world.page();
  page.tell({ kind: "view", item: "1" }, "de-DE");
  await world.clock.pass(500);
  page.tell({ kind: "impression", rung: "full", shown: "used", client_ms: 240.4 }, "de-DE");
  await world.clock.pass(499);
  assert.deepEqual(world.went(), []);
  await world.clock.pass(60_000);
  const [posted, ...more] = world.sent();
  assert.ok(posted && more.length === 0);
  assert.deepEqual([posted.cell, posted.body.length, posted.outlives], ["a", REQUEST_BYTES, true]);
  const [{ request } = assert.fail()] = world.opened;
  assert.deepEqual([request.method, request.path, request.fields.get("domicile-budget-ms")], ["POST", "/v1/events", "5000"]);
  assert.deepEqual(request.body, {
    events: [
      { id: "id-1", kind: "view", item: "1", time_s: NOW_S },
      { id: "id-2", kind: "impression", time_s: NOW_S, rung: "full", shown: "used", client_ms: 240 },
    ],
  });
  assert.deepEqual([await page.flush(), page.dropped], [0, 0]);
});

test("a flood is split into requests of one size, at most 64 events each", async () => {
  const world = new World();
  const page = world.page();
  tell(page, 150);
  assert.equal(await world.run(page.flush()), 0);
  const sent = world.sent();
  assert.ok(sent.length > 2 && sent.every(({ body }) => body.length === REQUEST_BYTES));
  assert.ok(batches(world).every((batch) => batch.length <= 64));
  assert.deepEqual(batches(world).flat(), Array.from({ length: 150 }, (_, at) => `item-${at}`));
});

test("what nobody acknowledged is told again, with the same ids and in its order, each time later", async () => {
  const world = new World({ cells: ["a"] });
  world.draw = 0;
  const page = world.page();
  world.sealed = [{ fallback: "cell-busy" }, "no-receipt", { problem: "store-failed" }, "noise"];
  tell(page, 3);
  await world.clock.pass(120_000);
  // A second to gather, then half of 1, 2, 4 and 8 seconds: jitter is at its least here.
  const times = world.sent().map(({ at }) => at);
  const gaps = times.slice(1).map((at, before) => at - (times[before] ?? 0));
  assert.deepEqual([times.length, gaps.every((gap, at) => gap >= 500 * 2 ** at)], [5, true], String(gaps));
  const ids = world.opened.map(({ request }) => (request.body as { events: { id: string }[] }).events.map(({ id }) => id));
  assert.ok(ids.length > 2 && ids.every((batch) => batch.join() === "id-1,id-2,id-3"));
  assert.equal(await page.flush(), 0);
});

test("another event does not shorten a failure's time", async () => {
  const world = new World();
  world.draw = 0.999;
  const page = world.page();
  world.route = "lost";
  tell(page, 1);
  await world.clock.pass(60_000);
  const asked = world.fetched.length;
  tell(page, 1, 1);
  await world.clock.pass(3_000);
  assert.ok(world.fetched.length <= asked + 2, "once to make it ready, once by the clock");
  world.route = "good";
  assert.equal(await world.run(page.flush()), 0, "but for a page that asks for it");
  assert.deepEqual(batches(world), [["item-0", "item-1"]]);
});

test("a dead home's events go to the cell that stands in, and all batches share one extra attempt", async () => {
  const world = new World();
  const page = world.page();
  world.sealed = [{ fallback: "cell-failed" }];
  tell(page, 2);
  assert.equal(await world.run(page.flush()), 0);
  assert.deepEqual(world.went(), ["a", "b"]);
  const again = new World();
  const flood = again.page();
  again.sealed = ["lost", "answer", "lost", "answer"];
  tell(flood, 60);
  assert.ok((await again.run(flood.flush())) > 0);
  assert.deepEqual(again.went(), ["a", "b", "b"], "no second stand-in");
});

test("leaving the page sends bytes that were ready, at once, and only once", async () => {
  const world = new World();
  const page = world.page();
  tell(page, 2);
  await world.clock.pass(100);
  assert.deepEqual(world.went(), []);
  world.hide();
  const [posted, ...more] = world.sent();
  assert.ok(posted && more.length === 0, "sent before anything was waited for");
  assert.deepEqual([posted.cell, posted.outlives, posted.at, await opens(world, posted)], ["a", true, 100, true]);
  world.hide();
  await world.clock.pass(60_000);
  assert.deepEqual([world.went(), batches(world)], [[], [["item-0", "item-1"]]], "and acknowledged");
  assert.equal(await page.flush(), 0);
});

test("what is not ready yet when the page is left is told without waiting for more", async () => {
  const world = new World();
  const page = world.page();
  tell(page, 1);
  world.hide();
  assert.deepEqual(world.went(), []);
  await world.clock.pass(100);
  assert.deepEqual(world.went(), ["a"]);
});

test("every batch of a flood is ready, and what is under way is not sent twice", async () => {
  const world = new World();
  const page = world.page();
  tell(page, 60);
  await world.clock.pass(200);
  world.hide();
  assert.ok(world.sent().length > 1);
  await world.clock.pass(5_000);
  assert.deepEqual(batches(world).flat().length, 60);

  const slow = new World({ cells: ["a"] });
  const other = slow.page();
  slow.sealed = ["hangs"];
  tell(other, 1);
  await slow.clock.pass(2_000);
  assert.deepEqual(slow.went(), ["a"]);
  slow.hide();
  assert.deepEqual(slow.went(), [], "it outlives the page by itself");
});

test("a page that comes back tells again what was sent when it left and not acknowledged", async () => {
  const world = new World({ cells: ["a"] });
  const page = world.page();
  tell(page, 1);
  await world.clock.pass(100);
  world.sealed = ["lost"];
  world.hide();
  assert.deepEqual(world.went(), ["a"]);
  world.show();
  await world.clock.pass(60_000);
  assert.deepEqual([world.went(), batches(world)], [["a"], [["item-0"]]]);
});

test("what is ready is made anew while it waits, and is never old", async () => {
  const world = new World({ cells: ["a"] });
  world.grants = () => Promise.resolve(world.grant("a", world.unixSeconds() + 600));
  const page = world.page();
  world.sealed = Array.from({ length: 100 }, () => ({ fallback: "cell-failed" }));
  tell(page, 1);
  for (const minutes of [1, 7, 30]) {
    await world.clock.pass(minutes * 60_000);
    assert.ok(world.sent().length > 0);
  }
  world.sealed = ["answer"];
  world.hide();
  assert.deepEqual(world.went(), ["a"], "though the cell failed a moment ago: there may be no later");
  await world.clock.pass(100);
  const date = Date.parse(world.opened.at(-1)?.request.fields.get("date") ?? "") / 1_000;
  assert.ok(world.unixSeconds() - date <= 60);
  assert.equal(await page.flush(), 0);
});

test("a clock that jumped makes what is ready old", async () => {
  const world = new World();
  const page = world.page();
  tell(page, 1);
  await world.clock.pass(100);
  world.ahead_s = 3_600;
  world.hide();
  assert.deepEqual(world.went(), []);
});

test("of a shopper without a grant nothing is kept, and of one whose grant did not come everything", async () => {
  const world = new World();
  const page = world.page();
  world.grants = () => Promise.resolve(null);
  tell(page, 3);
  assert.deepEqual([await world.run(page.flush()), page.dropped], [0, 3]);
  world.grants = () => Promise.reject(new Error("down"));
  tell(page, 2);
  assert.deepEqual([await world.run(page.flush()), page.dropped], [2, 3]);
  world.grants = () => Promise.resolve(world.grant("a"));
  await world.clock.pass(60_000);
  assert.deepEqual(batches(world), [["item-0", "item-1"]]);
});

test("one bad event takes no good ones with it, and is not asked to the cell", async () => {
  const world = new World();
  const page = world.page();
  const bad: readonly unknown[] = [
    null, undefined, "view", { kind: "impression", rung: "full", shown: "used", client_ms: {} },
    { kind: "view", item: "" }, { kind: "view", item: "ä".repeat(33) }, { kind: "view" }, { kind: "sale", item: "1" },
    { kind: "impression", rung: "best", shown: "used", client_ms: 1 }, { kind: "impression", rung: "full", shown: "seen", client_ms: 1 },
    { kind: "impression", rung: "full", shown: "used", client_ms: -1 }, { kind: "impression", rung: "full", shown: "used", client_ms: NaN },
  ];
  for (const event of bad) {
    page.tell(event as ShopEvent, "de-DE");
  }
  tell(page, 1);
  assert.deepEqual([await world.run(page.flush()), page.dropped, world.warned.length], [0, bad.length, bad.length]);
  assert.deepEqual(batches(world), [["item-0"]]);
  assert.ok(!world.warned.join().includes("ä"), "a warning quotes nothing");
  world.sealed = [{ problem: "events-invalid" }];
  tell(page, 1, 1);
  assert.deepEqual([await world.run(page.flush()), page.dropped], [0, bad.length + 1]);
});

test("a page that is offline for long keeps the latest, and counts the others", async () => {
  const world = new World({ cells: ["a"] });
  world.route = "lost";
  const page = world.page();
  tell(page, KEPT_MAX + 10);
  assert.deepEqual([await world.run(page.flush()), page.dropped], [KEPT_MAX, 10]);
  world.route = "good";
  await world.clock.pass(60_000);
  assert.equal(batches(world).flat()[0], "item-10");
  assert.equal(await page.flush(), 0);
});

test("events come from the slot that the page asked for last, of those that there are", async () => {
  const world = new World();
  const other = { name: "basket", items: 1, relay_wait_ms: 350 };
  world.manifest["slots"] = [other, { ...other, name: "home" }];
  const page = world.page();
  const slots: (string | undefined)[] = [];
  const send = world.send.bind(world);
  world.send = (request, signal) => {
    slots.push(/^.*\/sealed\/.*\/(\w+)$/.exec(request.url)?.[1]);
    return send({ ...request, url: request.url.replace(/(sealed.*)basket$/, "$1home") }, signal);
  };
  for (const slot of [null, "home", "attic"]) {
    await (slot === null ? null : world.run(page.rank({ ...PLACE, slot })));
    tell(page, 1);
    assert.equal(await world.run(page.flush()), 0);
  }
  assert.deepEqual(slots.filter((slot) => slot !== undefined), ["basket", "home", "home", "home"]);
  assert.equal(page.dropped, 0);
});

test("an event has the cells' time, whatever the page's clock says", async () => {
  const world = new World();
  const page = world.page();
  for (const cell of world.cells) {
    cell.ahead_s = 300;
  }
  page.tell(view(1), "de-DE");
  assert.equal(await world.run(page.flush()), 0);
  const told = world.opened.at(-1);
  const { events } = told?.request.body as { events: { time_s: number }[] };
  assert.equal(events[0]?.time_s, NOW_S + 300);
});
