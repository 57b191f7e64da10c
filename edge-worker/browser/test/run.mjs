// Bundles each test (TypeScript) and hands it to node's own runner. Arguments: names of tests. Without any, all but
// those of real/, which need the demo that DOMICILE_SHOP names.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Where pictures of the pages are kept, run after run. */
const shots = resolve(process.env["DOMICILE_SHOTS"] || fileURLToPath(new URL("../shots", import.meta.url)));
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const wanted = process.argv.slice(2);
const needsDemo = (file) => file.startsWith("real/");
const isWanted = (file) => (wanted.length === 0 ? !needsDemo(file) : wanted.some((name) => file.includes(name)));
const tests = readdirSync("test", { recursive: true }).map(String).filter((file) => file.endsWith(".test.ts") && isWanted(file));
if (tests.length === 0) {
  console.error(`no test is named so: ${wanted.join(" ")}`);
  process.exit(2);
}
const onDemo = tests.some(needsDemo);
if (onDemo && !URL.canParse(process.env.DOMICILE_SHOP ?? "")) {
  console.error("real/ needs DOMICILE_SHOP: the address of the shop that `cargo xtask demo` prints, http://127.0.0.1:PORT");
  process.exit(2);
}

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
// The demo has one set of cells: whoever stops one has it to themselves. What never comes ends a test.
const turns = onDemo ? ["--test-concurrency=1", "--test-timeout=300000"] : [];
const ran = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...turns, ...files], {
  stdio: "inherit",
  env: { ...process.env, DOMICILE_SHOTS: shots },
});
if (existsSync(shots)) {
  console.log(`# pictures of the pages: ${shots}`);
}
process.exit(ran.status ?? 1);
