// The repository's vectors (tests/vectors/), good and bad: all that a client has to answer.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { hex, utf8 } from "../src/codec/bytes.js";
import { decodeResponse } from "../src/codec/bhttp.js";
import { readConfigs } from "../src/codec/configs.js";
import type { Kem } from "../src/codec/configs.js";
import { ANSWER_LABEL, REQUEST_BYTES, openAnswer, requestInfo, suite } from "../src/codec/ohttp.js";
import { openManifest } from "../src/trust/manifest.js";
import { openReceipt } from "../src/trust/receipt.js";
import { openStatement } from "../src/trust/statement.js";
import { readKey } from "../src/trust/key.js";
import type { VerifyingKey } from "../src/trust/key.js";
import { fromHex } from "./world/hex.js";

type Case = Readonly<Record<string, string>> & { readonly name: string; readonly expect: string };

function vectors(file: string): { now: number; cases: Case[] } {
  return JSON.parse(readFileSync(`../../tests/vectors/${file}.json`, "utf8")) as { now: number; cases: Case[] };
}

/** A member that a case has to have. */
function of(given: Case, name: string): string {
  const value = given[name];
  assert.ok(value !== undefined, `${given.name} has no ${name}`);
  return value;
}

async function key(jwk: string): Promise<VerifyingKey> {
  const read = await readKey(jwk);
  assert.ok(read);
  return read;
}

/** Runs every case, and fails on a file without any. */
function each(file: string, run: (given: Case, now: number) => Promise<string>): void {
  const { now, cases } = vectors(file);
  test(`${file}: there are cases`, () => assert.ok(cases.length > 5));
  for (const given of cases) {
    test(`${file}: ${given.name}`, async () => assert.equal(await run(given, now), given.expect));
  }
}

each("key-configs", async (given) => {
  const read = await readConfigs(fromHex(of(given, "list")));
  return typeof read === "string" ? read : read.map(({ id, kem }) => `${id}:${kem}`).join(" ");
});

each("manifests", async (given, now_s) => {
  const roots = await Promise.all((given["roots"] as unknown as string[]).map(key));
  const trust = { roots, seen: given["seen"] as unknown as number, now_s };
  const read = await openManifest(of(given, "envelope"), of(given, "class"), trust);
  return typeof read === "string" ? read : "ok";
});

each("key-statements", async (given, now_s) => {
  const signers = [await key(of(given, "key"))];
  const read = await openStatement(of(given, "envelope"), of(given, "cell"), signers, now_s);
  return typeof read === "string" ? read : "ok";
});

each("receipts", async (given) => {
  const [request, answer] = [utf8(of(given, "request")), utf8(of(given, "answer"))];
  const covered = { request, answer, cell: of(given, "cell") };
  const read = await openReceipt(of(given, "envelope"), [await key(of(given, "key"))], covered);
  return typeof read === "string" ? read : "ok";
});

const { cases } = vectors("sealed");
for (const given of cases.filter((given) => "answer" in given)) {
  test(`sealed: ${given.name}`, async () => {
    const opened = await openAnswer(fromHex(of(given, "enc")), fromHex(of(given, "secret")), fromHex(of(given, "answer")));
    assert.equal(opened === null ? "broken" : "ok", given.expect);
    if (opened !== null) {
      const message = of(given, "message");
      assert.equal(hex(opened).slice(0, message.length), message);
      assert.equal(decodeResponse(opened)?.status, 200);
      const padding = opened.slice(message.length / 2);
      assert.ok(padding.every((byte) => byte === 0));
    }
  });
}

// The cell's side of a request, with what the client's codec is made of: one suite, one info, one label.
for (const given of cases.filter((given) => "request" in given && given.expect === "ok")) {
  test(`sealed: ${given.name}, with the client's constants`, async () => {
    const [configs, request] = [fromHex(of(given, "config")), fromHex(of(given, "request"))];
    const [config] = await readConfigs(Uint8Array.of(0, configs.length, ...configs));
    assert.ok(typeof config === "object" && request.length === REQUEST_BYTES);
    assert.equal(hex(request.slice(0, 7)), hex(config.header));
    const hpke = suite(of(given, "kem") as Kem);
    const pair = await hpke.DeriveKeyPair(fromHex(of(given, "seed")), true);
    assert.equal(hex(await hpke.SerializePublicKey(pair.publicKey)), hex(config.publicKey));
    const end = 7 + config.publicKey.length;
    const context = await hpke.SetupRecipient(pair, request.slice(7, end), { info: requestInfo(config.header) });
    const message = of(given, "message");
    assert.equal(hex(await context.Open(request.slice(end))).slice(0, message.length), message);
    assert.equal(hex(await context.Export(ANSWER_LABEL, 16)), of(given, "secret"));
  });
}
