// Networks as shoppers have them: slow, gone, back again, or with somebody in between who stops what personal requests use.
import { test } from "node:test";
import assert from "node:assert/strict";
import { EMPTY, LIST, PATIENT, PERSONAL, WRITTEN } from "./retailer.js";
import { tests } from "./visit.js";

const { shop, context, visit } = tests();

const connect = (): void => (globalThis as unknown as { connectShop: () => void }).connectShop();

test("slow 3G: the list is shown, a personal shelf comes within its limit or not at all, and nothing shifts", async () => {
  shop().body = WRITTEN.replace(PATIENT, "") + WRITTEN;
  const visited = await visit("/?alone");
  const devtools = await context().newCDPSession(visited.page);
  await devtools.send("Network.enable");
  const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await devtools.send("Network.emulateNetworkConditions", slow);
  await visited.page.evaluate(connect);
  await visited.said("personal");
  await visited.page.waitForFunction(() => window.moments.filter(([name]) => name === "stays" || name === "personal").length === 2);
  const settled = await visited.page.evaluate(() => window.moments.filter(([name]) => name === "stays" || name === "personal"));
  const hurried = settled.find(([name, { ms }]) => name === "stays" || Number(ms) <= 900);
  const patient = settled.find(([name, { ms }]) => name === "personal" && Number(ms) > 1_200);
  assert.ok(hurried !== undefined, JSON.stringify(settled));
  assert.ok(patient !== undefined, "three round trips of 400 ms, one after the other");
  assert.deepEqual(await visited.ids(0), hurried[0] === "stays" ? LIST : PERSONAL);
  assert.deepEqual(await visited.ids(1), PERSONAL);
  assert.deepEqual([visited.errors, await visited.shift()], [[], 0]);
});

test("offline from the start: the server's list stays, and the shelf is personal once the network is there", async () => {
  const visited = await visit("/?alone");
  await context().setOffline(true);
  await visited.page.evaluate(connect);
  await visited.said("stays");
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], shop().site.seen.length], [LIST, "grant-lost", 0]);
  await context().setOffline(false);
  await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.refresh());
  await visited.said("personal");
  assert.deepEqual([await visited.ids(), visited.errors, await visited.shift()], [PERSONAL, [], 0]);
});

test("offline from the start without a list of the server: empty and as high, and whole once the network is there", async () => {
  shop().body = EMPTY;
  const visited = await visit("/?alone");
  await context().setOffline(true);
  await visited.page.evaluate(connect);
  await visited.said("empty");
  assert.deepEqual([await visited.ids(), await visited.shift()], [[], 0]);
  await context().setOffline(false);
  await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.refresh());
  await visited.said("personal");
  // Its list may come later.
  assert.deepEqual([(await visited.ids())[0], visited.errors, await visited.shift()], ["1", [], 0]);
});

test("offline later: what is shown stays, events are kept, and told when the network is back", async () => {
  const visited = await visit();
  await visited.said("personal");
  await visited.page.evaluate(() => window.shop.flush());
  await context().setOffline(true);
  const left = await visited.page.evaluate(() => {
    window.shop.tell({ kind: "basket", item: "1" }, "de-DE");
    document.querySelector("domicile-shelf")?.refresh();
    return window.shop.flush();
  });
  await visited.said("stays");
  const reason = (await visited.last("stays"))?.["reason"];
  assert.deepEqual([left, await visited.ids(), reason, shop().told], [1, PERSONAL, "answer-lost", ["impression used"]]);
  await context().setOffline(false);
  // By itself: the cell is left alone for a moment.
  await shop().site.until(() => shop().told.includes("basket 1"));
  assert.deepEqual([shop().told, visited.errors], [["impression used", "basket 1"], []]);
});

test("a blocker that kills sealed requests: the list stays with its reason, few are tried, and the events are kept", async () => {
  let killed = 0;
  let kills = true;
  await context().route("**/v1/sealed/**", (route) => {
    killed += kills ? 1 : 0;
    return kills ? route.abort("blockedbyclient") : route.continue();
  });
  const visited = await visit("/?alone");
  // The page's time goes by seconds, as fast as what was killed is noticed.
  await visited.page.clock.install();
  await visited.page.evaluate(connect);
  await visited.said("stays");
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"], killed], [LIST, "answer-lost", 1]);
  await visited.page.evaluate(() => window.shop.tell({ kind: "view", item: "1" }, "de-DE"));
  let seconds = 0;
  for (; killed < 7 && seconds < 600; seconds += 1) {
    await visited.page.clock.runFor(1_000);
  }
  // One second for others, and then at least half of 1, 2, 4, 8 and 16.
  assert.ok(killed === 7 && seconds >= 16, `${killed} requests in ${seconds} s`);
  kills = false;
  for (let left = 1; left > 0; ) {
    await visited.page.clock.runFor(1_000);
    left = await visited.page.evaluate(() => window.shop.flush());
  }
  assert.deepEqual([shop().told, await visited.page.evaluate(() => window.shop.dropped)], [["view 1"], 0]);
  assert.deepEqual([await visited.ids(), visited.errors, await visited.shift()], [LIST, [], 0]);
});
