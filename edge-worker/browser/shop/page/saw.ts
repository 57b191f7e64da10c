/** What the edge saw: the sealed request of the shelf that is shown, and everything else that went there. */

import { bodyParts, hex, isSealed, NAMING, pathParts } from "./exchange.js";
import type { Body, EdgeAnswer, Exchange, Header, Part } from "./exchange.js";
import { facts, h } from "./dom.js";
import { own } from "./setup.js";

/** Exchanges that are listed. */
const LISTED = 40;

export class Saw {
  readonly #body: HTMLElement;
  readonly #exchanges = new Map<number, Exchange>();
  #next = 0;
  /** The first bytes of the request whose answer is shown; `null` where none is: then the newest. */
  #shown: string | null = null;
  /** Only what was seen since the shelf began anew belongs to it. */
  #from = 0;
  #drawn = "";
  #isOpen = false;

  constructor(body: HTMLElement) {
    this.#body = body;
  }

  /** A shelf begins: what was seen before is not of it. */
  begin(): void {
    this.#shown = null;
    this.#from = Math.max(0, ...this.#exchanges.keys());
  }

  /** The sealed request of the answer that is shown. */
  of(request: Uint8Array): void {
    this.#shown = hex(request);
    this.#draw();
  }

  /** Asks the recorder what is new. */
  async look(): Promise<void> {
    const changes = await own<{ next: number; exchanges: Exchange[] }>(`/demo/edge-saw?since=${this.#next}`).catch(() => null);
    if (changes === null) {
      return;
    }
    this.#next = changes.next;
    for (const exchange of changes.exchanges) {
      this.#exchanges.set(exchange.number, exchange);
    }
    this.#draw();
  }

  #draw(): void {
    const all = [...this.#exchanges.values()].sort((a, b) => b.number - a.number);
    const mine = this.#mine(all);
    const state = JSON.stringify([mine, all.length, all[0]?.came]);
    if (state === this.#drawn) {
      return;
    }
    this.#drawn = state;
    const rest = h("details", { open: this.#isOpen }, h("summary", {}, `All that reached the edge lately (${Math.min(all.length, LISTED)})`), alike(), table(all.slice(0, LISTED)));
    rest.addEventListener("toggle", () => (this.#isOpen = rest.open));
    this.#body.replaceChildren(...(mine === undefined ? [nothing()] : detail(mine, this.#shown !== null)), rest, about());
  }

  #mine(all: readonly Exchange[]): Exchange | undefined {
    const sealed = all.filter(isSealed);
    const shown = this.#shown;
    return shown === null
      ? sealed.filter(({ number }) => number > this.#from).at(-1)
      : sealed.find(({ asked }) => asked.body.first !== "" && shown.startsWith(asked.body.first));
  }
}

function nothing(): HTMLElement {
  return h("div", { class: "verdict calm" }, h("strong", {}, "Nothing sealed was sent"), h("span", {}, "The edge was asked for the list, which is the same for everybody."));
}

function alike(): HTMLElement {
  return h("p", { class: "note" }, "Rankings and events take one route and have one size: path and size do not tell them apart.");
}

function about(): HTMLElement {
  return h(
    "p",
    { class: "note" },
    "Recorded on this machine, by a demo tool in front of the edge: it is no part of the product. The browser adds " +
      "origin, user agent and language. The edge's component cannot read any header; its host can, and sees your IP " +
      "address too.",
  );
}

function detail({ asked, came }: Exchange, matched: boolean): HTMLElement[] {
  const naming = asked.headers.filter(([name]) => NAMING.includes(name)).map(([name]) => name);
  const answer = typeof came === "string" ? null : came.answer;
  const path = pathParts(asked.target);
  return [
    h("p", { class: "matched" }, matched ? "Byte for byte the request that this page sealed for the shelf above." : "The first sealed request of this view."),
    h("h3", {}, "Request"),
    h("div", { class: "bytes" }, h("p", { class: "line" }, h("code", {}, "POST /v1/sealed/"), ...strip(path, "/")), key(path)),
    facts([
      ["Headers that name a shopper", naming.length === 0 ? "none" : naming.join(", "), `looked for: ${NAMING.join(", ")}`],
      ["Body", `${asked.body.bytes.toLocaleString("en")} bytes`, "every sealed request has this size, whatever it asks"],
    ]),
    bytes(asked.body, bodyParts(asked.body.first)),
    headers(asked.headers),
    h("h3", {}, "Answer"),
    ...(answer === null ? [h("p", {}, came === "awaited" ? "not yet" : "the edge could not be reached")] : answered(answer)),
  ];
}

function answered(answer: EdgeAnswer): HTMLElement[] {
  const of = (name: string): string => answer.headers.find(([one]) => one === name)?.[1] ?? "none";
  const isSealedAnswer = of("content-type") === "message/ohttp-res";
  const parts = [{ text: answer.body.first, is: isSealedAnswer ? "sealed: readable on this page and nowhere else" : "in the clear: the list" }];
  return [
    facts([
      ["Status", `${answer.status}, after ${answer.ms} ms`],
      ["Outcome", h("code", {}, of("domicile-outcome")), "all that the edge says of it"],
      ["Body", `${answer.body.bytes.toLocaleString("en")} bytes`, of("content-type")],
    ]),
    bytes(answer.body, parts),
    headers(answer.headers),
  ];
}

function bytes(body: Body, parts: readonly Part[]): HTMLElement {
  const shown = parts.filter(({ text }) => text !== "");
  const code = h("code", { class: "hex" }, ...strip(shown, " "), body.bytes * 2 > body.first.length ? " …" : "");
  return h("div", { class: "bytes" }, code, key(shown));
}

/** What the colours mean. */
function key(parts: readonly Part[]): HTMLElement {
  const row = ({ is }: Part, n: number): HTMLElement => h("li", {}, h("span", { class: `swatch part-${n}`, "aria-hidden": "true" }), is);
  return h("ul", { class: "key" }, ...parts.map(row));
}

function strip(parts: readonly Part[], between: string): (HTMLElement | string)[] {
  return parts.flatMap(({ text, is }, n) => [n === 0 ? "" : between, h("span", { class: `part part-${n}`, title: is }, text)]);
}

function headers(all: readonly Header[]): HTMLElement {
  const rows = all.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)));
  const list = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Headers" }, h("table", {}, h("tbody", {}, ...rows)));
  return h("details", {}, h("summary", {}, `${all.length} headers, all of them`), list);
}

function table(all: readonly Exchange[]): HTMLElement {
  const row = ({ number, asked, came }: Exchange): HTMLElement => {
    const answer = typeof came === "string" ? null : came.answer;
    const outcome = answer?.headers.find(([name]) => name === "domicile-outcome")?.[1] ?? (answer === null ? String(came) : "");
    const path = asked.target.replace(/^(\/v1\/sealed\/.{6})[^/]*/, "$1…");
    return h("tr", {}, ...[number, `${asked.method} ${path}`, asked.body.bytes, answer?.status ?? "", outcome].map((cell) => h("td", {}, String(cell))));
  };
  const head = h("tr", {}, ...["No.", "Request", "Bytes", "Status", "Outcome"].map((name) => h("th", { scope: "col" }, name)));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "All that reached the edge" }, h("table", { class: "log" }, h("thead", {}, head), h("tbody", {}, ...all.map(row))));
}
