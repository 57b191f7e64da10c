/** The demo's shop: puts its parts together, and `<domicile-shelf>` among them as any shop would. */

import { domicile } from "domicile-browser";
import type { Domicile } from "domicile-browser";
import { connect } from "domicile-browser/shelf";
import type { DomicileShelf } from "domicile-browser/shelf";
import { AnswerPanel } from "./answer.js";
import { Basket } from "./basket.js";
import { cards } from "./card.js";
import { Cells } from "./cells.js";
import { Chooser } from "./chooser.js";
import { byId, h } from "./dom.js";
import { Saw } from "./saw.js";
import { own } from "./setup.js";
import type { Product, Region, Setup } from "./setup.js";
import { Sessions } from "./shopper.js";
import type { Who } from "./shopper.js";
import { Views } from "./views.js";

/** Between two looks at recorder and cells, in milliseconds: both are of this machine. */
const LOOK_MS = 1_000;

class Shop {
  readonly #setup: Setup;
  readonly #client: Domicile;
  readonly #sessions: Sessions;
  readonly #list = shelf("list");
  readonly #personal = shelf("personal");
  readonly #basket: Basket;
  readonly #views: Views;
  readonly #panel: AnswerPanel;
  readonly #saw = new Saw(byId("saw-body", HTMLElement));
  readonly #cells: Cells;
  readonly #chooser: Chooser;
  readonly #moved = byId("moved", HTMLElement);
  readonly #badge = byId("badge", HTMLElement);
  /** One shopper after the other, however fast they are chosen. */
  #becoming = Promise.resolve();
  /** Ids of the last personal shelf of this place, to say what changed. */
  #before: { readonly key: string; readonly ids: readonly string[] } | null = null;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#sessions = new Sessions(setup.identity);
    const { edge, roots } = setup;
    this.#client = domicile({ edge, roots, grant: this.#sessions.grant });
    this.#basket = new Basket(() => this.#basketChanged());
    const view = byId("view", HTMLElement);
    this.#views = new Views(view, this.#basket, (product) => this.#add(product), () => this.#buy());
    this.#panel = new AnswerPanel(byId("answer-body", HTMLElement), setup);
    this.#cells = new Cells(setup);
    this.#chooser = new Chooser(setup, () => void this.#chosen());
    // The first shelf never asks for anything personal: a connection of its own, without grants.
    this.#list.domicile = domicile({ edge, roots, grant: () => Promise.resolve(null) });
    connect(this.#client);
    const render = cards((id) => void this.#addById(id));
    this.#list.renderCard = this.#personal.renderCard = render;
  }

  async open(): Promise<void> {
    this.#listen();
    await this.#chosen();
    setInterval(() => document.hidden || this.#look(), LOOK_MS);
  }

  get #region(): Region {
    const found = this.#setup.locales.find(({ locale }) => locale === this.#chooser.locale);
    return found ?? { locale: this.#chooser.locale, class: "", cells: [] };
  }

  #listen(): void {
    this.#personal.addEventListener("domicile-personal", ({ detail }) => {
      const answer = this.#personal.answer;
      if (answer !== null) {
        this.#panel.personal(answer, detail.ms);
        this.#badge.toggleAttribute("data-personal", true);
        this.#badge.textContent = `Personal: rung ${detail.rung}, cell ${detail.cell}, after ${detail.ms} ms`;
        this.#saw.of(answer.kept.request);
        this.#compare(answer.value.items.map(({ id }) => id));
      }
      this.#look();
    });
    this.#personal.addEventListener("domicile-stays", ({ detail }) => {
      this.#panel.stays(detail, this.#region);
      this.#badge.toggleAttribute("data-personal", false);
      this.#badge.textContent = `The list: ${detail.reason}`;
      this.#look();
    });
    for (const one of [this.#list, this.#personal]) {
      one.addEventListener("domicile-select", (event) => {
        event.preventDefault();
        this.#go(new URL(event.detail.url).pathname);
      });
    }
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[data-view]") : null;
      if (link instanceof HTMLAnchorElement && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
        event.preventDefault();
        this.#go(link.pathname);
      }
    });
    addEventListener("popstate", () => this.#arrive());
    for (const button of document.querySelectorAll(".again")) {
      button.addEventListener("click", () => void this.#again());
    }
    byId("who", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
  }

  #chosen(): Promise<void> {
    this.#becoming = this.#becoming.then(() => this.#become(this.#chooser.locale, this.#chooser.who));
    return this.#becoming;
  }

  async #become(locale: string, who: Who): Promise<void> {
    this.#begin();
    this.#basket.clear();
    this.#moved.textContent = "";
    this.#before = null;
    const taken = await this.#sessions.become(who, this.#region.cells.length > 0, this.#client);
    this.#chooser.say(taken ? this.#said(who) : "The identity service cannot be reached: the list is shown.");
    this.#cells.allow(this.#region.cells);
    const isNew = this.#personal.getAttribute("locale") !== locale;
    await this.#view();
    if (!isNew) {
      this.#personal.refresh();
    }
  }

  #said(who: Who): string {
    const { cells, class: name } = this.#region;
    if (cells.length === 0) {
      return `Class ${name}: no cell may serve this region, so its shoppers see the list. Nothing personal leaves the page.`;
    }
    return who.is === "nobody"
      ? "Nobody is logged in: the page asks for the list and nothing else."
      : `Class ${name}: ${cells.join(" and ")} may serve this shopper, and no other cell, whatever fails.`;
  }

  #go(path: string): void {
    history.pushState(null, "", path);
    scrollTo({ top: 0, behavior: "instant" });
    this.#arrive();
  }

  /** Another page, as far as a shopper can tell: the focus is at its beginning, and no more in a shelf. */
  #arrive(): void {
    this.#moved.textContent = "";
    byId("main", HTMLElement).focus({ preventScroll: true });
    void this.#view();
  }

  /** Shows what belongs to the address, and has the shelves follow. */
  async #view(): Promise<void> {
    const about = await this.#views.show(location.pathname);
    if (about === null) {
      return;
    }
    const { slot, anchor } = about;
    const place = [slot, anchor.join(" "), this.#chooser.locale] as const;
    if (place.join() !== ["slot", "anchor", "locale"].map((name) => this.#personal.getAttribute(name) ?? "").join()) {
      this.#begin();
    }
    for (const one of [this.#list, this.#personal]) {
      one.setAttribute("slot", slot);
      one.setAttribute("anchor", one === this.#personal ? anchor.join(" ") : "");
      one.setAttribute("locale", this.#chooser.locale);
    }
  }

  /** The next view, once what was told has arrived: the shelf begins as on a page that was just opened. */
  async #again(): Promise<void> {
    await this.#client.flush();
    this.#begin();
    this.#personal.restart();
  }

  #begin(): void {
    this.#panel.awaited();
    this.#saw.begin();
    this.#badge.textContent = "Asking…";
  }

  async #addById(id: string): Promise<void> {
    const product = await own<Product>(`/demo/items/${id}`).catch(() => null);
    if (product !== null) {
      this.#add(product);
    }
  }

  #add(product: Product): void {
    this.#basket.add(product);
    this.#moved.textContent = `${product.title} is in the basket. ${this.#tell("basket", [product.id])}`;
  }

  #buy(): void {
    const bought = this.#basket.lines.map(({ product }) => product.id);
    this.#basket.clear();
    this.#moved.textContent = `Bought. ${this.#tell("purchase", bought)}`;
  }

  /** Tells the shopper's cell; in words, whether it did. */
  #tell(kind: "basket" | "purchase", items: readonly string[]): string {
    if (this.#sessions.who.is === "nobody" || this.#region.cells.length === 0) {
      return "Nobody was told.";
    }
    for (const item of items) {
      this.#client.tell({ kind, item }, this.#chooser.locale);
    }
    void this.#client.flush();
    return "The cell is told; the next view takes it into account.";
  }

  #basketChanged(): void {
    byId("basket-count", HTMLElement).textContent = String(this.#basket.count);
    if (location.pathname === "/basket") {
      void this.#view();
    }
  }

  #compare(ids: readonly string[]): void {
    const key = ["slot", "anchor", "locale"].map((name) => this.#personal.getAttribute(name)).join();
    if (this.#before?.key === key) {
      const changed = ids.filter((id, n) => this.#before?.ids[n] !== id).length;
      this.#moved.replaceChildren(changed === 0 ? "The same shelf as before." : h("strong", {}, `${changed} of ${ids.length} places changed since the last view.`));
    }
    this.#before = { key, ids };
  }

  #look(): void {
    void this.#saw.look();
    void this.#cells.look();
  }
}

function shelf(id: string): DomicileShelf {
  return byId(id, HTMLElement) as DomicileShelf;
}

const setup = await own<Setup>("/demo/setup").catch(() => null);
if (setup === null) {
  byId("who-note", HTMLElement).textContent = "The demo's server does not answer.";
} else {
  await new Shop(setup).open();
}
