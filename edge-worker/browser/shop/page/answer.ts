/** How the second shelf came about: rung, reason, cell, snapshot, age, times, receipt; or why the list stays. */

import type { Answered, Ranking } from "domicile-browser";
import type { StaysDetail } from "domicile-browser/shelf";
import { facts, h } from "./dom.js";
import { age, country } from "./names.js";
import type { Region, Setup } from "./setup.js";
import { FEATURES, RUNGS, reason, why } from "./words.js";

/** What is shown of a receipt. */
interface Stated {
  readonly cell: string;
  readonly boundary: string;
  readonly class: string;
  readonly time: string;
  readonly rung: string;
}

export class AnswerPanel {
  readonly #body: HTMLElement;
  readonly #setup: Setup;

  constructor(body: HTMLElement, setup: Setup) {
    this.#body = body;
    this.#setup = setup;
  }

  awaited(): void {
    this.#body.replaceChildren(h("p", { class: "note" }, "Asking…"));
  }

  /** A personal shelf is shown. `waited_ms`: by the page's clock. */
  personal(answer: Answered<Ranking>, waited_ms: number): void {
    const { rung, reason: because, snapshot, features, elapsed_us } = answer.value;
    const known = FEATURES[features.state] ?? features.state;
    const hasAge = features.state === "fresh" || features.state === "stale";
    const old = hasAge ? `${known}; newest entry ${age(features.age_s)} old` : known;
    const extra = answer.extra === null ? "none was needed" : `spent: ${answer.extra}`;
    this.#body.replaceChildren(
      verdict("good", "A personal shelf", RUNGS[rung]),
      facts([
        ["Rung", code(rung), `${because}: ${why(because)}`],
        ["Cell", code(answer.cell), this.#place(answer.cell)],
        ["Known of the shopper", code(features.state), old],
        ["Time", `${waited_ms} ms on the page`, `${(elapsed_us / 1_000).toFixed(1)} ms of them in the cell`],
        ["Receipt", ...receipt(answer)],
        ["Snapshot", code(short(snapshot)), "the one set of models and tables that made this answer"],
        ["Extra attempt", extra],
      ]),
    );
  }

  /** The list stays. */
  stays(detail: StaysDetail, region: Region): void {
    const lawful = region.cells.length === 0;
    const told = lawful && detail.reason !== "logged-out" ? "no-cell" : detail.reason;
    const said = detail.code === null ? detail.reason : `${detail.reason}: ${detail.code}`;
    const of = detail.rung === null ? [] : [["Answer that is not shown", code(detail.rung), `from ${detail.cell ?? "a cell"}`] as const];
    this.#body.replaceChildren(
      verdict(lawful || detail.reason === "no-grant" ? "calm" : "warn", "The list stays", reason(told)),
      facts([
        ["Reason", code(said)],
        ["Class", code(region.class), lawful ? "no cell of any operator is in it" : `cells: ${region.cells.join(", ")}`],
        ...of,
        ["Time", `${detail.ms} ms on the page`],
        ["Receipt", "none", "nothing personal is shown"],
      ]),
    );
  }

  #place(name: string): string {
    const cell = this.#setup.cells.find((one) => one.name === name);
    return cell === undefined ? "" : `boundary ${cell.boundary}, operator “${cell.operator}”, ${country(cell.jurisdiction)}`;
  }
}

function verdict(tone: "good" | "calm" | "warn", title: string, text: string): HTMLElement {
  return h("div", { class: `verdict ${tone}` }, h("strong", {}, title), h("span", {}, text));
}

function code(text: string): HTMLElement {
  return h("code", {}, text);
}

/** The client shows no answer whose receipt it could not verify: what is shown here was. */
function receipt(answer: Answered<Ranking>): [HTMLElement, string] {
  const stated = read(answer.kept.receipt);
  const mark = h("span", { class: "tick" }, "verified by this page");
  if (stated === null) {
    return [mark, "signed by the cell's key over this request and this answer"];
  }
  const said = `cell ${stated.cell}, boundary ${stated.boundary}, class ${stated.class}, ${stated.time}`;
  return [mark, `signed by the cell's key over this request and this answer. It states: ${said}. It is the operator's word, not proof of a place.`];
}

function read(envelope: string): Stated | null {
  try {
    const { payload } = JSON.parse(envelope) as { readonly payload: string };
    return JSON.parse(atob(payload)) as Stated;
  } catch {
    return null;
  }
}

function short(id: string): string {
  const [algorithm, hash] = id.split(":", 2);
  return hash === undefined ? id : `${algorithm}:${hash.slice(0, 12)}…`;
}
