/**
 * The other direction of the vectors: what this codec seals, for the crates to open.
 *
 * With `DOMICILE_SEALED_OUT=FILE` it writes the cases of tests/vectors/sealed.json's form: `name`, `id`, `kem`, `seed`,
 * `config`, `request`, `message` (the binary HTTP without its padding), `secret` (the export under `message/bhttp
 * response`), `expect`. With `DOMICILE_ANSWERS_IN=FILE` it opens what the crates sealed as answers to those: `name`,
 * `enc`, `secret`, `answer`, `message`, `expect`.
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { hex, utf8 } from "../src/codec/bytes.js";
import { decodeReply, encodeCall } from "../src/client/inner.js";
import type { Call } from "../src/client/inner.js";
import { openAnswer, seal } from "../src/codec/ohttp.js";
import { readConfigs } from "../src/codec/configs.js";
import { fitting, tellingOf, wireEvent } from "../src/events/event.js";
import { encodeResponse } from "./world/messages.js";
import { openRequest, sealAnswer, sealingKey } from "./world/cell.js";
import { fromHex } from "./world/hex.js";
import { NOW_S } from "./world/world.js";

interface Case {
  readonly name: string;
  readonly expect: string;
  readonly message: string;
  readonly secret: string;
}

interface Request extends Case {
  readonly id: number;
  readonly kem: string;
  readonly seed: string;
  readonly config: string;
  readonly request: string;
}

interface Answer extends Case {
  readonly enc: string;
  readonly answer: string;
}

/** A pin of its form, and a token of a token's length. */
const CALLER = { pin: "A".repeat(104), token: `${"t".repeat(120)}.${"u".repeat(200)}.${"v".repeat(86)}`, date_s: NOW_S, budget_ms: 420 };

function events(): Call {
  const told = Array.from({ length: 64 }, (_, at) =>
    wireEvent({ kind: "view", item: `item-${at}` }, `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`, NOW_S) ?? assert.fail());
  const impression = wireEvent({ kind: "impression", rung: "last-good", shown: "late", client_ms: 901 }, "i", NOW_S);
  const all = [impression ?? assert.fail(), ...told];
  return tellingOf(all.slice(0, fitting(all, CALLER.pin, CALLER.token)));
}

const CALLS: Readonly<Record<string, Call>> = {
  "a ranking": { method: "POST", path: "/v1/rank", body: { locale: "de-DE", slot: "home" } },
  "a ranking with anchors": { method: "POST", path: "/v1/rank", body: { locale: "de-DE", slot: "basket", anchor: ["4711", "é\"\\"] } },
  "as many events as fit": events(),
  "an export": { method: "GET", path: "/v1/shopper" },
  "a page of an export": { method: "GET", path: "/v1/shopper?page=czQ3MTE" },
  "an erasure": { method: "DELETE", path: "/v1/shopper" },
};

test("every call is sealed to both curves and opened, and handed to the crates where they ask for it", async () => {
  const [requests, answers]: [Request[], Answer[]] = [[], []];
  for (const kem of ["x25519", "p256"] as const) {
    const key = await sealingKey(7, kem, 7);
    const configs = await readConfigs(Uint8Array.of(0, key.config.length, ...key.config));
    const config = typeof configs === "object" ? configs[0] : undefined;
    assert.ok(config);
    for (const [name, call] of Object.entries(CALLS)) {
      const message = encodeCall(call, CALLER);
      const sealed = await seal(config, message);
      assert.ok(typeof sealed === "object", name);
      const opened = await openRequest(key, sealed.bytes);
      assert.ok(opened);
      const [secret, about] = [hex(opened.secret), { name: `${name} (${kem})`, expect: "ok" }];
      const of = { id: 7, kem, seed: hex(key.seed), config: hex(key.config) };
      requests.push({ ...about, ...of, request: hex(sealed.bytes), message: hex(message), secret });
      const reply = encodeResponse(200, [["content-type", "application/json"]], utf8("{}"));
      const answer = hex(await sealAnswer(opened, reply, 8_192));
      answers.push({ ...about, enc: hex(opened.enc), secret, answer, message: hex(reply) });
    }
  }
  const file = process.env["DOMICILE_SEALED_OUT"];
  if (file !== undefined) {
    const about = "Requests that the browser's codec sealed, in the form of tests/vectors/sealed.json.";
    writeFileSync(file, `${JSON.stringify({ about, now: NOW_S, cases: requests }, null, 1)}\n`);
  }
  const given = process.env["DOMICILE_ANSWERS_IN"];
  const read = given === undefined ? answers : (JSON.parse(readFileSync(given, "utf8")) as { cases: Answer[] }).cases;
  assert.ok(read.length > 0);
  for (const { name, enc, secret, answer, message, expect } of read) {
    const opened = await openAnswer(fromHex(enc), fromHex(secret), fromHex(answer));
    assert.equal(opened === null ? "broken" : "ok", expect, name);
    if (opened !== null) {
      assert.equal(hex(opened).slice(0, message.length), message, name);
      assert.ok(decodeReply(opened), name);
    }
  }
});
