/** Chance that can be played again: a seed gives the same numbers (Steele and others' SplitMix, 32 bits of it). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** One of them. */
  pick<T>(of: readonly T[]): T {
    const picked = of[this.below(of.length)];
    if (picked === undefined) {
      throw new RangeError("nothing to pick from");
    }
    return picked;
  }
}
