/**
 * One visit of a shelf: a place, what the page is about, and what was got for it.
 *
 * List and ranking are asked for at the same time. Whatever comes first is shown; the ranking replaces the list only
 * within its limit and while nobody is at the shelf; nothing replaces a ranking but logout. A visit that has ended
 * shows nothing more, whatever still comes.
 */

import type { Answered, Domicile, List, Outcome, Place, Ranking } from "../api.js";
import { filled, shown, type Shown } from "./items.js";
import type { EmptyDetail, Moments, StaysDetail } from "./moments.js";

/** What a visit needs of the element. */
export interface Stage {
  readonly inUse: boolean;
  show(items: readonly Shown[], personal: boolean): void;
  /** Shows that something is to come. */
  await(): void;
  /** Shows that there is nothing. */
  empty(): void;
  tell<Name extends keyof Moments>(name: Name, detail: Moments[Name]): void;
}

/** What a visit is of. */
export interface Purpose {
  readonly place: Place;
  readonly anchor: readonly string[];
  /** Milliseconds; `null` for the manifest's. */
  readonly limit_ms: number | null;
  readonly domicile: Domicile;
}

/** Where list or ranking stand. `none`: over, and there is none. */
type Got<T> = { readonly is: "awaited" } | { readonly is: "none" } | { readonly is: "got"; readonly value: T };

const AWAITED = { is: "awaited" } as const;
const NONE = { is: "none" } as const;

export class Visit {
  readonly purpose: Purpose;
  /** Tells visits of one purpose from others. */
  readonly key: string;
  readonly #stage: Stage;
  readonly #base: string;
  readonly #ending = new AbortController();
  readonly #began = performance.now();
  #list: Got<readonly Shown[]> = AWAITED;
  #ranking: Got<Answered<Ranking>> = AWAITED;
  /** Counts rankings asked for: an answer to an earlier one is not shown. */
  #asked = 0;
  #failed: EmptyDetail["reason"] = "no-list";

  constructor(purpose: Purpose, key: string, stage: Stage, base: string) {
    this.purpose = purpose;
    this.key = key;
    this.#stage = stage;
    this.#base = base;
  }

  /** The answer that is shown. */
  get answer(): Answered<Ranking> | null {
    return this.#ranking.is === "got" ? this.#ranking.value : null;
  }

  /** Whether everything asked for has come, or will not. */
  get over(): boolean {
    return this.#list.is !== "awaited" && this.#ranking.is !== "awaited";
  }

  /** Whether there is no list, and none will come. */
  get listless(): boolean {
    return this.#list.is === "none";
  }

  /** Asks for both. `items`: the list, where the page's server wrote it; it is not asked for again then. */
  begin(items: readonly Shown[]): void {
    // First, since more has to come and go for it than for a list.
    void this.rank();
    if (items.length > 0) {
      this.#listed(items, "page", false);
    } else {
      this.#stage.await();
      void this.#fetch();
    }
  }

  /** Asks for a ranking once more, by the same rules. What is shown stays until it comes. */
  async rank(): Promise<void> {
    const asked = ++this.#asked;
    const { place, anchor, limit_ms, domicile } = this.purpose;
    const began = performance.now();
    const outcome = await attempt(() => domicile.rank(place, anchor, limit_ms ?? undefined));
    if (this.#ending.signal.aborted || asked !== this.#asked) {
      return;
    }
    const waited = performance.now() - began;
    if (outcome?.is === "answered") {
      this.#answered(outcome, waited);
    } else {
      this.#stay(outcome ?? { is: "stays", reason: "answer-lost", ms: waited });
    }
  }

  /** Logout: the personal shelf goes at once, and what is under way is not shown. */
  forget(): void {
    this.#asked += 1;
    if (this.#ranking.is === "none") {
      return;
    }
    this.#ranking = NONE;
    this.#settle();
    this.#stays({ reason: "logged-out", ms: this.#ms() });
  }

  end(): void {
    this.#ending.abort();
  }

  async #fetch(): Promise<void> {
    const signal = this.#ending.signal;
    const list = await attempt(() => this.purpose.domicile.list(this.purpose.place, signal));
    if (signal.aborted) {
      return;
    }
    const items = shown(list?.items, this.#base);
    if (items.length > 0) {
      this.#listed(items, "edge", (list as List).stale === true);
    } else {
      this.#failed = list === null ? "no-list" : "no-items";
      this.#list = NONE;
      this.#settle();
    }
  }

  #listed(items: readonly Shown[], from: "edge" | "page", stale: boolean): void {
    this.#list = { is: "got", value: items };
    if (this.#ranking.is === "got") {
      return;
    }
    this.#stage.show(items, false);
    this.#stage.tell("domicile-list", { ...this.purpose.place, from, items: items.length, stale, ms: this.#ms() });
  }

  #answered(answer: Answered<Ranking>, waited: number): void {
    const { place, limit_ms, domicile } = this.purpose;
    const { rung, reason } = answer.value;
    const items = shown(answer.value.items, this.#base);
    const late = waited > (limit_ms ?? domicile.page_limit_ms);
    const under = (this.#list.is === "got" || this.#ranking.is === "got") && this.#stage.inUse;
    const used = !late && !under && items.length > 0;
    const client_ms = Math.round(waited);
    domicile.tell({ kind: "impression", rung, shown: used ? "used" : "late", client_ms }, place.locale);
    if (!used) {
      const why = late ? "page-limit" : under ? "in-use" : "no-items";
      this.#none();
      this.#stays({ reason: why, rung, cell: answer.cell, ms: waited });
      return;
    }
    this.#ranking = { is: "got", value: answer };
    this.#stage.show(filled(items, this.#list.is === "got" ? this.#list.value : []), true);
    this.#stage.tell("domicile-personal", { ...place, rung, reason, cell: answer.cell, ms: client_ms });
  }

  #stay(outcome: Exclude<Outcome<Ranking>, Answered<Ranking>>): void {
    this.#none();
    if (outcome.is === "refused") {
      this.#stays({ reason: "refused", code: outcome.code, cell: outcome.cell, ms: outcome.ms });
    } else {
      this.#stays({ reason: outcome.reason, ms: outcome.ms });
    }
  }

  /** No ranking came. One that is shown already stays: it was right when it came. */
  #none(): void {
    if (this.#ranking.is !== "got") {
      this.#ranking = NONE;
    }
    if (this.#list.is === "none") {
      this.#settle();
    }
  }

  /** Shows what there is when nothing personal is. */
  #settle(): void {
    if (this.#list.is === "got") {
      this.#stage.show(this.#list.value, false);
    } else if (this.#list.is === "awaited") {
      this.#stage.await();
    } else if (this.#ranking.is === "none") {
      this.#stage.empty();
      this.#stage.tell("domicile-empty", { ...this.purpose.place, reason: this.#failed });
    }
  }

  #stays(what: Pick<StaysDetail, "reason" | "ms"> & Partial<StaysDetail>): void {
    const ms = Math.round(what.ms);
    this.#stage.tell("domicile-stays", { code: null, rung: null, cell: null, ...this.purpose.place, ...what, ms });
  }

  #ms(): number {
    return Math.round(performance.now() - this.#began);
  }
}

/** What came, or `null` where it was refused or could not even be asked for. */
async function attempt<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch {
    return null;
  }
}
