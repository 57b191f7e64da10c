// Which cell is asked, and what the one extra attempt is spent on.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Answered, Domicile, Outcome, Ranking } from "../src/api.js";
import { REQUEST_BYTES } from "../src/codec/ohttp.js";
import { openReceipt } from "../src/trust/receipt.js";
import { readKey } from "../src/trust/key.js";
import type { Bytes } from "../src/codec/bytes.js";
import { LIMIT_MS, PLACE, World } from "./world/world.js";
import type { KeysTrick, Sealed } from "./world/tricks.js";

function rank(world: World, page: Domicile): Promise<Outcome<Ranking>> {
  return world.run(page.rank(PLACE));
}

function answered(outcome: Outcome<Ranking>): Answered<Ranking> {
  return outcome.is === "answered" ? outcome : assert.fail(JSON.stringify(outcome));
}

function reason(outcome: Outcome<unknown>): string {
  return outcome.is === "stays" ? outcome.reason : assert.fail(JSON.stringify(outcome));
}

/** A world and its page, the shopper at home in a cell. */
function at(home: string, world = new World()): { world: World; page: Domicile } {
  world.grants = () => Promise.resolve(world.grant(home));
  return { world, page: world.page() };
}

test("an answer comes with what shows it later", async () => {
  const { world, page } = at("b");
  const answer = answered(await rank(world, page));
  const [posted, ...more] = world.sent();
  assert.ok(posted && more.length === 0);
  assert.deepEqual([answer.cell, answer.extra, posted.cell, posted.body.length], ["b", null, "b", REQUEST_BYTES]);
  assert.deepEqual(answer.value.items.map(({ id, source }) => [id, source]), [["1", "own"]]);
  const { kept } = answer;
  assert.deepEqual(kept.request, posted.body);
  const signer = await readKey(world.cells[1]?.signer.jwk);
  const covered = { request: posted.body, answer: kept.content as Bytes, cell: "b" };
  assert.equal(typeof (await openReceipt(kept.receipt, signer ? [signer] : [], covered)), "object");
});

test("what a cell is asked is what the page said, by the cell's clock, with what is left of the time", async () => {
  const { world, page } = at("a");
  answered(await world.run(page.rank(PLACE, Array.from({ length: 40 }, (_, at) => String(at)))));
  const [{ request } = assert.fail()] = world.opened;
  const anchor = Array.from({ length: 32 }, (_, at) => String(at));
  assert.deepEqual(request.body, { locale: "de-DE", slot: "home", anchor });
  assert.deepEqual([request.method, request.path], ["POST", "/v1/rank"]);
  assert.deepEqual(Object.fromEntries(request.fields), {
    "content-type": "application/json",
    "domicile-pin": "PIN",
    authorization: "Bearer aa.bb.cc",
    date: "Fri, 15 Jan 2027 08:00:00 GMT",
    // 900 ms, less a fetch of 20 ms, halved for another cell, less another fetch.
    "domicile-budget-ms": "420",
  });
});

test("a direct cell is asked at its own origin", async () => {
  const { world, page } = at("a", new World({ cells: ["a", "b"], direct: ["a"] }));
  assert.equal(answered(await rank(world, page)).cell, "a");
  world.sealed = [{ fallback: "" }];
  const second = answered(await rank(world, page));
  assert.deepEqual([second.cell, second.extra], ["b", "cell-busy"]);
});

const FAILURES: readonly Sealed[] = [
  { fallback: "cell-failed" }, { fallback: "cell-busy" }, { fallback: "page-limit" }, { problem: "late" },
  { problem: "store-failed" }, { problem: "cell-not-in-class" }, { problem: "unknown-class" }, "lost", "hangs",
  "wrong-type", "wrong-size", "truncated", "no-outcome", "two-outcomes", "disguised", "noise", "plain", "flipped",
  "no-receipt", "forged-receipt", "other-receipt", "old-receipt",
  "other-boundary", "other-class",
];
for (const trick of FAILURES) {
  test(`a cell that fails is followed by the next of its class, once: ${JSON.stringify(trick)}`, async () => {
    const { world, page } = at("b");
    world.sealed = [trick];
    const answer = answered(await rank(world, page));
    assert.deepEqual([answer.cell, world.went()], ["a", ["b", "a"]]);
    assert.notEqual(answer.extra, null);
    const again = at("b");
    again.world.sealed = [trick, trick, trick];
    const outcome = await rank(again.world, again.page);
    assert.notEqual(outcome.is, "answered");
    assert.deepEqual(again.world.went(), ["b", "a"], "two attempts and no third");
  });
}

for (const trick of [{ problem: "unknown-item" }, { fallback: "too-large" }] satisfies Sealed[]) {
  test(`what another cell would say as well ends the call: ${JSON.stringify(trick)}`, async () => {
    const { world, page } = at("a");
    world.sealed = [trick];
    const outcome = await rank(world, page);
    assert.equal(outcome.is, "problem" in trick ? "refused" : "stays");
    assert.deepEqual([world.went(), world.asked], [["a"], 1]);
    answered(await rank(world, page));
    assert.equal(world.asked, 1, "the grant is not to blame");
  });
}

for (const trick of [{ problem: "token-expired" }, { problem: "pin-expired" }, { refused: 403 }] satisfies Sealed[]) {
  test(`a grant that is refused is asked for again by the next call: ${JSON.stringify(trick)}`, async () => {
    const { world, page } = at("a");
    world.sealed = [trick];
    const outcome = await rank(world, page);
    assert.deepEqual([world.went(), world.asked], [["a"], 1]);
    if (outcome.is === "stays") {
      assert.deepEqual(outcome.edge, { status: 403, code: "pin-expired" });
    }
    answered(await rank(world, page));
    assert.equal(world.asked, 2);
  });
}

for (const trick of ["missing", "lost", "hangs"] satisfies KeysTrick[]) {
  test(`a cell whose keys cannot be had is followed by the next: ${trick}`, async () => {
    const { world, page } = at("a");
    world.keys = { a: trick };
    const answer = answered(await rank(world, page));
    assert.deepEqual([answer.cell, answer.extra, world.went()], ["b", "keys-lost", ["b"]]);
  });
}

test("a key that is over is fetched past the caches, once, and kept", async () => {
  const { world, page } = at("a");
  world.keys = { a: "cached" };
  const answer = answered(await rank(world, page));
  assert.deepEqual([answer.cell, answer.extra, world.went()], ["a", "key-refused", ["a", "a"]]);
  assert.deepEqual(world.fetched, ["/v1/route/eu_only", "/v1/keys/a", "/v1/keys/a past caches"]);
  assert.equal(answered(await rank(world, page)).extra, null);
});

test("a key that is refused and still the cell's own leaves the attempt to another cell", async () => {
  const { world, page } = at("a");
  world.sealed = [{ fallback: "key-refused" }];
  assert.deepEqual([answered(await rank(world, page)).cell, world.went()], ["b", ["a", "b"]]);
  const alone = at("a", new World({ cells: ["a"] }));
  alone.world.sealed = [{ fallback: "key-refused" }, { fallback: "key-refused" }];
  assert.deepEqual([reason(await rank(alone.world, alone.page)), alone.world.went()], ["key-refused", ["a"]]);
});

test("a cell that refuses its new keys as well is left alone", async () => {
  const { world, page } = at("a");
  world.keys = { a: "cached" };
  world.sealed = ["answer", { fallback: "key-refused" }];
  assert.deepEqual([reason(await rank(world, page)), world.went()], ["key-refused", ["a", "a"]]);
  assert.deepEqual([answered(await rank(world, page)).cell, world.went()], ["b", ["b"]]);
});

test("a cell that had less time than the edge gives it is not to blame", async () => {
  for (const [limit, ended, next] of [[300, "stays", "a"], [800, "answered", "b"]] as const) {
    const { world, page } = at("a", new World({ cells: ["a", "b"] }));
    answered(await rank(world, page));
    world.sealed = ["hangs"];
    assert.equal((await world.run(page.rank(PLACE, [], limit))).is, ended);
    world.went();
    await rank(world, page);
    assert.equal(world.went()[0], next, `after ${limit} ms`);
  }
});

test("a clock that is off costs one attempt and is known from then on", async () => {
  const { world, page } = at("a");
  world.cells.forEach((cell) => {
    cell.ahead_s = 300;
  });
  assert.equal(answered(await rank(world, page)).extra, "date-skew");
  assert.deepEqual(world.went(), ["a", "a"]);
  assert.equal(answered(await rank(world, page)).extra, null);
  // A cell that never agrees is refused, not asked for ever.
  world.sealed = [{ problem: "date-skew" }, { problem: "date-skew" }];
  world.went();
  const outcome = await rank(world, page);
  assert.deepEqual([outcome.is, world.went()], ["refused", ["a", "a"]]);
});

test("a dead cell is left alone for a time that grows", async () => {
  const { world, page } = at("a", new World({ cells: ["a", "b"] }));
  world.draw = 0;
  world.sealed = [{ fallback: "cell-failed" }];
  assert.equal(answered(await rank(world, page)).cell, "b");
  world.went();
  assert.equal(answered(await rank(world, page)).cell, "b");
  assert.deepEqual(world.went(), ["b"], "nobody asks the dead one");
  await world.clock.pass(500);
  world.sealed = [{ fallback: "cell-failed" }];
  assert.equal(answered(await rank(world, page)).cell, "b");
  assert.deepEqual(world.went(), ["a", "b"], "it is tried again");
  await world.clock.pass(900);
  assert.equal(answered(await rank(world, page)).cell, "b");
  await world.clock.pass(100);
  assert.equal(answered(await rank(world, page)).cell, "a", "after twice the time");
  world.went();

  world.sealed = [{ fallback: "cell-failed" }, { fallback: "cell-failed" }];
  assert.equal(reason(await rank(world, page)), "cell-failed");
  assert.deepEqual(world.went(), ["a", "b"]);
  assert.equal(reason(await rank(world, page)), "backing-off");
  assert.deepEqual(world.went(), [], "while both are left alone, nothing is sent");
  assert.equal(answered(await rank(world, world.page())).cell, "a", "another page knows nothing of it");
});

test("a hint is followed by its fraction, for its time, and within the class", async () => {
  const { world, page } = at("a");
  const cell = async (draw: number): Promise<string> => {
    world.draw = draw;
    return answered(await rank(world, page)).cell;
  };
  world.sealed = [{ steers: "c" }];
  assert.equal(await cell(0), "a");
  assert.equal(await cell(0.499), "c");
  assert.equal(await cell(0.5), "a");
  await world.clock.pass(30_000);
  assert.equal(await cell(0), "a");
  world.sealed = [{ steers: "us" }];
  assert.deepEqual([await cell(0), await cell(0)], ["a", "a"]);
  assert.ok(!world.went().includes("us"));
});

test("a call ends at the page's limit and keeps half of it for another cell", async () => {
  const { world, page } = at("a");
  world.sealed = ["hangs", "hangs"];
  const outcome = await rank(world, page);
  assert.deepEqual([reason(outcome), outcome.ms], ["page-limit", LIMIT_MS]);
  // The first has half of what a fetch of 20 ms leaves, the second what is left after its keys.
  assert.deepEqual(world.sent().map(({ at }) => at), [40, 480]);
});

test("either of a cell's two keys signs, where the manifest names both", async () => {
  const { world, page } = at("a", new World({ next: true }));
  world.keys = { a: "by-next" };
  world.sealed = ["by-next"];
  assert.deepEqual([answered(await rank(world, page)).cell, world.went()], ["a", ["a"]]);
  const without = at("a");
  without.world.keys = { a: "by-next" };
  assert.equal(reason(await rank(without.world, without.page)), "keys-untrusted");
});

test("an answer need not have the manifest's size", async () => {
  const { world, page } = at("a");
  world.sealed = ["other-size"];
  assert.deepEqual([answered(await rank(world, page)).cell, world.went()], ["a", ["a"]]);
});

test("without X25519 it is sealed to the P-256 key, and without either nothing is", async () => {
  const { world, page } = at("a", new World({ kems: ["p256"] }));
  answered(await rank(world, page));
  assert.deepEqual([...(world.sent()[0]?.body.slice(0, 3) ?? [])], [2, 0, 0x10]);
  const bare = at("a", new World({ kems: [] }));
  assert.equal(reason(await rank(bare.world, bare.page)), "no-crypto");
  assert.deepEqual([bare.world.asked, bare.world.fetched], [0, []]);
});
