// Bundles each test (TypeScript) and hands it to node's own runner. Arguments: names of tests, all without any.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Where pictures of the pages are kept, run after run. */
const shots = resolve(process.env["DOMICILE_SHOTS"] || fileURLToPath(new URL("../shots", import.meta.url)));
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const wanted = process.argv.slice(2);
const isWanted = (file) => file.endsWith(".test.ts") && (wanted.length === 0 || wanted.some((name) => file.includes(name)));
const tests = readdirSync("test", { recursive: true }).map(String).filter(isWanted);

rmSync("build", { recursive: true, force: true });
await build({
  entryPoints: tests.map((file) => `test/${file}`),
  absWorkingDir: process.cwd(),
  outdir: "build",
  outbase: "test",
  bundle: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "inline",
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const files = tests.map((file) => `build/${file.replace(/\.ts$/, ".mjs")}`);
const ran = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
  stdio: "inherit",
  env: { ...process.env, DOMICILE_SHOTS: shots },
});
if (existsSync(shots)) {
  console.log(`# pictures of the pages: ${shots}`);
}
process.exit(ran.status ?? 1);
