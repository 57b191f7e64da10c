/** A product's card, the same on both shelves: picture, title, category, and a button. */

import type { Item } from "domicile-browser";
import type { RenderCard } from "domicile-browser/shelf";
import { h } from "./dom.js";
import { category } from "./names.js";

/** Makes cards that call `add` with the item's id. */
export function cards(add: (id: string, title: string) => void): RenderCard {
  return (item) => {
    const button = h("button", { type: "button", class: "add", "aria-label": `Add ${item.title} to the basket` }, "Add");
    button.addEventListener("click", () => add(item.id, item.title));
    return h("article", { class: "product" }, link(item), button);
  };
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
