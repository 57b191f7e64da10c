// What is published: everything that the package's own exports name, and nothing else of this folder.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

interface Manifest {
  readonly license: string;
  readonly private?: boolean;
  readonly dependencies?: object;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

test("a package holds what its exports name, types and licences, and no source or test", () => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" });
  assert.equal(packed.status, 0, packed.stderr);
  // npm 11 writes an array, later ones an object by name.
  const said = JSON.parse(packed.stdout) as Record<string, { files: { path: string }[] }>;
  const files = Object.values(said).flatMap(({ files }) => files.map(({ path }) => path));
  const about = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

  const hasShelf = existsSync("src/shelf/index.ts");
  const entries = Object.entries(about.exports).filter(([name]) => hasShelf || !name.startsWith("./shelf"));
  const named = entries.flatMap(([, target]) => (typeof target === "string" ? [target] : Object.values(target)));
  for (const path of named.map((target) => target.replace(/^\.\//, ""))) {
    assert.ok(files.includes(path), `${path} is exported and not packed`);
  }
  for (const licence of ["dist/LICENSE", "dist/THIRD-PARTY.md"]) {
    assert.ok(files.includes(licence), licence);
  }
  const isMeant = /^(package\.json|README\.md|dist\/(LICENSE|THIRD-PARTY\.md|shelf\.css|[\w-]+\.js(\.map)?|types\/[\w/-]+\.d\.ts))$/;
  assert.deepEqual(files.filter((path) => !isMeant.test(path)), []);
  assert.deepEqual([about.license, about.private, about.dependencies], ["Apache-2.0", undefined, undefined]);
});

test("the built client is a module that a server may import as well", async () => {
  const built = (await import(`${process.cwd()}/dist/index.js`)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(built).sort(), ["ListError", "domicile", "identity"]);
  const { domicile } = built as { domicile: (options: object) => { page_limit_ms: number } };
  const page = domicile({ edge: "https://edge.example", roots: [], grant: () => Promise.resolve(null) });
  assert.equal(page.page_limit_ms, 900);
});
