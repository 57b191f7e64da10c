// Shelves of the real demo in a real browser: the list first, the personal shelf in its place, and what proves it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import type { Page } from "playwright-core";
import type { DomicileShelf } from "../../src/shelf/shelf.js";
import { headerOf, isSealed } from "./between.js";
import type { Asked, Trick } from "./between.js";
import { world } from "./stage.js";
import { ids, kept, moment, moments, personal, shifted } from "./world.js";

/** Holds back what `is` names until `release` is called. */
function held(is: (asked: Asked) => boolean): { trick: Trick; release: () => void } {
  let release = (): void => undefined;
  const open = new Promise<void>((resolve) => (release = resolve));
  const trick: Trick = async (asked, pass) => {
    if (is(asked)) {
      await open;
    }
    return pass();
  };
  return { trick, release };
}

/** A machine that is busy may not have the time for the full one. */
const isModel = (rung: string | undefined): boolean => rung === "full" || rung === "compact";
const refresh = (page: Page): Promise<void> => page.locator("domicile-shelf").evaluate((element) => (element as DomicileShelf).refresh());
/** Bytes 1 and 2 of a sealed request: its KEM (RFC 9458, section 4.3; RFC 9180, section 7.1). */
const kems = (): string[] => world.edge.sealed.map(({ body }) => body.subarray(1, 3).toString("hex"));

for (const [locale, cell] of [["de-DE", "eu-a"], ["fr-FR", "eu-b"], ["en-US", "us-a"]] as const) {
  test(`${locale}: the list is there first, ${cell} ranks the shelf in its place, and nothing moves`, async () => {
    await world.visit(async (context) => {
      await world.login(context, world.demo.household(locale, cell));
      const { trick, release } = held(isSealed);
      world.edge.trick = trick;
      const page = await world.plain(context, locale);
      await moment(page, "domicile-list");
      const listed = await ids(page);
      assert.deepEqual(await shifted(page), []);
      release();
      const { rung } = await personal(page, cell);
      const ranked = await ids(page);
      assert.ok(isModel(rung), rung);
      assert.equal(ranked.length, listed.length);
      assert.notDeepEqual(ranked, listed);
      assert.deepEqual(await shifted(page), []);
    });
  });
}

test("no preflight: neither edge nor identity service is asked for leave", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    const page = await world.plain(context, "de-DE");
    await personal(page);
    const asked = [...world.edge.seen, ...world.identity.seen].map(({ method, path }) => `${method} ${path.split("/").slice(0, 3).join("/")}`);
    assert.deepEqual([...new Set(asked)].sort(), ["GET /v1/keys", "GET /v1/route", "GET /v1/shelf", "POST /v1/sealed", "POST /v1/token"]);
  });
});

test("the receipt holds without the client: the cell's key of the manifest signed this request and this answer", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-b"));
    const page = await world.plain(context, "de-DE");
    await personal(page, "eu-b");
    const proof = await kept(page);
    assert.ok(proof !== null);
    const request = Buffer.from(proof.request);
    assert.ok(world.edge.sealed.some(({ body }) => body.equals(request)), "it is the request that the edge saw");
    const route = world.edge.answered.find(({ asked }) => asked.path === "/v1/route/eu_only");
    const manifest = payload<{ cells: { name: string; signing_key: string }[] }>(route?.came.body.toString() ?? "");
    const signer = JSON.parse(manifest.cells.find(({ name }) => name === "eu-b")?.signing_key ?? "{}") as JsonWebKey;
    assert.ok(isSignedBy(proof.receipt, signer));
    const stated = payload<Record<string, string>>(proof.receipt);
    assert.deepEqual(
      [stated["request"], stated["answer"], stated["cell"], stated["boundary"], stated["class"]],
      [sha256(request), sha256(Buffer.from(proof.content)), "eu-b", "eu", "eu_only"],
    );
  });
});

test("a region without a cell: the list, and nothing is sealed", async () => {
  await world.visit(async (context) => {
    const page = await world.plain(context, "en-GB");
    await moment(page, "domicile-list");
    assert.equal((await moment(page, "domicile-stays")).reason, "no-grant");
    assert.deepEqual(world.edge.seen.map(({ path }) => path), ["/v1/shelf/en-GB/home"]);
  }, { expected: [/409 \(Conflict\)/] });
});

test("a browser without X25519 and Ed25519 ranks by P-256", async () => {
  await world.visit(async (context) => {
    await context.addInitScript(() => {
      const lacking = ["X25519", "Ed25519"];
      const missing = (): Promise<never> => Promise.reject(new DOMException("not here", "NotSupportedError"));
      const all = typeof SubtleCrypto === "undefined" ? [] : (["generateKey", "importKey", "deriveBits", "deriveKey", "sign", "verify"] as const);
      for (const name of all) {
        const real = SubtleCrypto.prototype[name] as (...given: unknown[]) => Promise<unknown>;
        const partly = function (this: SubtleCrypto, ...given: unknown[]): Promise<unknown> {
          const named = given.map((one) => (typeof one === "object" && one !== null && "name" in one ? one.name : one));
          return named.some((one) => lacking.includes(String(one))) ? missing() : real.apply(this, given);
        };
        Object.assign(SubtleCrypto.prototype, { [name]: partly });
      }
    });
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    const page = await world.plain(context, "de-DE");
    assert.ok(isModel((await personal(page, "eu-a")).rung));
    assert.deepEqual([...new Set(kems())], ["0010"]);
  });
});

test("a browser with X25519 uses it", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    await personal(await world.plain(context, "de-DE"));
    assert.deepEqual([...new Set(kems())], ["0020"]);
  });
});

test("offline after the list came: it stays; back online the next ranking is shown", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    const { trick, release } = held(({ path }) => path.startsWith("/v1/route/"));
    world.edge.trick = trick;
    const page = await world.plain(context, "de-DE");
    await moment(page, "domicile-list");
    const listed = await ids(page);
    await context.setOffline(true);
    release();
    const { reason } = await moment(page, "domicile-stays");
    assert.ok(["manifest-lost", "keys-lost", "answer-lost"].includes(reason ?? ""), reason);
    assert.deepEqual(await ids(page), listed);
    assert.equal(world.edge.sealed.length, 0);
    await context.setOffline(false);
    await refresh(page);
    await personal(page);
    assert.deepEqual(await shifted(page), []);
  }, { expected: [/ERR_INTERNET_DISCONNECTED/] });
});

test("an answer after the page's limit changes nothing, not even the next moment", async () => {
  await world.visit(async (context) => {
    await world.login(context, world.demo.household("de-DE", "eu-a"));
    const { trick, release } = held(isSealed);
    world.edge.trick = trick;
    const page = await world.plain(context, "de-DE", null);
    // The last cell that was asked, or the page's limit: whichever clock of the two is over first.
    const { reason } = await moment(page, "domicile-stays");
    assert.ok(["page-limit", "cell-failed"].includes(reason ?? ""), reason);
    const listed = await ids(page);
    release();
    await world.edge.until(() => world.edge.answered.filter(({ asked }) => isSealed(asked)).length === world.edge.sealed.length);
    assert.ok(world.edge.answered.some(({ came }) => headerOf(came, "domicile-outcome") === "relayed"), "a cell did answer");
    assert.deepEqual([await shifted(page), await ids(page)], [[], listed]);
    assert.deepEqual((await moments(page)).map(({ name }) => name), ["domicile-list", "domicile-stays"]);
  });
});

function payload<T>(envelope: string): T {
  return JSON.parse(Buffer.from((JSON.parse(envelope) as { payload: string }).payload, "base64").toString()) as T;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** By node's own cryptography (DSSE, protocol.md). */
function isSignedBy(envelope: string, jwk: JsonWebKey): boolean {
  const read = JSON.parse(envelope) as { payload: string; payloadType: string; signatures: { sig: string }[] };
  const said = Buffer.from(read.payload, "base64");
  const message = Buffer.concat([Buffer.from(`DSSEv1 ${read.payloadType.length} ${read.payloadType} ${said.length} `), said]);
  const { kty = "", crv = "", x = "", y = "" } = jwk;
  const key = createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
  return read.signatures.some(({ sig }) => verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(sig, "base64")));
}
