// Builds dist/: one file per entry (a script tag's integrity covers one file, not what it imports), their types, the
// licences of what is bundled. Prints each file's size as a browser fetches it, gzipped.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
process.chdir(here);

const entries = [{ out: "index", contents: 'export * from "./src/index.js";' }];
if (existsSync("src/shelf/index.ts")) {
  entries.push({ out: "shelf", contents: 'export * from "./src/shelf/index.js";' });
  // What a page without a bundler takes: both, in one file.
  entries.push({ out: "domicile", contents: 'export * from "./src/index.js"; export * from "./src/shelf/index.js";' });
}

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
if (existsSync("src/shelf/shelf.css")) {
  cpSync("src/shelf/shelf.css", "dist/shelf.css");
}
for (const { out, contents } of entries) {
  await build({
    stdin: { contents, resolveDir: here, sourcefile: `${out}.entry.ts`, loader: "ts" },
    outfile: `dist/${out}.js`,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    sourcemap: true,
    legalComments: "none",
    logLevel: "warning",
  });
  const bytes = readFileSync(`dist/${out}.js`);
  const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  console.log(`dist/${out}.js  ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped  ${integrity}`);
}
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], { stdio: "inherit" });
cpSync("../../LICENSE", "dist/LICENSE");
writeFileSync("dist/THIRD-PARTY.md", `Bundled: hpke\n\n${readFileSync("node_modules/hpke/LICENSE.md", "utf8")}`);
