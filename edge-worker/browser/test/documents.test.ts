// What has to hold before anything is sealed; and who asks for it, how often.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Domicile, Grant } from "../src/api.js";
import type { KeysTrick, Route } from "./world/tricks.js";
import { NOW_S, PLACE, World } from "./world/world.js";

async function reason(world: World, page: Domicile = world.page(), place = PLACE): Promise<string> {
  const outcome = await world.run(page.rank(place));
  return outcome.is === "stays" ? outcome.reason : outcome.is;
}

const ROUTES: readonly (readonly [Route, string])[] = [
  ["forged", "manifest-untrusted"], ["garbage", "manifest-untrusted"], ["other-class", "other-class"],
  ["stale", "manifest-stale"], ["missing", "manifest-lost"], ["lost", "manifest-lost"], ["hangs", "page-limit"],
];
for (const [trick, expected] of ROUTES) {
  test(`nothing is sealed under a manifest that is ${trick}`, async () => {
    const world = new World();
    world.route = trick;
    assert.equal(await reason(world), expected);
    assert.deepEqual([world.went(), world.fetched, world.stored.size], [[], ["/v1/route/eu_only"], 0]);
  });
}

const KEYS: readonly (readonly [KeysTrick, string])[] = [
  ["swapped", "keys-untrusted"], ["garbage", "keys-untrusted"], ["other-cells", "keys-untrusted"], ["stale", "keys-stale"],
];
for (const [trick, expected] of KEYS) {
  test(`nothing is sealed to keys that are ${trick}`, async () => {
    const world = new World();
    world.keys = { a: trick, b: trick, c: trick };
    assert.equal(await reason(world), expected);
    assert.deepEqual(world.went(), []);
  });
}

test("an older manifest than was seen is refused, here and in the browser's later pages", async () => {
  const world = new World();
  assert.equal(await reason(world), "answered");
  assert.deepEqual([...world.stored], [["domicile.seen", '{"eu_only":7}']], "and nothing else is stored");
  world.route = "rolled-back";
  assert.equal(await reason(world), "manifest-rolled-back");
  const elsewhere = new World();
  elsewhere.route = "rolled-back";
  assert.equal(await reason(elsewhere), "answered", "a browser that has seen none has nothing to hold it against");
  elsewhere.stored.set("domicile.seen", '{"eu_only":7}');
  assert.equal(await reason(elsewhere), "manifest-rolled-back");
});

for (const kept of ["", "null", "[]", "{", '{"eu_only":"9"}', '{"eu_only":-1}', '{"__proto__":{"eu_only":9}}']) {
  test(`what is stored and was not written here is as nothing: ${kept}`, async () => {
    const world = new World();
    world.stored.set("domicile.seen", kept);
    assert.equal(await reason(world), "answered");
    assert.equal(world.stored.get("domicile.seen"), '{"eu_only":7}');
  });
}

test("another tab's newer version is not overwritten", async () => {
  const world = new World();
  world.stored.set("domicile.seen", '{"uk_only":3,"eu_only":6}');
  assert.equal(await reason(world), "answered");
  assert.deepEqual(JSON.parse(world.stored.get("domicile.seen") ?? ""), { uk_only: 3, eu_only: 7 });
});

test("grant, class and place have to agree", async () => {
  const with_ = async (change: (world: World) => void, place = PLACE): Promise<string> => {
    const world = new World();
    change(world);
    const found = await reason(world, world.page(), place);
    assert.deepEqual(world.went(), []);
    return found;
  };
  const grant = (part: Partial<Grant>) => (world: World): void => {
    world.grants = () => Promise.resolve({ ...world.grant("a"), ...part });
  };
  assert.equal(await with_(grant({ home: "us" })), "home-not-in-class");
  const token = (claims: object): string => `aa.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.cc`;
  assert.equal(await with_(grant({ token: token({ class: "us_only" }) })), "other-class");
  const own = new World();
  own.grants = () => Promise.resolve({ ...own.grant("a"), token: token({ class: "eu_only" }) });
  assert.equal(await reason(own), "answered");
  assert.equal(await with_(grant({ not_after: NOW_S })), "grant-expired");
  assert.equal(await with_((world) => (world.manifest["cells"] = [])), "no-cell");
  assert.equal(await with_((world) => (world.manifest["locales"] = ["fr-FR"])), "page-not-in-manifest");
  assert.equal(await with_((world) => (world.manifest["slots"] = [])), "page-not-in-manifest");
  for (const bad of ["", ".", "..", "a/b", "a?b", "a#b", "a%2fb", "ä", "a b", "a".repeat(257)]) {
    const world = new World();
    const outcome = await world.run(world.page().rank({ locale: "de-DE", slot: bad }));
    assert.deepEqual([outcome.is === "stays" && outcome.reason, world.fetched], ["page-not-in-manifest", []], bad);
  }
});

test("what a grant function gives, or does not, is no reason to throw", async () => {
  const given = async (grants: World["grants"]): Promise<string> => {
    const world = new World();
    world.grants = grants;
    const found = await reason(world);
    assert.deepEqual(world.fetched, []);
    return found;
  };
  const whole = new World().grant("a");
  assert.equal(await given(() => Promise.resolve(null)), "no-grant");
  assert.equal(await given(() => Promise.reject(new Error("down"))), "grant-lost");
  assert.equal(await given(() => assert.fail("thrown, not rejected")), "grant-lost");
  assert.equal(await given(() => new Promise(() => undefined)), "page-limit");
  for (const part of [{ token: "a b" }, { token: "" }, { pin: "a/b" }, { class: ".." }, { home: 1 }, { not_after: "soon" }]) {
    assert.equal(await given(() => Promise.resolve({ ...whole, ...part })), "grant-lost", JSON.stringify(part));
  }
  assert.equal(await given(() => Promise.resolve([])), "grant-lost");
});

test("a grant function that hangs is asked again, and is told that nobody waits", async () => {
  const world = new World();
  const page = world.page();
  const stopped: boolean[] = [];
  world.grants = (_, signal) => new Promise(() => signal.addEventListener("abort", () => stopped.push(true)));
  assert.equal(await reason(world, page), "page-limit");
  assert.equal(await reason(world, page), "page-limit");
  assert.deepEqual([world.asked, stopped], [1, []]);
  await world.clock.pass(10_000);
  world.grants = () => Promise.resolve(world.grant("a"));
  assert.equal(await reason(world, page), "answered");
  assert.deepEqual([world.asked, stopped], [2, [true]]);
});

test("where grant and manifest disagree, both are asked for again", async () => {
  const world = new World();
  const page = world.page();
  const cells = world.manifest["cells"] as { name: string }[];
  world.manifest["cells"] = cells.filter(({ name }) => name !== "a");
  assert.equal(await reason(world, page), "home-not-in-class");
  world.manifest["cells"] = cells;
  assert.equal(await reason(world, page), "answered");
  world.sealed = [{ refused: 403 }, "answer", { refused: 502 }, "answer"];
  for (const [expected, asked, routes] of [["edge-refused", 2, 2], ["answered", 3, 3], ["edge-refused", 3, 3], ["answered", 3, 3]]) {
    assert.equal(await reason(world, page), expected);
    assert.deepEqual([world.asked, world.fetched.filter((path) => path.startsWith("/v1/route")).length], [asked, routes]);
  }
});

test("shelves at the same time share a grant, a manifest and keys; later ones what is held", async () => {
  const world = new World();
  const page = world.page();
  const shelves = await world.run(Promise.all([page.rank(PLACE), page.rank(PLACE, ["1"]), page.rank(PLACE)]));
  assert.deepEqual(shelves.map(({ is }) => is), ["answered", "answered", "answered"]);
  const once = ["/v1/route/eu_only", "/v1/keys/a"];
  assert.deepEqual([world.asked, world.fetched, world.went()], [1, once, ["a", "a", "a"]]);
  assert.equal(await reason(world, page), "answered");
  assert.deepEqual([world.asked, world.fetched], [1, once]);
});

test("a grant is asked for again when it is over, and documents within an hour", async () => {
  const world = new World();
  const page = world.page();
  assert.equal(await reason(world, page), "answered");
  await world.clock.pass(599_000);
  assert.equal(await reason(world, page), "answered");
  assert.equal(world.asked, 1);
  world.grants = () => Promise.resolve(world.grant("a", NOW_S + 86_400));
  await world.clock.pass(1_000);
  assert.equal(await reason(world, page), "answered");
  assert.deepEqual([world.asked, world.fetched.length], [2, 2]);
  await world.clock.pass(2_900_000);
  world.made_s = world.unixSeconds();
  await world.clock.pass(100_000);
  assert.equal(await reason(world, page), "answered");
  assert.deepEqual([world.asked, world.fetched.length], [2, 4]);
});

test("a document that is too late for its page is there for the next call", async () => {
  const world = new World();
  const page = world.page();
  const short = await world.run(page.rank(PLACE, [], 10));
  assert.deepEqual([short.is === "stays" && short.reason, short.ms], ["page-limit", 10]);
  await world.clock.pass(5);
  assert.deepEqual(world.fetched, ["/v1/route/eu_only"], "on its way still");
  assert.equal(await reason(world, page), "answered");
  assert.deepEqual(world.fetched, ["/v1/route/eu_only", "/v1/keys/a"]);
});

test("a page's limit is the manifest's, once that is known", async () => {
  const world = new World();
  const page = world.page();
  world.manifest["clocks"] = { page_limit_ms: 1_500, cell_budget_ms: 120 };
  assert.equal(page.page_limit_ms, 900);
  world.sealed = ["hangs", "hangs"];
  const outcome = await world.run(page.rank(PLACE));
  assert.deepEqual([outcome.ms, page.page_limit_ms], [1_500, 1_500]);
  world.sealed = ["hangs"];
  await world.clock.pass(60_000);
  assert.equal((await world.run(page.rank(PLACE, [], 100))).ms, 100);
});

test("a root that is no key is told to whoever develops the page, and a successor signs as well", async () => {
  const world = new World();
  const { kid, ...unnamed } = JSON.parse(world.root.jwk) as JsonWebKey & { kid: string };
  const renamed = { ...unnamed, kid: "0123456789abcdef" } as JsonWebKey;
  assert.equal(await reason(world, world.page({ roots: ["{", unnamed] })), "manifest-untrusted");
  assert.equal(await reason(world, world.page({ roots: [renamed] })), "manifest-untrusted");
  assert.equal(world.warned.length, 2);
  const other = world.cells[3]?.signer.jwk ?? "";
  assert.equal(await reason(world, world.page({ roots: [other, { ...unnamed, kid } as JsonWebKey] })), "answered");
  assert.equal(world.warned.length, 2);
});
