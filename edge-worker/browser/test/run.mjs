// Bundles each test (TypeScript) and hands it to node's own runner. Arguments: names of tests, all without any.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const wanted = process.argv.slice(2);
const isWanted = (file) => file.endsWith(".test.ts") && (wanted.length === 0 || wanted.some((name) => file.includes(name)));
const tests = readdirSync("test", { recursive: true }).map(String).filter(isWanted);

rmSync("build", { recursive: true, force: true });
await build({
  entryPoints: tests.map((file) => `test/${file}`),
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
const ran = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" });
process.exit(ran.status ?? 1);
