/** A page as a strict shop has it, of the shop's own origin: one shelf, and the few lines that connect it. */

import { existsSync, readFileSync } from "node:fs";
import type { Setup } from "../../shop/page/setup.js";
import { without } from "./between.js";
import type { Asked, Came, Trick } from "./between.js";

/** Where plain pages are: `/plain/{locale}/{slot}?limit=MS`. */
const PLAIN = /^\/plain\/([\w-]+)\/(\w+)(?:\?limit=(\d+))?$/;
const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };
/** Longer than any test waits: for whatever is not about time. */
export const LONG_MS = 50_000;

/** Serves plain pages, and passes everything else on. `pages`: a folder whose files stand in for the shop's. */
export function plainPages(setup: Setup, pages: string | undefined): Trick {
  const files = new Map([
    ["/plain/domicile.js", readFileSync("dist/domicile.js", "utf8")],
    ["/plain/shelf.css", readFileSync("dist/shelf.css", "utf8")],
    ["/plain/page.js", script(setup)],
  ]);
  return async (asked, pass) => {
    const [, locale, slot, limit] = PLAIN.exec(asked.path) ?? [];
    const file = locale === undefined ? files.get(asked.path) : document(locale, slot ?? "", limit);
    if (file !== undefined) {
      return served(asked, file, setup);
    }
    const came = await pass();
    return pages === undefined ? came : stoodIn(asked, came, pages);
  };
}

function served({ path }: Asked, body: string, { edge, identity }: Setup): Came {
  const policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", `connect-src ${edge} ${identity}`,
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
  ].join("; ");
  const type = TYPES[/\.(\w+)$/.exec(path)?.[1] ?? "html"] ?? "";
  // Scripts and styles as a shop has them that names files by their content.
  const cache = type === "text/html" ? "no-cache" : "public, max-age=86400";
  const headers = ["content-type", `${type}; charset=utf-8`, "content-security-policy", policy, "cache-control", cache];
  return { status: 200, headers, body: Buffer.from(body) };
}

function document(locale: string, slot: string, limit: string | undefined): string {
  const within = limit === undefined ? "" : ` limit-ms="${limit}"`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="/mark.svg"><link rel="stylesheet" href="/plain/shelf.css">
<script type="module" src="/plain/page.js"></script></head>
<body><main><h1>A shop</h1><domicile-shelf slot="${slot}" locale="${locale}" label="Popular, and for you"${within}></domicile-shelf>
<p>Below.</p></main></body></html>`;
}

function script({ edge, identity, roots }: Setup): string {
  return `import { connect, domicile, identity } from "/plain/domicile.js";
const moments = [];
for (const name of ["domicile-list", "domicile-personal", "domicile-stays", "domicile-empty"]) {
  addEventListener(name, ({ detail }) => moments.push({ ...detail, name, at: performance.now() }));
}
const shop = domicile({ edge: "${edge}", roots: ${JSON.stringify(roots)}, grant: identity("${identity}") });
connect(shop);
Object.assign(globalThis, { shop, moments });
`;
}

/** The shop's own headers, and a file of `pages`. */
function stoodIn({ path }: Asked, came: Came, pages: string): Came {
  const file = path === "/" || path === "/basket" || path.startsWith("/p/") ? "/index.html" : path;
  const type = TYPES[/^\/[a-z]+\.(html|js|css)$/.exec(file)?.[1] ?? ""];
  if (type === undefined || !existsSync(`${pages}${file}`)) {
    return came;
  }
  const status = file === path ? 200 : came.status;
  return { status, headers: [...without(came.headers, "content-type"), "content-type", type], body: readFileSync(`${pages}${file}`) };
}
