/**
 * The demo's shop as a test has it: the built pages, an identity service and a recorder that do what the demo's own do,
 * and the edge of the tests' world. The Rust server of the pages is tested where it is.
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { Site } from "../chromium/site.js";
import { NOW_S } from "../world/world.js";
import { whole } from "../world/tricks.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css", ".svg": "image/svg+xml",
};
const FILES = ["/domicile.js", "/first.js", "/shop.js", "/shop.css", "/shelf.css", "/mark.svg"];

const GOODS = [
  ["Bananas (national brand)", "tropical-fruit"],
  ["Eggs, x-large, 1 dozen (store brand)", "eggs"],
  ["Fluid milk white only, 1 gal (store brand)", "fluid-milk-products"],
  ["Soft drinks 12, 18 and 15pk can car, 12 oz (national brand)", "soft-drinks"],
] as const;

/** Products 1 to 24. */
export const PRODUCTS = Array.from({ length: 24 }, (_, n) => {
  const [title, category] = GOODS[n % GOODS.length] ?? ["", ""];
  return { id: String(n + 1), title, category, image: `img/${category}.svg`, url: `/p/${n + 1}` };
});

/** What the shop's server says of one cell. */
export type State = "starting" | "running" | "slow" | "stopped";

export class ShopSite {
  readonly edge: Site;
  /** What the identity service was told, in order. */
  readonly told: string[] = [];
  /** What was wished for cells. */
  readonly wishes: string[] = [];
  readonly states: Record<string, State> = { a: "running", us: "stopped" };
  readonly #servers: Server[] = [];
  #identity = "";
  origin = "";

  private constructor(edge: Site) {
    this.edge = edge;
  }

  static async open(): Promise<ShopSite> {
    const site = new ShopSite(await Site.open());
    const place = { locale: "de-DE", slot: "home", rung: "list", overlay: "o", not_after: "2027-12-31T00:00:00Z", stale: false };
    const headers = { "content-type": "application/json", "domicile-outcome": "list" };
    // However busy this machine is, a ranking comes in time.
    const { manifest } = site.edge.world;
    site.edge.world.manifest = { ...manifest, clocks: { page_limit_ms: 60_000, cell_budget_ms: 120 } };
    site.edge.world.list = whole(200, headers, JSON.stringify({ ...place, items: PRODUCTS }));
    site.#identity = await site.#serve((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        site.told.push(`${request.url} ${Buffer.concat(parts).toString()}`.trim());
        response.setHeader("access-control-allow-origin", site.origin);
        response.setHeader("access-control-allow-credentials", "true");
        const isToken = request.url === "/v1/token";
        response.writeHead(isToken ? 200 : 204);
        response.end(isToken ? JSON.stringify(site.edge.world.grant("a", NOW_S * 2)) : "");
      });
    });
    site.origin = await site.#serve((request, response) => {
      const answer = site.#answer(request.method ?? "", new URL(request.url ?? "/", "http://shop.invalid").pathname);
      const [status, type, body] = answer;
      response.writeHead(status, { "content-type": type, "content-security-policy": site.#policy() }).end(body);
    });
    return site;
  }

  close(): void {
    this.edge.close();
    this.#servers.forEach((server) => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** The policy that the demo's server gives (`shop/src/pages.rs`). */
  #policy(): string {
    const reached = `connect-src 'self' ${this.edge.edge} ${this.#identity}`;
    const own = ["script-src 'self'", "style-src 'self'", "img-src 'self'"].join("; ");
    const none = ["base-uri", "form-action", "frame-ancestors"].map((name) => `${name} 'none'`).join("; ");
    return `default-src 'none'; ${own}; ${reached}; ${none}; require-trusted-types-for 'script'; trusted-types 'none'`;
  }

  #answer(method: string, path: string): readonly [status: number, type: string, body: string | Buffer] {
    const json = (value: unknown): readonly [number, string, string] => [200, "application/json", JSON.stringify(value)];
    const wish = /^\/demo\/cells\/(.*)$/.exec(path)?.[1];
    if (wish !== undefined) {
      this.wishes.push(`${method} ${wish}`);
      return [202, "text/plain", ""];
    }
    const item = /^\/demo\/items\/(\d+)$/.exec(path)?.[1];
    if (item !== undefined) {
      const product = PRODUCTS.find(({ id }) => id === item);
      return product === undefined ? [404, "text/plain", ""] : json({ ...product, price: 1.09 });
    }
    switch (path) {
      case "/demo/setup":
        return json(this.#setup());
      case "/demo/cells":
        return json(this.states);
      case "/demo/edge-saw":
        return json(this.#saw());
    }
    if (path.startsWith("/img/")) {
      return [200, "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="3" fill="#8a9"/></svg>'];
    }
    const file = FILES.includes(path) ? path : "/index.html";
    return [200, TYPES[extname(file)] ?? "", readFileSync(`dist-shop${file}`)];
  }

  #setup(): unknown {
    const place = { boundary: "eu", operator: "first", site: "north", jurisdiction: "DE" };
    return {
      edge: this.edge.edge, identity: this.#identity, roots: [this.edge.world.root.jwk], controls: true,
      locales: [{ locale: "de-DE", class: "eu_only", cells: ["a"] }, { locale: "en-GB", class: "uk_only", cells: [] }],
      cells: [{ name: "a", ...place }, { name: "us", ...place, boundary: "us", jurisdiction: "US" }],
      shoppers: { "de-DE": [{ id: "2", home: "a" }, { id: "3", home: "a" }], "en-GB": [{ id: "4", home: null }] },
    };
  }

  /** What the recorder kept: bodies are known of sealed requests alone. */
  #saw(): unknown {
    const bodies = this.edge.world.posted.map(({ body }) => Buffer.from(body));
    const exchanges = this.edge.seen.map(({ method, path, headers }, n) => {
      const body = method === "POST" ? (bodies.shift() ?? Buffer.alloc(0)) : Buffer.alloc(0);
      const listed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const shown = { bytes: body.length, first: body.subarray(0, 96).toString("hex") };
      const sealed = { status: 200, headers: [["content-type", "message/ohttp-res"], ["domicile-outcome", "relayed"]], body: { bytes: 8_192, first: "ab" }, ms: 3 };
      return { number: n + 1, asked: { method, target: path, headers: listed, body: shown }, came: { answer: sealed } };
    });
    return { next: 0, exchanges };
  }

  async #serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    this.#servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
