/**
 * What stands between the browser and a server of the demo: it passes on what comes, keeps what was asked, and plays
 * whatever trick a test wants. The browser is told to find the server here (`--host-resolver-rules`), so that pages,
 * origins and policies are the demo's own.
 */

import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether whoever asked has left without the answer. */
  readonly isGone: () => boolean;
}

/** An answer, or what is made of one. */
export interface Came {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** `cut`: the connection is closed without an answer. */
export type Trick = (asked: Asked, pass: () => Promise<Came>) => Promise<Came | "cut">;

export const honest: Trick = (_, pass) => pass();

/** Headers of one connection (RFC 9110, section 7.6.1), and the length, which a trick may change. */
const OF_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-length"];

export class Between {
  /** The server it stands before: `127.0.0.1:8091`. */
  readonly authority: string;
  readonly seen: Asked[] = [];
  /** Paths of requests that were answered, in the order of their answers. */
  readonly answered: { readonly asked: Asked; readonly came: Came }[] = [];
  trick: Trick = honest;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #waiting = new Set<() => void>();

  private constructor(origin: string) {
    this.authority = new URL(origin).host;
    this.#server = createServer((asked, answer) => void this.#serve(asked, answer));
  }

  static async before(origin: string): Promise<Between> {
    const made = new Between(origin);
    made.#server.listen(0, "127.0.0.1");
    await once(made.#server, "listening");
    return made;
  }

  /** The rule by which a browser finds it. */
  get rule(): string {
    return `MAP ${this.authority} 127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what was asked, and is honest again. */
  reset(): void {
    this.seen.length = this.answered.length = 0;
    this.trick = honest;
  }

  /** Sealed requests that came. */
  get sealed(): readonly Asked[] {
    return this.seen.filter(isSealed);
  }

  /** Resolves once something holds, looked at whenever something came or was answered. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): void {
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "", url: path = "", rawHeaders } = incoming;
    try {
      const asked = { method, path, headers: rawHeaders, body: await whole(incoming), isGone: () => answer.closed };
      this.seen.push(asked);
      this.#look();
      const came = await this.trick(asked, () => this.#pass(asked));
      if (came === "cut") {
        answer.destroy();
        return;
      }
      const headers = without(came.headers, ...OF_CONNECTION);
      answer.writeHead(came.status, [...headers, "content-length", String(came.body.length)]).end(came.body);
      this.answered.push({ asked, came });
    } catch {
      // A page that is closed breaks off what it sends; a server that is stopped, what it answers.
      answer.destroy();
    } finally {
      this.#look();
    }
  }

  async #pass({ method, path, headers, body }: Asked): Promise<Came> {
    const kept = without(headers, ...OF_CONNECTION);
    const length = body.length > 0 || method === "POST" ? ["content-length", String(body.length)] : [];
    const target = `http://${this.authority}${path}`;
    const on = request(target, { method, headers: [...kept, ...length], agent: this.#agent, setHost: false });
    on.end(body);
    const [came] = (await once(on, "response")) as [IncomingMessage];
    return { status: came.statusCode ?? 502, headers: came.rawHeaders, body: await whole(came) };
  }

  #look(): void {
    this.#waiting.forEach((resolve) => resolve());
    this.#waiting.clear();
  }
}

/** Whether it is a sealed request. */
export function isSealed({ method, path }: Asked): boolean {
  return method === "POST" && path.startsWith("/v1/sealed/");
}

/** A header of an answer; empty where there is none. */
export function headerOf({ headers }: Pick<Came, "headers">, name: string): string {
  return pairs(headers).find(([known]) => known.toLowerCase() === name)?.[1] ?? "";
}

/** Headers without those named. */
export function without(headers: readonly string[], ...names: readonly string[]): string[] {
  return pairs(headers).filter(([name]) => !names.includes(name.toLowerCase())).flat();
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []));
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}
