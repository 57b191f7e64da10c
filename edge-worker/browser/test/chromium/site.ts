/** The world of the tests as a site: an edge and a shop on two origins of loopback, and a Chromium that visits them. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Bytes } from "../../src/codec/bytes.js";
import { EDGE, NOW_S, World } from "../world/world.js";
import { FLAGS } from "./flags.js";

/** Debian's. */
const CHROMIUM = "/usr/bin/chromium";
/** A page as strict shops have it. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src";

/** A request as it reached the edge. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

/** A browser. A page that is left may come back from its cache, as it does for shoppers. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS], ignoreDefaultArgs: ["--disable-back-forward-cache"] });
}

/** The site. */
export class Site {
  readonly world = new World({ cells: ["a"] });
  readonly seen: Seen[] = [];
  /** Where the edge sends sealed requests on to, where it does so. */
  redirect: string | null = null;
  readonly #servers: Server[] = [];
  readonly #waiting = new Set<() => void>();
  edge = "";
  shop = "";

  static async open(): Promise<Site> {
    const site = new Site();
    const page: RequestListener = (request, response) => {
      const isScript = request.url === "/index.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.setHeader("content-security-policy", `${POLICY} ${site.edge}`);
      response.end(isScript ? readFileSync("dist/index.js") : "<!doctype html><title>shop</title>");
    };
    // A shop may have its edge on its own origin too.
    site.edge = await site.#serve((request, response) =>
      ["/", "/index.js"].includes(request.url ?? "") ? page(request, response) : void site.#edge(request, response));
    site.shop = await site.#serve(page);
    return site;
  }

  close(): void {
    this.#servers.forEach((server) => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** Resolves once something holds, looked at after every request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** A page of the shop with a client in it, as `shop`. */
  async page(context: BrowserContext, origin = this.shop): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin);
    const [edge, root, grant] = [this.edge, this.world.root.jwk, this.world.grant("a", NOW_S * 2)];
    await page.evaluate(async ({ edge, root, grant }) => {
      const { domicile } = (await import(`${location.origin}/index.js`)) as typeof import("../../src/index.js");
      Object.assign(globalThis, { shop: domicile({ edge, roots: [root], grant: () => Promise.resolve(grant) }) });
    }, { edge, root, grant });
    return page;
  }

  async #serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    this.#servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #edge(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const parts: Buffer[] = [];
    try {
      for await (const part of request) {
        parts.push(part as Buffer);
      }
    } catch {
      // A page that is closed breaks off what it sends.
      return;
    }
    this.seen.push({ method, path, headers });
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-expose-headers", "domicile-outcome");
    if (this.redirect !== null && method === "POST") {
      response.writeHead(307, { location: this.redirect }).end();
    } else {
      await this.#answer(path, method === "POST" ? new Uint8Array(Buffer.concat(parts)) : null, response);
    }
    this.#waiting.forEach((resolve) => resolve());
    this.#waiting.clear();
  }

  /** Answers what the world does, by the browser's clock; the world's own time has only to pass. */
  async #answer(path: string, body: Bytes | null, response: ServerResponse): Promise<void> {
    this.world.ahead_s = Math.floor(Date.now() / 1_000) - NOW_S;
    // A cell that is asked directly answers on this port as well.
    const url = path === "/gateway" ? "https://direct.a/gateway" : `${EDGE}${path}`;
    const request = { url, ...(body ? { body } : {}), caches: body ? "never" : "may" } as const;
    const coming = this.world.send(request, new AbortController().signal);
    coming.then(({ status, header, body }) => {
      for (const name of ["content-type", "domicile-outcome"].filter((name) => header(name) !== "")) {
        response.setHeader(name, header(name));
      }
      response.writeHead(status).end(body);
    }, () => response.destroy());
    await this.world.clock.pass(20);
  }
}
