// Benches of the client in Debian's Chromium: one JSON object a line. Exit codes: 0 every bar is met, 1 one is missed (the
// last line says which), 2 wrong usage.
//   node bench/run.mjs             what a page computes for a shelf; with DOMICILE_SHOP, all
//   node bench/run.mjs seal        that alone
//   node bench/run.mjs navigation  from the navigation to the personal shelf, against the demo that DOMICILE_SHOP names
import { once } from "node:events";
import { createServer } from "node:http";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

/** Milliseconds that sealing a request may take, p50. */
const SEAL_MS = 3;
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [wanted] = process.argv.slice(2);
const hasDemo = URL.canParse(process.env.DOMICILE_SHOP ?? "");
if (![undefined, "seal", "navigation"].includes(wanted)) {
  console.error(`there is no bench ${wanted}: seal, navigation`);
  process.exit(2);
}
if (wanted === "navigation" && !hasDemo) {
  console.error("navigation needs DOMICILE_SHOP: the address of the shop that `cargo xtask demo` prints, http://127.0.0.1:PORT");
  process.exit(2);
}
const missed = [];
if (wanted !== "navigation") {
  missed.push(...(await seal()));
}
if (wanted === "navigation" || (wanted === undefined && hasDemo)) {
  await build({ entryPoints: ["bench/navigation.ts"], bundle: true, outfile: "build/navigation.mjs", format: "esm", platform: "node", packages: "external", target: "node20" });
  const { navigation } = await import("../build/navigation.mjs");
  missed.push(...(await navigation()));
}
if (missed.length > 0) {
  console.error(`missed: ${missed.join("; ")}`);
  process.exitCode = 1;
}

async function seal() {
  const bundled = await build({ entryPoints: ["bench/seal.ts"], bundle: true, write: false, format: "iife", target: "es2022" });
  const script = bundled.outputFiles[0].text;
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}`);
    await page.addScriptTag({ content: script });
    const machine = `${cpus().length} × ${cpus()[0].model}, Chromium ${browser.version()}`;
    const missed = [];
    for (const kem of ["x25519", "p256"]) {
      for (const figure of await page.evaluate((kem) => figures(kem), kem)) {
        const met = figure.what === "seal a request" ? { bar: SEAL_MS, met: figure.p50_ms <= SEAL_MS } : {};
        missed.push(...(met.met === false ? [`seal, ${kem}`] : []));
        console.log(JSON.stringify({ ...figure, ...met, machine }));
      }
    }
    return missed;
  } finally {
    await browser.close();
    server.close();
  }
}
