/**
 * A retailer's site as shoppers have it: pages under a strict policy, the built script with its integrity from a host of
 * its own, the identity service, and an edge on another origin with a cell behind it.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Site } from "../chromium/site.js";
import { whole } from "../world/tricks.js";
import type { Handled } from "../world/tricks.js";
import { NOW_S } from "../world/world.js";

const NAMES = ["Milch", "Brot", "Käse", "Äpfel", "Kaffee", "Nudeln"];
/** Ids of the list. */
export const LIST = NAMES.map((_, n) => `l-${n}`);
/** Ids of the personal shelf: the one item that the cell ranks, and what of the list fits beside it. */
export const PERSONAL = ["1", ...LIST.slice(0, -1)];
/** A list as the edge answers it. */
export function listOf(slot: string, items: readonly unknown[] = entries()): Handled {
  const headers = { "content-type": "application/json", "domicile-outcome": "list" };
  const place = { locale: "de-DE", slot, rung: "list", overlay: "o", not_after: "2027-12-31T00:00:00Z", stale: false };
  return whole(200, headers, JSON.stringify({ ...place, items }));
}

function entries(): { id: string; title: string; category: string; image: string; url: string }[] {
  return NAMES.map((title, n) => ({ id: `l-${n}`, title, category: "food", image: "/img/1.svg", url: `/p/l-${n}` }));
}

/** However busy this machine is, a ranking comes in time: while no manifest is known, a page waits for 900 ms alone. */
export const PATIENT = ' limit-ms="60000"';
export const EMPTY = `<domicile-shelf slot="home" locale="de-DE"${PATIENT}></domicile-shelf>`;
/** With the list as the shop's server writes it. */
export const WRITTEN = EMPTY.replace("></", `><ul>${entries().map(({ id, title, image, url }) => `
<li itemscope itemtype="https://schema.org/Product"><meta itemprop="sku" content="${id}"><a itemprop="url" href="${url}">
<img itemprop="image" src="${image}" alt="" width="320" height="320"><span itemprop="name">${title}</span></a></li>`).join("")}</ul></`);

/** What each test may set before it opens a page. */
export class Retailer {
  readonly site: Site;
  body = WRITTEN;
  /** What the policy allows; `null`: the edge, and the host of the script. */
  connects: string | null = null;
  scripts: string | null = null;
  integrity = `sha384-${createHash("sha384").update(readFileSync("dist/domicile.js")).digest("base64")}`;
  /** Who is logged in; `null` for nobody, who has no grant then. */
  shopper: string | null = "canary-17";
  /** How often a token was asked for, and what stood in those that were given. */
  tokens = 0;
  readonly claims: string[] = [];
  readonly methods: string[] = [];
  origin = "";
  statics = "";
  readonly #servers: Server[] = [];

  private constructor(site: Site) {
    this.site = site;
    site.world.list = listOf("home");
  }

  static async open(): Promise<Retailer> {
    const shop = new Retailer(await Site.open());
    shop.statics = await shop.#serve((_, response) => {
      response.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" });
      response.end(readFileSync("dist/domicile.js"));
    });
    shop.origin = await shop.#serve((request, response) => {
      const [type, body] = shop.#answer(request.url ?? "/");
      response.writeHead(200, { "content-type": type, "content-security-policy": shop.#policy() }).end(body);
    });
    return shop;
  }

  close(): void {
    this.site.close();
    this.#servers.forEach((server) => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** Sealed requests that reached the edge, of whatever kind. */
  get sealed(): number {
    return this.site.seen.filter(({ method }) => method === "POST").length;
  }

  /** Rankings that a cell was asked for. */
  get ranked(): number {
    return this.site.world.opened.filter(({ request }) => request.path === "/v1/rank").length;
  }

  /** Kind and item, or what was shown, of every event that a cell opened; once for each id, as a cell counts them. */
  get told(): string[] {
    const batches = this.site.world.opened.filter(({ request }) => request.path === "/v1/events");
    type Said = { readonly id: string; readonly kind: string; readonly item?: string; readonly shown?: string };
    const all = batches.flatMap(({ request }) => (request.body as { events: Said[] }).events);
    return [...new Map(all.map(({ id, kind, item, shown }) => [id, `${kind} ${item ?? shown}`])).values()];
  }

  /** How often the edge was asked for a path. */
  asked(path: string): number {
    return this.site.seen.filter((seen) => seen.path === path).length;
  }

  #policy(): string {
    const connects = this.connects ?? `'self' ${this.site.edge}`;
    const own = "style-src 'self'; img-src 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    return `default-src 'none'; script-src ${this.scripts ?? `'self' ${this.statics}`}; connect-src ${connects}; ${own}`;
  }

  #answer(path: string): readonly [type: string, body: string] {
    switch (path) {
      case "/v1/token":
        this.tokens += 1;
        return ["application/json", JSON.stringify(this.#grant())];
      case "/shop.js":
        return ["text/javascript", this.#script()];
      case "/shelf.css":
        return ["text/css", readFileSync("dist/shelf.css", "utf8")];
      case "/img/1.svg":
        return ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="3"/></svg>'];
      default:
        return ["text/html; charset=utf-8", this.#page()];
    }
  }

  #grant(): unknown {
    if (this.shopper === null) {
      return null;
    }
    const claims = Buffer.from(JSON.stringify({ sub: this.shopper, class: "eu_only" })).toString("base64url");
    this.claims.push(claims);
    return { ...this.site.world.grant("a", NOW_S * 2), token: `aa.${claims}.cc` };
  }

  #script(): string {
    const setup = JSON.stringify({ edge: this.site.edge, roots: [this.site.world.root.jwk] });
    return `import { connect, domicile, identity } from "${this.statics}/domicile.js";
globalThis.shop = domicile({ ...${setup}, grant: identity(location.origin) });
globalThis.connectShop = () => connect(shop);
location.search === "?alone" || connect(shop);
document.documentElement.dataset.ready = "";`;
  }

  #page(): string {
    return `<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/shelf.css">
<script type="module" src="${this.statics}/domicile.js" integrity="${this.integrity}" crossorigin></script>
<script type="module" src="/shop.js"></script></head>
<body><main><h1>Shop</h1>${this.body}<p>Below. <a id="other" href="/other">Another page</a></p></main></body></html>`;
  }

  async #serve(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      this.methods.push(request.method ?? "");
      listener(request, response);
    }).listen(0, "127.0.0.1");
    this.#servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
