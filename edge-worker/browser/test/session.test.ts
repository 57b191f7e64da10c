// Logout, export, erasure, and lists.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { List } from "../src/api.js";
import { ListError } from "../src/client/list.js";
import { NOW_S, PLACE, World } from "./world/world.js";
import { whole } from "./world/tricks.js";

test("logout ends what is under way, forgets everything, and tells who listens", async () => {
  const world = new World();
  const page = world.page();
  let told = 0;
  const off = page.onLogout(() => (told += 1));
  world.sealed = ["answer", "hangs"];
  await world.run(page.rank(PLACE));
  const under_way = page.rank(PLACE);
  await world.clock.pass(10);
  assert.equal(world.went().length, 2);
  page.tell({ kind: "view", item: "1" }, "de-DE");
  page.logout();
  const outcome = await world.run(under_way);
  assert.deepEqual([outcome.is === "stays" && outcome.reason, outcome.ms, told], ["logged-out", 10, 1]);
  await world.clock.pass(600_000);
  assert.deepEqual(world.went(), [], "no event is told");
  assert.equal(await page.flush(), 0);
  assert.deepEqual([...world.stored.keys()], ["domicile.seen"]);

  const before = [world.asked, world.fetched.length];
  off();
  world.grants = () => Promise.resolve(world.grant("b", NOW_S + 3_600));
  const next = await world.run(page.rank(PLACE));
  assert.deepEqual([next.is === "answered" && next.cell, world.asked, world.fetched.length], ["b", (before[0] ?? 0) + 1, (before[1] ?? 0) + 2]);
  page.logout();
  assert.equal(told, 1);
});

test("whoever logs out while a grant or a manifest comes is not given them", async () => {
  for (const ms of [0, 5, 25]) {
    const world = new World();
    const page = world.page();
    world.grants = async () => {
      await world.clock.sleep(1);
      return world.grant("a");
    };
    const outcome = page.rank(PLACE);
    await world.clock.pass(ms);
    page.logout();
    const ended = await world.run(outcome);
    assert.equal(ended.is === "stays" && ended.reason, "logged-out");
    await world.clock.pass(60_000);
    assert.deepEqual(world.went(), []);
  }
});

test("a logout is told to the browser's other pages once, and one that is heard of is not told on", async () => {
  const world = new World();
  const page = world.page();
  let told = 0;
  page.onLogout(() => (told += 1));
  await world.run(page.rank(PLACE));
  page.tell({ kind: "view", item: "1" }, "de-DE");
  world.othersLogout();
  assert.deepEqual([told, world.toldOthers, await page.flush()], [1, 0, 0]);
  await world.run(page.rank(PLACE));
  assert.equal(world.asked, 2, "the token is gone");
  page.logout();
  assert.deepEqual([told, world.toldOthers], [2, 1]);
});

test("a page out of the back/forward cache goes on for the shopper whose it was, and for nobody else", async () => {
  const grantOf = (world: World, claims: unknown): unknown => ({ ...world.grant("a"), token: `a.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.c` });
  const cases: [string, (world: World) => Promise<unknown>, number][] = [
    ["the same", (world) => Promise.resolve(grantOf(world, { sub: "1", exp: 2 })), 0],
    ["another", (world) => Promise.resolve(grantOf(world, { sub: "2" })), 1],
    ["one who states nothing", (world) => Promise.resolve(grantOf(world, {})), 1],
    ["nobody", () => Promise.resolve(null), 1],
    ["nobody knows", () => Promise.reject(new Error("offline")), 1],
    ["no answer", () => new Promise(() => undefined), 1],
  ];
  for (const [name, next, times] of cases) {
    const world = new World();
    const page = world.page();
    let told = 0;
    page.onLogout(() => (told += 1));
    world.back();
    await world.clock.pass(11_000);
    assert.deepEqual([told, world.asked], [0, 0], "without a grant there is nothing to ask");
    world.grants = () => Promise.resolve(grantOf(world, { sub: "1", exp: 1 }));
    await world.run(page.rank(PLACE));
    world.grants = () => next(world);
    world.back();
    await world.clock.pass(11_000);
    assert.deepEqual([told, world.asked, world.toldOthers], [times, 2, 0], name);
  }
});

test("another shopper's grant ends the session, and tells nothing of the one before", async () => {
  const world = new World();
  const page = world.page();
  const of = (sub: string, not_after: number): unknown =>
    ({ ...world.grant("a", not_after), token: `a.${btoa(JSON.stringify({ sub })).replaceAll("=", "")}.c` });
  let told = 0;
  page.onLogout(() => (told += 1));
  world.grants = () => Promise.resolve(of("1", NOW_S + 5));
  await world.run(page.rank(PLACE));
  world.sealed = Array.from({ length: 40 }, () => "lost" as const);
  page.tell({ kind: "view", item: "1" }, "de-DE");
  await world.clock.pass(6_000);
  world.sealed = [];
  world.grants = () => Promise.resolve(of("2", NOW_S + 900));
  await world.clock.pass(120_000);
  const paths = world.opened.map(({ request }) => request.path);
  assert.deepEqual([told, world.toldOthers, paths, page.dropped], [1, 0, ["/v1/rank"], 1]);
  const next = await world.run(page.rank(PLACE));
  assert.equal(next.is, "answered", "the one who is there now");
});

test("a listener that throws keeps no other from hearing of a logout", () => {
  const world = new World();
  const page = world.page();
  const heard: string[] = [];
  const thrown: (() => void)[] = [];
  const later = globalThis.queueMicrotask;
  globalThis.queueMicrotask = (task) => void thrown.push(task);
  page.onLogout(() => assert.fail("a defect of the page's"));
  page.onLogout(() => heard.push("shelf"));
  page.logout();
  globalThis.queueMicrotask = later;
  assert.deepEqual([heard, world.toldOthers, thrown.length], [["shelf"], 1, 1]);
  assert.throws(() => thrown[0]?.(), /a defect of the page's/);
});

test("an erasure leaves nothing that was told before it to be told later", async () => {
  const world = new World();
  const page = world.page();
  world.sealed = ["lost", "lost"];
  page.tell({ kind: "view", item: "before" }, "de-DE");
  assert.equal(await world.run(page.flush()), 1);
  world.sealed = ["lost"];
  await world.run(page.erase("de-DE"));
  assert.equal(page.dropped, 0, "it was not done");
  assert.equal((await world.run(page.erase("de-DE"))).is, "answered");
  page.tell({ kind: "view", item: "after" }, "de-DE");
  await world.clock.pass(120_000);
  const events = world.opened.filter(({ request }) => request.path === "/v1/events");
  const items = events.map(({ request }) => (request.body as { events: { item: string }[] }).events.map(({ item }) => item));
  assert.deepEqual([items, page.dropped], [[["after"]], 1]);
});

test("an export is every page of the home cell, and an erasure is the home cell's", async () => {
  const world = new World();
  world.grants = () => Promise.resolve(world.grant("b"));
  const page = world.page();
  const exported = await world.run(page.export("de-DE"));
  assert.ok(exported.is === "answered");
  assert.deepEqual(exported.value.map((page) => (page as { event_ids: number }).event_ids), [0, 1, 2]);
  assert.deepEqual(world.opened.map(({ request }) => [request.method, request.path]), [
    ["GET", "/v1/shopper"], ["GET", "/v1/shopper?page=p1"], ["GET", "/v1/shopper?page=p2"],
  ]);
  assert.deepEqual(world.went(), ["b", "b", "b"]);
  world.sealed = ["answer", "lost"];
  const half = await world.run(page.export("de-DE"));
  assert.deepEqual([half.is === "stays" && half.reason, world.went()], ["answer-lost", ["b", "b"]], "no cell stands in");

  const erased = await world.run(page.erase("de-DE"));
  assert.deepEqual([erased.is, world.opened.at(-1)?.request.method, world.went()], ["answered", "DELETE", ["b"]]);
});

/** A list as an edge writes it. */
function said(items: readonly unknown[], part: Record<string, unknown> = {}): string {
  const list = { locale: "de-DE", slot: "home", rung: "list", overlay: "sha256:00", not_after: "2027-01-16T00:00:00Z" };
  return JSON.stringify({ ...list, stale: false, items, ...part });
}

const ITEM = { id: "1", title: "Milk", category: "dairy", image: "/i/1.svg", url: "/p/1" };

async function list(body: string, outcome = "list", status = 200): Promise<List | string> {
  const world = new World();
  world.list = whole(status, { "domicile-outcome": outcome }, body);
  const listed = world.run(world.page().list(PLACE));
  return listed.catch((error: unknown) => (error instanceof ListError ? `${error.status} ${error.code}` : assert.fail()));
}

test("a list is read, and what could not be shown is passed over", async () => {
  const { image, ...plain } = ITEM;
  const odd = [
    null, 7, [], {}, { ...ITEM, id: "" }, { ...ITEM, title: 1 }, { ...ITEM, url: "javascript:alert(1)" },
    { ...ITEM, url: "//elsewhere.example/p" }, { ...ITEM, url: "/\\elsewhere.example" }, { ...ITEM, url: "java\nscript:x" },
    { ...ITEM, url: "http://shop.example/p" },
  ];
  const read = await list(said([ITEM, ...odd, plain, { ...ITEM, image: "data:x", url: "https://shop.example/p?a:b" }]));
  assert.ok(typeof read === "object");
  assert.deepEqual(read.items, [
    ITEM, { ...plain, image: "" }, { ...ITEM, image: "", url: "https://shop.example/p?a:b" },
  ]);
  assert.equal(image, "/i/1.svg");
});

test("an edge that answers wrongly is not shown", async () => {
  assert.equal(await list(said([]), "fallback; reason=cell-busy"), "200 not-a-list");
  assert.equal(await list(said([], { slot: "basket" })), "200 not-a-list");
  assert.equal(await list(said([], { rung: "full" })), "200 not-a-list");
  assert.equal(await list(said([], { items: {} })), "200 not-a-list");
  assert.equal(await list("[]"), "200 not-a-list");
  assert.equal(await list("<html>"), "200 not-a-list");
  assert.equal(await list('{"code":"unknown-slot"}', "", 404), "404 unknown-slot");
  assert.equal(await list("gateway", "", 502), "502 not-a-list");
  const world = new World();
  world.list = { after: 20, answer: null };
  await assert.rejects(world.run(world.page().list(PLACE)), { code: "list-lost" });
  await assert.rejects(world.run(world.page().list({ locale: "..", slot: "home" })), { code: "not-a-list" });
  assert.deepEqual(world.fetched, ["/v1/shelf/de-DE/home"]);
});
