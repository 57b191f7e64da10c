// Times what a page computes for a shelf in Debian's Chromium: one JSON object a line. Nothing here passes or fails.
import { once } from "node:events";
import { createServer } from "node:http";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
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
  for (const kem of ["x25519", "p256"]) {
    for (const figure of await page.evaluate((kem) => figures(kem), kem)) {
      console.log(JSON.stringify({ ...figure, machine }));
    }
  }
} finally {
  await browser.close();
  server.close();
}
