/** What a client needs of the world. The browser's is in `../browser.ts`; tests have one whose time is their own. */

import type { Bytes } from "../codec/bytes.js";
import type { Kem } from "../codec/configs.js";

/** One request: a GET, or a POST where there is a body. Neither has a header or a type of ours: no preflight. */
export interface Outgoing {
  readonly url: string;
  readonly body?: Bytes;
  /** Whether caches may answer, are passed by, or must not even keep it. */
  readonly caches: "may" | "past" | "never";
  /** Whether it goes on when the page is left. */
  readonly outlives?: boolean;
}

/** A whole answer. */
export interface Incoming {
  readonly status: number;
  /** A header's value, all of them with commas between where there are several; empty where there is none. */
  readonly header: (name: string) => string;
  readonly body: Bytes;
}

/** Network, clocks, chance, and the page itself. */
export interface Outside {
  /** Sends one request and reads the whole answer. Rejects where there is none. Never retries, follows no redirect. */
  readonly send: (request: Outgoing, signal: AbortSignal) => Promise<Incoming>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** The wall clock, in whole seconds since 1970. It may be off. */
  readonly unixSeconds: () => number;
  /** Resolves once this many milliseconds are over, or it is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A number in [0, 1) that nobody can foresee, for jitter and fractions. */
  readonly random: () => number;
  /** An event's id. */
  readonly id: () => string;
  /** What was kept under a name in an earlier session; `null` where nothing was, or nothing is kept here. */
  readonly kept: (name: string) => string | null;
  /** Keeps something for later sessions, if that can be. */
  readonly keep: (name: string, value: string) => void;
  /** The KEMs that this browser has; none where it cannot seal or verify at all. */
  readonly kems: () => Promise<readonly Kem[]>;
  /**
   * Calls when the page is hidden, perhaps for good, when it is seen again, or, in place of that, when it comes out of
   * the back/forward cache.
   */
  readonly onPage: (hidden: () => void, shown: () => void, back: () => void) => void;
  /** Calls when the shopper logged out in another page. */
  readonly onOthersLogout: (listener: () => void) => void;
  /** Says so to the other pages. */
  readonly tellOthersOfLogout: () => void;
  /** Tells whoever develops the page that something is set up wrong. Never about a shopper. */
  readonly warn: (text: string) => void;
}

/** The work's output; `over` when time is up or the signal says so first, `lost` when the work was rejected. */
export async function within<T>(
  outside: Pick<Outside, "now" | "sleep">,
  until: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | "over" | "lost"> {
  if (signal.aborted || until <= outside.now()) {
    return "over";
  }
  const stop = new AbortController();
  const halt = (): void => stop.abort();
  signal.addEventListener("abort", halt);
  const over = new Promise<"over">((resolve) => {
    stop.signal.addEventListener("abort", () => resolve("over"));
  });
  void outside.sleep(until - outside.now(), stop.signal).then(halt);
  try {
    return await Promise.race([attempt(() => work(stop.signal)), over]);
  } finally {
    signal.removeEventListener("abort", halt);
    halt();
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T | "lost"> {
  try {
    return await work();
  } catch {
    return "lost";
  }
}
