import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** What a page may have to fetch for the client, and for the component beside it: bytes, gzipped. */
const MOST = 20_000;

const size = (file: string): number => gzipSync(readFileSync(`dist/${file}.js`), { level: 9 }).length;

test("what a page fetches stays within its size", () => {
  const entries = existsSync("src/shelf/index.ts") ? ["index", "shelf"] : ["index"];
  for (const entry of entries) {
    assert.ok(size(entry) <= MOST, `${entry}: ${size(entry)} bytes gzipped, and ${MOST} are the most`);
  }
  const sum = entries.reduce((bytes, entry) => bytes + size(entry), 0);
  assert.ok(entries.length === 1 || size("domicile") <= sum, "both in one file are no more than the two");
});
