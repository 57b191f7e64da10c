/** The world of a browser: fetch, clocks, chance, storage, and the page. Nothing is looked at before it is needed. */

import { concat, hex } from "./codec/bytes.js";
import type { Bytes } from "./codec/bytes.js";
import type { Kem } from "./codec/configs.js";
import type { Incoming, Outgoing, Outside } from "./client/outside.js";
import { heedPolicy } from "./policy.js";
import { onOthersLogout, tellOthersOfLogout } from "./tabs.js";

/** Longest answer that is read, in bytes: several times a cell's largest. */
const ANSWER_MAX = 512 * 1024;

/** The page's own browser. */
export function browser(): Outside {
  let kems: Promise<readonly Kem[]> | null = null;
  return {
    send,
    now: () => performance.now(),
    unixSeconds: () => Math.floor(Date.now() / 1_000),
    sleep,
    random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
    // There is no `randomUUID` outside of secure contexts.
    id: () => crypto.randomUUID?.() ?? hex(crypto.getRandomValues(new Uint8Array(16))),
    kept,
    keep,
    kems: () => (kems ??= findKems()),
    onPage,
    onOthersLogout,
    tellOthersOfLogout,
    warn: (text) => console.warn(text),
  };
}

/**
 * No type, no header and no credentials, so no preflight. A redirect is refused: it would carry sealed bytes to where
 * no manifest names a cell.
 */
async function send({ url, body, caches, outlives }: Outgoing, signal: AbortSignal): Promise<Incoming> {
  heedPolicy(url);
  const answer = await fetch(url, {
    method: body ? "POST" : "GET",
    body: body ?? null,
    cache: ({ may: "default", past: "reload", never: "no-store" } as const)[caches],
    credentials: "omit",
    referrerPolicy: "no-referrer",
    redirect: "error",
    keepalive: outlives ?? false,
    signal,
  });
  const whole = await read(answer);
  return { status: answer.status, header: (name) => answer.headers.get(name) ?? "", body: whole };
}

/** The whole body, unless it is longer than any that is meant. */
async function read({ body }: Response): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    bytes += value.length;
    if (bytes > ANSWER_MAX) {
      await reader.cancel();
      throw new RangeError("longer than an answer");
    }
    parts.push(value);
  }
  return concat(...parts);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
    if (signal.aborted) {
      over();
    }
  });
}

/** Storage may be switched off, full, or not there: then this page remembers, and the next one begins anew. */
function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}

/** X25519 is younger in browsers than the rest. All of it is there in secure contexts alone. */
async function findKems(): Promise<readonly Kem[]> {
  if (globalThis.crypto?.subtle === undefined) {
    return [];
  }
  const made = crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"]);
  return made.then(() => ["x25519", "p256"] as const, () => ["p256"] as const);
}

function onPage(hidden: () => void, shown: () => void, back: () => void): void {
  if (typeof document === "undefined") {
    return;
  }
  // Out of the back/forward cache a page is visible first and shown then (HTML, "reactivate a document").
  let left = false;
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      hidden();
    } else if (!left) {
      shown();
    }
  });
  addEventListener("pagehide", () => {
    left = true;
    hidden();
  });
  addEventListener("pageshow", (event) => {
    left = false;
    if (event.persisted) {
      back();
    }
  });
}
