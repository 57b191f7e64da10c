/** A time that passes only when everybody waits. */

import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { setMaxListeners } from "node:events";

// A page's calls all listen to its logout.
setMaxListeners(1_000);

/** WebCrypto works beside the event loop: whoever waits for it is not waiting for time. */
let computing = 0;
const subtle = Object.getPrototypeOf(webcrypto.subtle) as Record<string, (...given: unknown[]) => Promise<unknown>>;
for (const name of ["digest", "sign", "verify", "importKey", "exportKey", "generateKey", "deriveBits", "encrypt", "decrypt"]) {
  const work = subtle[name];
  assert.ok(work);
  subtle[name] = function counted(...given) {
    computing += 1;
    return work.apply(this, given).finally(() => {
      computing -= 1;
    });
  };
}

/** Nothing moves any more without time. */
async function idle(): Promise<void> {
  for (let quiet = 0; quiet < 2; quiet = computing === 0 ? quiet + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The clock. */
export class Clock {
  now = 0;
  #waits: { at: number; ring: () => void }[] = [];

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wait = { at: this.now + Math.max(0, ms), ring: resolve };
      const stop = (): void => {
        this.#waits = this.#waits.filter((other) => other !== wait);
        resolve();
      };
      this.#waits.push(wait);
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) {
        stop();
      }
    });
  }

  /** Runs work to its end. */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = (): void => {
      over = true;
    };
    work.then(end, end);
    for (await idle(); !over; await idle()) {
      assert.ok(this.#ring(Infinity), "everybody waits for nothing");
    }
    return work;
  }

  /** Lets time pass, and what is due in it happen. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (await idle(); this.#ring(end); await idle());
    this.now = end;
  }

  /** Whether somebody's time has come by `end`. */
  #ring(end: number): boolean {
    this.#waits.sort((a, b) => a.at - b.at);
    const [first] = this.#waits;
    if (first === undefined || first.at > end) {
      return false;
    }
    this.#waits.shift();
    this.now = Math.max(this.now, first.at);
    first.ring();
    return true;
  }
}
