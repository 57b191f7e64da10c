// Whatever the edge does. Cases are drawn from seeds; a failure names the seed that plays it again.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Domicile } from "../src/api.js";
import { REQUEST_BYTES } from "../src/codec/ohttp.js";
import { Chance } from "./world/chance.js";
import { KEYS, ROUTES, SEALED } from "./world/tricks.js";
import type { KeysTrick, Route, Sealed } from "./world/tricks.js";
import { LIMIT_MS, PLACE, World } from "./world/world.js";

const CASES = 120;
const CLASS = ["a", "b", "c"] as const;
const CODES = ["late", "date-skew", "token-expired", "unknown-item", "replayed", "cell-not-in-class", "events-invalid", "nonsense"];
const REASONS = ["key-refused", "too-large", "cell-busy", "cell-failed", "page-limit", "relayed", ""];

function route(chance: Chance): Route {
  return chance.below(12) < 8 ? "good" : chance.pick(ROUTES);
}

function keys(chance: Chance): KeysTrick {
  return chance.below(5) < 3 ? "good" : chance.pick(KEYS);
}

function sealed(chance: Chance): Sealed {
  switch (chance.below(7)) {
    case 0:
      return "answer";
    case 1:
      return { steers: chance.pick(["a", "c", "us", "nobody"]) };
    case 2:
      return { problem: chance.pick(CODES) };
    case 3:
      return { fallback: chance.pick(REASONS) };
    case 4:
      return { refused: 300 + chance.below(300) };
    default:
      return chance.pick(SEALED);
  }
}

/** Whether a client may take it for a cell's answer. A direct cell has no outcome that could be wrong. */
function isAnswer(trick: Sealed, direct: boolean, next: boolean): boolean {
  if (typeof trick === "object") {
    return "steers" in trick;
  }
  const outcome = ["no-outcome", "two-outcomes", "disguised"].includes(trick);
  return ["answer", "other-size"].includes(trick) || (trick === "by-next" && next) || (outcome && direct);
}

/** Makes a call; whether it was a success, and of which cell where that is known. */
async function made(world: World, page: Domicile, call: string): Promise<{ done: boolean; cell: string | null }> {
  if (call === "events") {
    page.tell({ kind: "view", item: "1" }, "de-DE");
    const left = await world.run(page.flush());
    page.logout();
    return { done: left === 0 && page.dropped === 0, cell: null };
  }
  const outcome = await world.run<{ is: string; cell?: string }>(call === "rank" ? page.rank(PLACE) : page.erase("de-DE"));
  return { done: outcome.is === "answered", cell: outcome.cell ?? null };
}

for (let seed = 1; seed <= CASES; seed += 1) {
  test(`no other cell, no third attempt, no false success, no unverified key: ${seed}`, async () => {
    const chance = new Chance(seed);
    const direct = chance.pick(["", "a", "b"]);
    const next = chance.below(2) === 0;
    const world = new World({ cells: CLASS, direct: [direct], next, seed, kems: chance.pick([["x25519", "p256"], ["p256"]]) });
    const home = chance.pick(CLASS);
    world.route = route(chance);
    world.keys = Object.fromEntries(["a", "b", "c", "us"].map((cell) => [cell, keys(chance)]));
    world.grants = () => Promise.resolve(world.grant(home));
    const tricks = Array.from({ length: chance.below(8) }, () => sealed(chance));
    world.sealed = [...tricks];
    const page = world.page();
    for (let calls = 1 + chance.below(3); calls > 0; calls -= 1) {
      const call = chance.pick(["rank", "events", "erasure"]);
      const begun = world.now();
      const { done, cell } = await made(world, page, call);
      const posted = world.sent();
      const played = posted.map(() => tricks.shift() ?? "answer");

      assert.ok(call !== "rank" || world.now() - begun <= LIMIT_MS, "a page never waits past its limit");
      assert.ok(posted.length <= 2, "two attempts at most");
      for (const { cell, body } of posted) {
        assert.ok((CLASS as readonly string[]).includes(cell), `${cell} is no cell of the class`);
        assert.equal(body.length, REQUEST_BYTES);
        assert.ok(["good", "rolled-back"].includes(world.route), `sealed under ${world.route}`);
        const trick = world.keys[cell];
        const sound = trick === "good" || trick === "cached" || (trick === "by-next" && next);
        assert.ok(sound, `sealed to ${trick}`);
        // To the cell's own key, or to one that was its own: never to another cell's, or the edge's.
        const side = world.cells.find(({ name }) => name === cell);
        assert.ok(trick === "cached" || (await side?.open(body)), "its own key");
      }
      assert.ok(call !== "erasure" || posted.every(({ cell }) => cell === home), "nobody stands in");
      if (done) {
        const [trick, last] = [played.at(-1), posted.at(-1)];
        assert.ok(trick && last && isAnswer(trick, last.cell === direct, next), `${JSON.stringify(trick)} is no success`);
        assert.equal(cell ?? last.cell, last.cell);
      }
      assert.deepEqual([...world.stored.keys()].filter((name) => name !== "domicile.seen"), []);
      await world.clock.pass(chance.below(3) * 1_000);
      // What still is told after a call that failed is another one's.
      world.sent().forEach(() => tricks.shift());
    }
  });
}
