/** What a page computes for a shelf, timed where it is computed. Bundled for a browser by run.mjs. */

import { utf8 } from "../src/codec/bytes.js";
import { readConfigs } from "../src/codec/configs.js";
import type { Kem } from "../src/codec/configs.js";
import { seal } from "../src/codec/ohttp.js";
import { encodeCall } from "../src/client/inner.js";
import { readKey } from "../src/trust/key.js";
import { openReceipt } from "../src/trust/receipt.js";
import { openRequest, sealAnswer, sealingKey } from "../test/world/cell.js";
import { hash, newSigner, stated } from "../test/world/signer.js";

/** A sample is the mean of so many: a browser's clock is coarse. */
const EACH = 8;
const SAMPLES = 200;
const NOW_S = 1_800_000_000;

export interface Figure {
  readonly what: string;
  readonly kem: Kem;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

async function figure(what: string, kem: Kem, work: () => Promise<unknown>): Promise<Figure> {
  const samples: number[] = [];
  for (let at = -10; at < SAMPLES; at += 1) {
    const begun = performance.now();
    for (let count = 0; count < EACH; count += 1) {
      await work();
    }
    // The first ones only warm it up.
    samples.push(...(at < 0 ? [] : [(performance.now() - begun) / EACH]));
  }
  samples.sort((a, b) => a - b);
  const at = (part: number): number => samples[Math.floor(SAMPLES * part)] ?? NaN;
  return { what, kem, p50_ms: at(0.5), p95_ms: at(0.95) };
}

/** A ranking sealed, and its answer of 14 KiB opened and its receipt verified. */
export async function figures(kem: Kem): Promise<readonly Figure[]> {
  const key = await sealingKey(7, kem, 7);
  const [config] = (await readConfigs(Uint8Array.of(0, key.config.length, ...key.config))) as Exclude<
    Awaited<ReturnType<typeof readConfigs>>,
    string
  >;
  const caller = { pin: "A".repeat(104), token: "t".repeat(400), date_s: NOW_S, budget_ms: 900 };
  const call = { method: "POST", path: "/v1/rank", body: { locale: "de-DE", slot: "home" } } as const;
  if (config === undefined) {
    throw new Error("no key");
  }
  const once = () => seal(config, encodeCall(call, caller));
  const sealed = await once();
  const opened = typeof sealed === "string" ? null : await openRequest(key, sealed.bytes);
  if (typeof sealed === "string" || opened === null) {
    throw new Error("not sealed");
  }
  const answer = await sealAnswer(opened, utf8("{}"), 14_336);
  const signer = await newSigner();
  const trusted = await readKey(signer.jwk);
  const covered = { request: sealed.bytes, answer: utf8("{}"), cell: "eu-a" };
  const [request, content] = [await hash(sealed.bytes), await hash(covered.answer)];
  const said = { request, answer: content, cell: "eu-a", boundary: "eu", class: "eu_only", rung: "full", time: stated(NOW_S) };
  const receipt = await signer.sign("application/vnd.domicile.receipt+json", { version: 1, ...said });
  return [
    await figure("seal a request", kem, once),
    await figure("open an answer, verify its receipt", kem, async () => {
      const plain = await sealed.open(answer);
      const verdict = await openReceipt(receipt, trusted ? [trusted] : [], covered);
      if (plain === null || typeof verdict === "string") {
        throw new Error("does not hold");
      }
    }),
  ];
}

Object.assign(globalThis, { figures });
