/** A shop's server with a strict content security policy, and a real Chromium that visits it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Shop } from "./shop.js";
import { FLAGS } from "../chromium/flags.js";

const root = process.cwd();
const load = createRequire(join(root, "package.json"));

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const PAGE_CSS = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fafbfc, #14171a); color: light-dark(#1c2127, #eceff2) }
main { max-width: 76rem; margin: 0 auto; padding: 1rem }
.tall { block-size: 300vh }
`;

/** Where the server stops sending a page for a while. */
export const PAUSE = "<!-- pause -->";

export interface Setting {
  /** What stands in the page's `main`. */
  readonly body: string;
  /** Attributes of the page's root element. */
  readonly html?: string;
  readonly head?: string;
  /** Whether the page connects a {@link Fake} by itself. Default: yes. */
  readonly connects?: boolean;
  readonly css?: string;
  /** What the server gives besides, by path: JSON, as an edge of the same origin would. */
  readonly edge?: Readonly<Record<string, string>>;
  readonly context?: BrowserContextOptions;
  /** What happens to the page before it is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** What happens while the server holds back what follows {@link PAUSE} in the body. */
  readonly meanwhile?: (page: Page) => Promise<unknown>;
}

export interface World {
  readonly open: (setting: Setting) => Promise<Shop>;
  readonly browser: () => Browser;
  /** Paths the server was asked for, in order. */
  readonly asked: string[];
}

/** A world for the tests of a file. `launch`: what the browser is started with besides. */
export function world(launch: { readonly ignoreDefaultArgs?: string[] } = {}): World {
  let browser: Browser;
  let server: Server;
  let script = "";
  let setting: Setting = { body: "" };
  const asked: string[] = [];
  let goOn = (): void => undefined;

  const answer = (path: string): readonly [type: string, body: string] | null => {
    if (path === "/" || path === "/other" || path.startsWith("/p/")) {
      return ["text/html", path === "/" ? document(setting) : document({ body: "<h2>Another page</h2>" })];
    }
    if (path === "/page.js") {
      return ["text/javascript", script];
    }
    if (path === "/page.css") {
      return ["text/css", PAGE_CSS + (setting.css ?? "")];
    }
    if (path === "/shelf.css") {
      return ["text/css", readFileSync(join(root, "src/shelf/shelf.css"), "utf8")];
    }
    const given = setting.edge?.[path];
    if (given !== undefined) {
      return ["application/json", given];
    }
    const image = /^\/img\/(\d+)\.svg$/.exec(path);
    return image === null ? null : ["image/svg+xml", picture(Number(image[1]))];
  };

  before(async () => {
    const esbuild = load("esbuild") as typeof import("esbuild");
    const { chromium } = load("playwright-core") as typeof import("playwright-core");
    const entryPoints = ["test/shelf/page/main.ts"];
    const built = await esbuild.build({ entryPoints, bundle: true, format: "esm", target: "es2022", write: false });
    script = built.outputFiles[0]?.text ?? "";
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://shop.invalid");
      asked.push(pathname);
      const [type, body] = answer(pathname) ?? ["", ""];
      response.writeHead(type === "" ? 404 : 200, {
        "content-type": `${type}; charset=utf-8`,
        "content-security-policy": POLICY,
        ...(type === "application/json" ? { "domicile-outcome": "list" } : {}),
      });
      const [first, rest] = body.split(PAUSE);
      if (rest === undefined) {
        response.end(body);
      } else {
        response.write(first);
        goOn = () => void response.end(rest);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: [...FLAGS], ...launch });
  });

  after(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async (next: Setting): Promise<Shop> => {
    setting = next;
    asked.length = 0;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...next.context });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const shop = new Shop(page);
    await next.prepare?.(page);
    const { port } = server.address() as AddressInfo;
    const waitUntil = next.meanwhile === undefined ? "load" : "commit";
    await page.goto(`http://127.0.0.1:${port}/${next.connects === false ? "?alone" : ""}`, { waitUntil });
    await next.meanwhile?.(page);
    goOn();
    if (next.context?.javaScriptEnabled !== false) {
      await page.waitForSelector("html[data-ready]", { state: "attached" });
    }
    return shop;
  };

  return { open, browser: () => browser, asked };
}

/** Runs `use` with a page and closes it. A page's own errors and a policy's refusals fail it. */
export async function visit(open: World["open"], setting: Setting, use: (shop: Shop) => Promise<void>): Promise<void> {
  const shop = await open(setting);
  try {
    await use(shop);
    assert.deepEqual(shop.errors, []);
    if (setting.context?.javaScriptEnabled !== false) {
      assert.deepEqual(await shop.page.evaluate(() => window.seen.refused), []);
    }
  } finally {
    await shop.page.context().close();
  }
}

function document({ body, html, head }: Setting): string {
  return `<!doctype html><html ${html ?? 'lang="en"'}><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/shelf.css"><link rel="stylesheet" href="/page.css">${head ?? ""}
<script type="module" src="/page.js"></script></head>
<body><main><h1>A shop</h1>${body}<p id="below">Below. <a id="outside" href="/other">Another page</a></p></main></body></html>`;
}

function picture(number: number): string {
  const hue = (number * 47) % 360;
  const [ground, body, shade] = [`hsl(${hue} 45% 90%)`, `hsl(${hue} 45% 62%)`, `hsl(${hue} 45% 50%)`];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320"><rect width="320" height="320" fill="${ground}"/>
<rect x="105" y="85" width="110" height="170" rx="18" fill="${body}"/><rect x="105" y="135" width="110" height="70" fill="${shade}"/>
<rect x="130" y="60" width="60" height="30" rx="8" fill="${shade}"/></svg>`;
}
