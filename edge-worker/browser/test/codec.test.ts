// The codec against the RFCs' own examples, and against whatever bytes come.
import { test } from "node:test";
import assert from "node:assert/strict";
import { base64, fromBase64, fromBase64Url, hex, text, utf8 } from "../src/codec/bytes.js";
import type { Bytes } from "../src/codec/bytes.js";
import { decodeResponse, encodeRequest } from "../src/codec/bhttp.js";
import { readConfigs } from "../src/codec/configs.js";
import { fromHttpDate, fromRfc3339, httpDate } from "../src/codec/date.js";
import { ANSWER_LABEL, REQUEST_BYTES, openAnswer, requestInfo, room, seal, suite } from "../src/codec/ohttp.js";
import { decodeReply, encodeCall } from "../src/client/inner.js";
import { readSteer } from "../src/client/steer.js";
import { fitting, wireEvent } from "../src/events/event.js";
import { openRequest, sealAnswer, sealingKey } from "./world/cell.js";
import { Chance } from "./world/chance.js";
import { fromHex } from "./world/hex.js";
import { decodeRequest, encodeResponse } from "./world/messages.js";

test("RFC 9458, appendix A: the request is opened and the answer too", async () => {
  const suites = "0008000100010001" + "0003";
  const config = fromHex(`01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e798155${suites}`);
  const read = await readConfigs(Uint8Array.of(0, config.length, ...config));
  assert.ok(typeof read === "object" && read[0]);
  assert.deepEqual([read[0].id, read[0].kem, hex(read[0].header)], [1, "x25519", "01002000010001"]);

  const request = fromHex(
    "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525",
  );
  const hpke = suite("x25519");
  const secretKey = await hpke.DeserializePrivateKey(
    fromHex("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a"), true,
  );
  const pair = { privateKey: secretKey, publicKey: await hpke.DeserializePublicKey(read[0].publicKey) };
  const enc = request.slice(7, 39);
  const context = await hpke.SetupRecipient(pair, enc, { info: requestInfo(read[0].header) });
  const message = await context.Open(request.slice(39));
  assert.equal(hex(message), "00034745540568747470730b6578616d706c652e636f6d012f");
  const secret = (await context.Export(ANSWER_LABEL, 16)) as Bytes;
  const opened = await openAnswer(enc, secret, fromHex("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd"));
  assert.ok(opened);
  assert.equal(hex(opened), "0140c8");
  assert.deepEqual(decodeResponse(opened), { status: 200, fields: [], content: new Uint8Array() });
});

test("RFC 9292, section 5: an informational response before the final one", () => {
  const names = ["running", '"sleep 15"', "link", "</style.css>; rel=preload; as=style"];
  const field = (name: string, value: string): readonly number[] =>
    [name, value].flatMap((part) => [part.length, ...utf8(part)]);
  const section = (fields: readonly number[]): readonly number[] => [0x40, fields.length, ...fields];
  const [a = "", b = "", c = "", d = ""] = names;
  const bytes = Uint8Array.of(
    1, 0x40, 102, ...section(field(a, b)), 0x40, 103, ...section(field(c, d)), 0x40, 200,
    ...section(field("date", "Mon, 27 Jul 2009 12:28:53 GMT")), 3, ...utf8("one"), 0, 0, 0,
  );
  const read = decodeResponse(bytes);
  assert.deepEqual([read?.status, read?.fields, text(read?.content ?? bytes)], [200, [["date", "Mon, 27 Jul 2009 12:28:53 GMT"]], "one"]);
});

test("a request is what a cell reads", () => {
  const content = utf8(JSON.stringify("x".repeat(20_000)));
  const message = encodeRequest("POST", "/v1/rank", [["domicile-pin", "p".repeat(100)]], content);
  const read = decodeRequest(message);
  assert.deepEqual([read.method, read.path, [...read.fields]], ["POST", "/v1/rank", [["domicile-pin", "p".repeat(100)]]]);
  assert.equal(read.body, "x".repeat(20_000), "a length of four bytes");
});

test("each other shape of a response is refused", () => {
  const good = encodeResponse(200, [["date", "x"]], utf8("{}"));
  const with_ = (at: number, byte: number): Bytes => good.map((old, place) => (place === at ? byte : old));
  assert.ok(decodeResponse(good));
  assert.ok(decodeResponse(Uint8Array.of(...good, 0, 0, 0)));
  assert.equal(decodeResponse(Uint8Array.of(...good, 0, 1)), null, "padding that is not zeros");
  for (const indicator of [0, 2, 3, 9]) {
    assert.equal(decodeResponse(with_(0, indicator)), null, `framing indicator ${indicator}`);
  }
  assert.equal(decodeResponse(new Uint8Array()), null);
  for (let end = 1; end < good.length; end += 1) {
    const cut = decodeResponse(good.slice(0, end));
    // Whole sections may be missing at the end, and then are empty.
    assert.ok(cut === null || [3, 20, 26].includes(end), `cut at ${end}`);
  }
  assert.equal(decodeResponse(encodeResponse(200, [["Date", "x"]], utf8(""))), null, "an upper-case name");
  assert.equal(decodeResponse(encodeResponse(200, [["", "x"]], utf8(""))), null, "no name");
  const crowd = Array.from({ length: 65 }, () => ["x", ""] as const);
  assert.equal(decodeResponse(encodeResponse(200, crowd, utf8(""))), null, "too many fields");
  assert.ok(decodeResponse(encodeResponse(200, crowd.slice(1), utf8(""))));
  assert.equal(decodeResponse(encodeResponse(600, [], utf8(""))), null, "no status");
  assert.equal(decodeResponse(new Uint8Array(256 * 1_024 + 1)), null, "too long");
});

test("any bytes are read or refused, and an altered answer too", async () => {
  const chance = new Chance(7);
  const good = encodeResponse(200, [["date", "Fri, 15 Jan 2027 08:00:00 GMT"], ["domicile-receipt", "e30"]], utf8("{}"));
  for (let round = 0; round < 3_000; round += 1) {
    const bytes = Uint8Array.from({ length: chance.below(80) }, () => chance.below(256));
    decodeReply(bytes);
    await readConfigs(bytes);
    const altered = good.slice();
    altered[chance.below(altered.length)] = chance.below(256);
    decodeReply(altered.slice(0, chance.below(altered.length + 1)));
  }
});

for (const kem of ["x25519", "p256"] as const) {
  test(`what is sealed to ${kem} has one size, opens at the cell, and its answer here`, async () => {
    const [key, other] = [await sealingKey(7, kem, 1), await sealingKey(7, kem, 2)];
    const read = await readConfigs(Uint8Array.of(0, key.config.length, ...key.config));
    const [config] = typeof read === "object" ? read : assert.fail();
    assert.ok(config);
    for (const length of [0, 1, 1_000, room(kem)]) {
      const message = new Uint8Array(length).fill(length & 0xff);
      const sealed = await seal(config, message);
      assert.ok(typeof sealed === "object");
      assert.equal(sealed.bytes.length, REQUEST_BYTES);
      const opened = await openRequest(key, sealed.bytes);
      assert.ok(opened);
      assert.deepEqual([opened.message.length, hex(opened.message.slice(0, length))], [room(kem), hex(message)]);
      assert.equal(await openRequest(other, sealed.bytes), null);
      const answer = await sealAnswer(opened, utf8("answer"), 8_192);
      assert.equal(text((await sealed.open(answer))?.slice(0, 6) ?? new Uint8Array()), "answer");
      answer[8_000] = (answer[8_000] ?? 0) ^ 1;
      assert.equal(await sealed.open(answer), null);
      assert.equal(await sealed.open(new Uint8Array()), null);
    }
    assert.equal(await seal(config, new Uint8Array(room(kem) + 1)), "too-long");
    const again = await Promise.all([seal(config, new Uint8Array()), seal(config, new Uint8Array())]);
    const [a, b] = again.map((sealed) => (typeof sealed === "object" ? hex(sealed.bytes.slice(7, 39)) : assert.fail()));
    assert.notEqual(a, b, "each request is a context of its own");
  });
}

test("nothing is sealed to a point of low order", async () => {
  const config = { id: 1, kem: "x25519", publicKey: new Uint8Array(32), header: fromHex("01002000010001") } as const;
  assert.equal(await seal(config, new Uint8Array()), "key");
});

test("one text for one value", () => {
  assert.deepEqual([fromBase64("AA=="), fromBase64("AB=="), fromBase64("AA"), fromBase64(" AA=="), fromBase64("A")],
    [Uint8Array.of(0), null, null, null, null]);
  assert.deepEqual([fromBase64Url("_-8"), fromBase64Url("_-9"), fromBase64Url("/+8"), fromBase64Url("AA=="), fromBase64Url("A")],
    [Uint8Array.of(0xff, 0xef), null, null, null, null]);
  const chance = new Chance(3);
  for (let length = 0; length < 50; length += 1) {
    const bytes = Uint8Array.from({ length }, () => chance.below(256));
    assert.deepEqual(fromBase64(base64(bytes)), bytes);
    assert.deepEqual(fromBase64Url(Buffer.from(bytes).toString("base64url")), bytes);
  }
  assert.equal(text(Uint8Array.of(0xff)), null);
  assert.equal(text(utf8("\ufeffa")), "\ufeffa", "a mark at the beginning is part of the text");
});

test("one form of each time is read", () => {
  assert.equal(httpDate(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
  assert.equal(fromHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), 784_111_777);
  for (const bad of ["Mon, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37 +0000", " Sun, 06 Nov 1994 08:49:37 GMT", "784111777", ""]) {
    assert.equal(fromHttpDate(bad), null, bad);
  }
  assert.equal(fromRfc3339("2027-01-15T08:00:00Z"), 1_800_000_000);
  assert.equal(fromRfc3339("2027-01-15T08:00:00.5Z"), 1_800_000_000);
  for (const bad of ["2027-02-30T08:00:00Z", "2027-13-01T08:00:00Z", "2027-01-15", "2027-01-15T08:00:00", "soon", "2027-01-15T25:00:00Z", ""]) {
    assert.equal(fromRfc3339(bad), null, bad);
  }
});

test("one form of a hint is read", () => {
  const steer = (fraction: number): object => ({ cell: "eu-b", seconds: 30, fraction });
  for (const [text, fraction] of [["1", 1], ["0", 0], ["0.5", 0.5], ["0.001", 0.001]] as const) {
    assert.deepEqual(readSteer(`cell=eu-b; seconds=30; fraction=${text}`), steer(fraction));
  }
  for (const bad of ["", "cell=eu-b", "cell=eu-b; seconds=30; fraction=2", "cell=eu-b; seconds=30; fraction=0.0001",
    "cell=eu-b; seconds=3601; fraction=1", "cell=eu-b; seconds=+3; fraction=1", "cell=; seconds=30; fraction=1",
    "cell=../x; seconds=30; fraction=1", "cell=eu-b; seconds=30; fraction=1; more=1"]) {
    assert.equal(readSteer(bad), null, bad);
  }
});

test("what is said to fit a request fits, and one more event would not", () => {
  const chance = new Chance(11);
  for (let round = 0; round < 200; round += 1) {
    const [pin, token] = ["p".repeat(104), "t".repeat(1 + chance.below(2_048))];
    const events = Array.from({ length: 1 + chance.below(120) }, () =>
      wireEvent({ kind: "purchase", item: "x".repeat(1 + chance.below(64)) }, "i".repeat(36), 1_800_000_000) ?? assert.fail());
    const count = fitting(events, pin, token);
    const length = (count: number): number =>
      encodeCall({ method: "POST", path: "/v1/events", body: { events: events.slice(0, count) } },
        { pin, token, date_s: 1_800_000_000, budget_ms: 10_000 }).length;
    assert.ok(count >= 1 && count <= 64 && length(count) <= room("p256"));
    assert.ok(count === events.length || count === 64 || length(count + 1) + 64 > room("p256"));
  }
});
