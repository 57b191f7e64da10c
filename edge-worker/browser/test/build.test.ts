import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** What a page may have to fetch for everything: client and component, gzipped. */
const MOST = 20_000;

test("what a page fetches stays within its size", () => {
  for (const name of ["index", "shelf", "domicile"]) {
    const file = `dist/${name}.js`;
    if (name !== "index" && !existsSync("src/shelf/index.ts")) {
      continue;
    }
    const size = gzipSync(readFileSync(file), { level: 9 }).length;
    assert.ok(size <= MOST, `${file}: ${size} bytes gzipped, and ${MOST} are the most`);
  }
});
