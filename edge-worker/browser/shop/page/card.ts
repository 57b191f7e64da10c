/** A product's card, the same on both shelves: picture, title, category, and a button. */

import type { Item } from "domicile-browser";
import type { RenderCard } from "domicile-browser/shelf";
import { h } from "./dom.js";
import { category } from "./names.js";

/** Makes cards that call `add` with the item's id. */
export function cards(add: (id: string) => void): RenderCard {
  return (item) => {
    const button = h("button", { type: "button", class: "add", "aria-label": `Add ${item.title} to the basket` }, "Add");
    button.addEventListener("click", () => add(item.id));
    const card = h("article", { class: "product" }, link(item), button);
    stopWithin(card, button);
    return card;
  };
}

/** Has Tab stop at a card's button only from within the card: a shelf is one stop and its cards are gone along by arrows. */
function stopWithin(card: HTMLElement, button: HTMLButtonElement): void {
  button.tabIndex = -1;
  card.addEventListener("focusin", () => (button.tabIndex = 0));
  card.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && card.contains(relatedTarget))) {
      button.tabIndex = -1;
    }
  });
}

function link(item: Item): HTMLAnchorElement {
  const href = /^\/p\/[\w-]+$/.test(item.url) ? item.url : "/";
  return h(
    "a",
    { class: "product-link", href },
    picture(item.category),
    h("span", { class: "product-title", title: item.title }, item.title),
    h("span", { class: "product-category" }, category(item.category)),
  );
}

/** The picture of a category. It says nothing that the words beside it do not. */
export function picture(slug: string): HTMLElement {
  const src = `/img/${encodeURIComponent(slug)}.svg`;
  const image = h("img", { src, alt: "", width: 320, height: 320, loading: "lazy", decoding: "async", draggable: "false" });
  return h("span", { class: "picture" }, image);
}
