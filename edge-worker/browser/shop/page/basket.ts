/** The basket: in memory, and gone with the shopper. */

import type { Product } from "./setup.js";

export interface Line {
  readonly product: Product;
  readonly count: number;
}

export class Basket {
  readonly #lines = new Map<string, Line>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get lines(): readonly Line[] {
    return [...this.#lines.values()];
  }

  get count(): number {
    return this.lines.reduce((sum, { count }) => sum + count, 0);
  }

  /** US dollars. */
  get total(): number {
    return this.lines.reduce((sum, { product, count }) => sum + product.price * count, 0);
  }

  add(product: Product): void {
    this.#lines.set(product.id, { product, count: (this.#lines.get(product.id)?.count ?? 0) + 1 });
    this.#changed();
  }

  remove(id: string): void {
    this.#lines.delete(id);
    this.#changed();
  }

  clear(): void {
    this.#lines.clear();
    this.#changed();
  }
}
