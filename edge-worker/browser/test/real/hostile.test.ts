// A hostile edge before the real one: whatever it alters, nothing is sealed for it, and the list stays.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { sealingKey } from "../world/cell.js";
import { newSigner, signerOf } from "../world/signer.js";
import { isSealed } from "./between.js";
import type { Came, Trick } from "./between.js";
import { world } from "./stage.js";
import { ids, moment, moments, personal } from "./world.js";

/** The demo's root key: published, and no use beyond loopback. */
const ROOT = JSON.parse(readFileSync("../../deploy/demo/keys/root.jwk", "utf8")) as JsonWebKey;
const ROUTE = "application/vnd.domicile.route+json";
const KEYS = "application/vnd.domicile.seal-keys+json";

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Alters answers to paths that begin so. */
function altering(path: string, alter: (text: string) => string | Promise<string>): Trick {
  return async (asked, pass) => {
    const came = await pass();
    const isMeant = asked.path.startsWith(path) && came.status === 200;
    return isMeant ? { ...came, body: Buffer.from(await alter(came.body.toString())) } : came;
  };
}

const opened = (envelope: string): Record<string, unknown> => JSON.parse(Buffer.from((JSON.parse(envelope) as Envelope).payload, "base64").toString()) as Record<string, unknown>;
const turned = (base64: string, at: number): string => {
  const bytes = Buffer.from(base64, "base64");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString("base64");
};
const inEnvelope = (change: (envelope: Envelope) => Envelope) => (text: string): string => JSON.stringify(change(JSON.parse(text) as Envelope));

/** The real statement, of keys that the edge has the secret halves of. */
async function swapped(text: string): Promise<unknown> {
  const configs = [await sealingKey(1, "x25519", 1), await sealingKey(2, "p256", 2)].map(({ config }) => Buffer.from([config.length >> 8, config.length & 255, ...config]));
  return { ...opened(text), configs: Buffer.concat(configs).toString("base64") };
}

const TRICKS: readonly (readonly [what: string, reason: string, trick: Trick])[] = [
  ["turns a bit of the manifest", "manifest-untrusted", altering("/v1/route/", inEnvelope((one) => {
    // Of a digit of a time: it is still JSON, and of its form.
    const said = Buffer.from(one.payload, "base64").toString();
    return { ...one, payload: Buffer.from(said.replace(/("not_after": "\d{3})\d/, "$19")).toString("base64") };
  }))],
  ["turns a bit of its signature", "manifest-untrusted", altering("/v1/route/", inEnvelope((one) => {
    return { ...one, signatures: one.signatures.map(({ keyid, sig }) => ({ keyid, sig: turned(sig, 63) })) };
  }))],
  ["signs a manifest with a key of its own", "manifest-untrusted", altering("/v1/route/", async (text) => (await newSigner()).sign(ROUTE, opened(text)))],
  ["hands out another class's manifest", "other-class", async (asked, pass) => {
    const came = await pass();
    return asked.path === "/v1/route/eu_only" ? { ...came, body: await fetched("/v1/route/us_only") } : came;
  }],
  ["swaps the cell's keys, unsigned", "keys-untrusted", altering("/v1/keys/", async (text) => {
    const payload = Buffer.from(JSON.stringify(await swapped(text))).toString("base64");
    return JSON.stringify({ payload, payloadType: KEYS, signatures: [] });
  })],
  ["swaps the cell's keys under the real signature", "keys-untrusted", altering("/v1/keys/", async (text) => {
    const payload = Buffer.from(JSON.stringify(await swapped(text))).toString("base64");
    return JSON.stringify({ ...(JSON.parse(text) as Envelope), payload });
  })],
  ["swaps the cell's keys, signed with a key of its own", "keys-untrusted", altering("/v1/keys/", async (text) => (await newSigner()).sign(KEYS, await swapped(text)))],
  ["swaps the cell's keys, signed with a key of its own under the cell's name", "keys-untrusted", altering("/v1/keys/", async (text) => {
    const keyid = (JSON.parse(text) as Envelope).signatures[0]?.keyid ?? "";
    const signed = JSON.parse(await (await newSigner()).sign(KEYS, await swapped(text))) as Envelope;
    return JSON.stringify({ ...signed, signatures: signed.signatures.map(({ sig }) => ({ keyid, sig })) });
  })],
  ["hands out another cell's keys", "keys-untrusted", async (asked, pass) => {
    const came = await pass();
    return asked.path === "/v1/keys/eu-a" ? { ...came, body: await fetched("/v1/keys/eu-b") } : came;
  }],
];

/** From the real edge. */
async function fetched(path: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${world.demo.setup.edge}${path}`)).arrayBuffer());
}

for (const [what, reason, trick] of TRICKS) {
  test(`an edge that ${what}: ${reason}, the list stays, and no sealed request leaves the page`, async () => {
    await world.visit(async (context) => {
      await world.login(context, world.demo.household("de-DE", "eu-a"));
      world.edge.trick = trick;
      const page = await world.plain(context, "de-DE");
      await moment(page, "domicile-list");
      assert.equal((await moment(page, "domicile-stays")).reason, reason);
      assert.equal(world.edge.sealed.length, 0);
      const listed = JSON.parse((await fetched("/v1/shelf/de-DE/home")).toString()) as { items: { id: string }[] };
      assert.deepEqual(await ids(page), listed.items.map(({ id }) => id));
    });
  });
}

test("an edge that rolls the manifest back to one that is older than the page has seen: the list stays, nothing is sealed", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    // The retailer signs the next version, and one page sees it.
    world.edge.trick = altering("/v1/route/", async (text) => {
      const said = opened(text);
      return (await signerOf(ROOT)).sign(ROUTE, { ...said, version: Number(said["version"]) + 1 });
    });
    const first = await world.plain(context, "de-DE");
    await personal(first);
    const real = opened((await fetched("/v1/route/eu_only")).toString());
    const seen = await first.evaluate(() => localStorage.getItem("domicile.seen"));
    assert.equal(seen, JSON.stringify({ eu_only: Number(real["version"]) + 1 }));
    await (await context.newCDPSession(first)).send("Network.clearBrowserCache");
    await first.close();
    // The edge goes on with the one before. That one is signed as well, and not over.
    world.edge.reset();
    const page = await world.plain(context, "de-DE");
    await moment(page, "domicile-list");
    assert.equal((await moment(page, "domicile-stays")).reason, "manifest-rolled-back");
    assert.equal(world.edge.sealed.length, 0);
  });
});

for (const [what, at] of [["the nonce", 0], ["the content", 4_096], ["the end", -1]] as const) {
  test(`an edge that turns a bit of a sealed answer, of ${what}: it is none, and the list stays`, async () => {
    await world.visit(async (context) => {
      await world.login(context, world.demo.household("de-DE", "eu-a"));
      world.edge.trick = async (asked, pass) => (isSealed(asked) ? bent(await pass(), at) : pass());
      const page = await world.plain(context, "de-DE");
      await moment(page, "domicile-list");
      assert.equal((await moment(page, "domicile-stays")).reason, "not-an-answer");
      // The home, and the one extra attempt.
      assert.deepEqual(world.edge.sealed.map(({ path }) => path.split("/")[4]), ["eu-a", "eu-b"]);
      assert.deepEqual((await moments(page)).map(({ name }) => name), ["domicile-list", "domicile-stays"]);
    });
  });
}

test("an edge that answers a ranking with another shopper's: it is none, and the list stays", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    let other: Came | null = null;
    world.edge.trick = async (asked, pass) => {
      if (!isSealed(asked)) {
        return pass();
      }
      other ??= await pass();
      return other;
    };
    await personal(await world.plain(context, "de-DE"));
    await context.clearCookies();
    await world.login(context, world.demo.setup.shoppers["de-DE"]?.filter(({ home }) => home === "eu-a")[1]?.id ?? "");
    const page = await world.plain(context, "de-DE");
    assert.equal((await moment(page, ["domicile-personal", "domicile-stays"])).reason, "not-an-answer");
  });
});

function bent(came: Came, at: number): Came {
  const body = Buffer.from(came.body);
  const where = at < 0 ? body.length + at : at;
  body[where] = (body[where] ?? 0) ^ 1;
  return { ...came, body };
}
