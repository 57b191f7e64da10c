// Builds dist-shop/: the demo's pages, on the built client as a page without a bundler takes it. Every script and
// style is named with its integrity.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const out = "dist-shop";
rmSync(out, { recursive: true, force: true });
mkdirSync(out);

/** The package's own name is the file beside the page: one module, loaded once. */
const client = {
  name: "client",
  setup(bundle) {
    bundle.onResolve({ filter: /^domicile-browser(\/shelf)?$/ }, () => ({ path: "/domicile.js", external: true }));
  },
};
await build({
  entryPoints: ["shop/page/shop.ts"],
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  plugins: [client],
  logLevel: "warning",
});
await build({ entryPoints: ["shop/page/first.ts"], outdir: out, bundle: true, format: "iife", target: "es2022", minify: true, logLevel: "warning" });
cpSync("dist/domicile.js", `${out}/domicile.js`);
cpSync("dist/shelf.css", `${out}/shelf.css`);
cpSync("shop/page/shop.css", `${out}/shop.css`);
cpSync("shop/page/mark.svg", `${out}/mark.svg`);
const integrity = (file) => `sha384-${createHash("sha384").update(readFileSync(`${out}/${file}`)).digest("base64")}`;
const page = readFileSync("shop/page/index.html", "utf8").replace(/\{\{([a-z.]+)\}\}/g, (_, file) => integrity(file));
writeFileSync(`${out}/index.html`, page);
