/**
 * "Try cell X for s seconds, fraction f": how a live cell steers a client, inside the seal. A hint: which cells may be
 * asked at all is the manifest's word.
 */

/** Longest time of a hint in seconds. */
const SECONDS_MAX = 3_600;
const FORM = /^cell=([A-Za-z0-9._-]{1,64}); seconds=(\d{1,4}); fraction=(0|1|0\.\d{1,3})$/;

/** A hint to ask another cell. */
export interface Steer {
  readonly cell: string;
  readonly seconds: number;
  /** For which part of the calls, 0 to 1. */
  readonly fraction: number;
}

/** Reads a header's value; `null` when it is not exactly of the form. */
export function readSteer(text: string): Steer | null {
  const [, cell, seconds, fraction] = FORM.exec(text) ?? [];
  if (cell === undefined || Number(seconds) > SECONDS_MAX) {
    return null;
  }
  return { cell, seconds: Number(seconds), fraction: Number(fraction) };
}
