/**
 * Who failed a moment ago, and for how long nobody asks again.
 *
 * The time doubles with each failure and is jittered over its upper half (Brooker, "Exponential Backoff and Jitter",
 * 2015, "equal jitter"): pages that failed together do not come back together, and none comes back at once.
 */

/** The first failure's time, in milliseconds. */
const FIRST_MS = 1_000;
/** The longest. */
export const MOST_MS = 60_000;

/** One cell's failures in a row. */
export interface Backoff {
  readonly failures: number;
  readonly until: number;
}

/** After one more failure at `now`; `random` in [0, 1) decides the jitter. */
export function afterFailure(before: Backoff | undefined, now: number, random: number): Backoff {
  const failures = (before?.failures ?? 0) + 1;
  return { failures, until: now + waitMs(failures, random, MOST_MS) };
}

/** Milliseconds to wait after so many failures in a row, `most` at most. */
export function waitMs(failures: number, random: number, most: number): number {
  const half = Math.min(FIRST_MS * 2 ** (failures - 1), most) / 2;
  return half + half * random;
}
