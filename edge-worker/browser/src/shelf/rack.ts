/**
 * The cards that stand on a shelf.
 *
 * A card is made anew where its item is another, and left alone where it is the same at the same place. It is never
 * moved: a browser counts an element that turns up elsewhere as a layout shift, and a new one as none.
 */

import type { Item } from "../api.js";
import { card } from "./card.js";
import type { Carousel } from "./carousel.js";
import { element } from "./element.js";
import { same, type Shown } from "./items.js";

/** Makes the shop's own card for an item; `index` from 0. It gets a card's fixed box and the page's own styles. */
export type RenderCard = (item: Item, index: number) => Element;

export class Rack {
  readonly #host: HTMLElement;
  readonly #cards: HTMLElement;
  readonly #carousel: Carousel;
  #shown: readonly Shown[] = [];
  #render: RenderCard | null = null;
  /** The shop's own cards, by their place. */
  #own: (Element | null)[] = [];

  constructor(host: HTMLElement, cards: HTMLElement, carousel: Carousel) {
    this.#host = host;
    this.#cards = cards;
    this.#carousel = carousel;
  }

  show(items: readonly Shown[], render: RenderCard | null): void {
    const focused = this.#carousel.focused;
    const id = this.#shown[focused]?.item.id;
    const anew = render !== this.#render;
    this.#render = render;
    for (let n = items.length; n < this.#shown.length; n += 1) {
      this.#take(n);
    }
    while (this.#cards.children.length > items.length) {
      this.#cards.lastElementChild?.remove();
    }
    for (const [n, item] of items.entries()) {
      if (anew || !same(item, this.#shown[n])) {
        this.#place(n, item);
      }
    }
    this.#shown = [...items];
    const there = items.findIndex(({ item }) => item.id === id);
    this.#carousel.changed(focused < 0 || there < 0 ? focused : there);
  }

  /** The item whose link an event came through. */
  linked(event: Event): { readonly index: number; readonly shown: Shown } | null {
    const path = event.composedPath();
    const index = Array.from(this.#cards.children).findIndex((one) => path.includes(one));
    const shown = this.#shown[index];
    const through = path.slice(0, path.indexOf(this.#cards)).some((one) => one instanceof HTMLAnchorElement);
    return shown !== undefined && through ? { index, shown } : null;
  }

  #place(index: number, shown: Shown): void {
    this.#take(index);
    const place = element("li", "card");
    const own = this.#made(shown.item, index);
    if (own === null) {
      place.append(card(shown));
    } else {
      // In the page's own tree, where its styles and scripts reach it.
      const slot = document.createElement("slot");
      own.slot = slot.name = `card-${index}`;
      place.append(slot);
      this.#host.append(own);
    }
    this.#own[index] = own;
    const before = this.#cards.children[index];
    if (before === undefined) {
      this.#cards.append(place);
    } else {
      before.replaceWith(place);
    }
  }

  #take(index: number): void {
    this.#own[index]?.remove();
    this.#own[index] = null;
  }

  /** The shop's own card; `null` where there is none, also when its code fails: the page hears of that as of any error. */
  #made(item: Item, index: number): Element | null {
    if (this.#render === null) {
      return null;
    }
    try {
      const made: unknown = this.#render(item, index);
      if (made instanceof Element) {
        return made;
      }
      throw new TypeError("renderCard has to return an element");
    } catch (error) {
      reportError(error);
      return null;
    }
  }
}
