/** What stands above the shelves: a welcome, a product, or the basket. Addresses are real ones, and need no reload. */

import type { Basket } from "./basket.js";
import { picture } from "./card.js";
import { h } from "./dom.js";
import { category, money } from "./names.js";
import { placeOf } from "./place.js";
import type { Place } from "./place.js";
import type { Product } from "./setup.js";
import { own } from "./setup.js";

/** What the shelves are about. */
export interface About {
  readonly slot: Place;
  readonly anchor: readonly string[];
}

export class Views {
  readonly #place: HTMLElement;
  /** It is in the page from the start. */
  readonly #welcome: Element;
  readonly #basket: Basket;
  readonly #add: (product: Product) => void;
  readonly #buy: () => void;
  /** Counts what was asked for: the last one is shown. */
  #asked = 0;

  /** `add` puts a product into the basket, `buy` buys what is in it. */
  constructor(place: HTMLElement, basket: Basket, add: (product: Product) => void, buy: () => void) {
    this.#place = place;
    this.#welcome = place.firstElementChild ?? h("div");
    this.#basket = basket;
    this.#add = add;
    this.#buy = buy;
  }

  /** Shows what belongs to a path; `null` where another was asked for meanwhile. */
  async show(path: string): Promise<About | null> {
    const asked = ++this.#asked;
    const id = /^\/p\/([\w-]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const product = await own<Product>(`/demo/items/${id}`).catch(() => null);
      if (asked !== this.#asked) {
        return null;
      }
      this.#fill("product", product === null ? missing() : this.#product(product));
      return { slot: "product", anchor: product === null ? [] : [id] };
    }
    const slot = placeOf(path);
    if (slot === "basket") {
      this.#fill(slot, this.#lines());
      return { slot, anchor: this.#basket.lines.map(({ product }) => product.id) };
    }
    this.#fill("home", this.#welcome);
    return { slot: "home", anchor: [] };
  }

  #fill(place: Place, content: Element): void {
    document.documentElement.dataset["place"] = place;
    if (content !== this.#place.firstElementChild) {
      this.#place.replaceChildren(content);
    }
    document.title = `${content.querySelector("h1")?.textContent ?? "Larder"} · Larder, a demo shop`;
  }

  #product(product: Product): HTMLElement {
    const add = h("button", { type: "button", class: "primary" }, "Add to basket");
    add.addEventListener("click", () => this.#add(product));
    return h(
      "div",
      { class: "item" },
      picture(product.category),
      h(
        "div",
        {},
        h("p", { class: "crumb" }, category(product.category)),
        h("h1", {}, product.title),
        h("p", { class: "price" }, money(product.price)),
        add,
        h("p", { class: "note" }, "Adding it is told to the shopper's cell, sealed like everything personal."),
      ),
    );
  }

  #lines(): HTMLElement {
    const lines = this.#basket.lines;
    const rows = lines.map(({ product, count }) => {
      const remove = h("button", { type: "button", class: "quiet", "aria-label": `Remove ${product.title}` }, "Remove");
      remove.addEventListener("click", () => this.#basket.remove(product.id));
      const title = h("a", { href: product.url, "data-view": true }, product.title);
      const price = h("span", { class: "price" }, money(product.price * count));
      return h("li", {}, picture(product.category), h("span", {}, title, h("span", { class: "hint" }, `${count} × ${money(product.price)}`)), price, remove);
    });
    if (lines.length === 0) {
      return h("div", { class: "basket" }, h("h1", {}, "Your basket"), h("p", { class: "note" }, "Nothing is in it."));
    }
    const buy = h("button", { type: "button", class: "primary" }, "Buy");
    buy.addEventListener("click", () => this.#buy());
    return h(
      "div",
      { class: "basket" },
      h("h1", {}, "Your basket"),
      h("ul", { class: "lines" }, ...rows),
      h("p", { class: "total" }, "Total ", h("strong", {}, money(this.#basket.total))),
      buy,
      h("p", { class: "note" }, "Nothing is charged: buying is told to the shopper's cell, sealed, and that is all."),
    );
  }
}

function missing(): HTMLElement {
  return h("div", { class: "welcome missing" }, h("h1", {}, "No such product"), h("p", {}, "The catalogue has nothing under this number."));
}
