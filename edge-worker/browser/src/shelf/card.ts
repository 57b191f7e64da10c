/** A card: an item's picture, title and category, linked. All of it set as text and as checked addresses. */

import { element } from "./element.js";
import type { Shown } from "./items.js";

/** Pixels of the image's own box. It is laid out square by the style, whatever comes. */
const IMAGE_PX = 320;

/** The link that fills a card. */
export function card({ item, href, image }: Shown): HTMLAnchorElement {
  const link = element("a", "link");
  link.href = href;
  link.append(picture(item.title, image), line("title", item.title), line("category", wording(item.category)));
  return link;
}

/** The picture says nothing that the title does not: it is hidden from a screen reader, mark and all. */
function picture(title: string, image: string | null): HTMLElement {
  const box = element("span", "picture");
  box.setAttribute("aria-hidden", "true");
  // The first letter of the title stands where there is no image, or none that loads.
  box.dataset["mark"] = /\p{L}|\p{N}/u.exec(title)?.[0].toUpperCase() ?? "";
  if (image !== null) {
    const img = element("img", "image");
    img.alt = "";
    img.width = img.height = IMAGE_PX;
    img.loading = "lazy";
    img.decoding = "async";
    img.draggable = false;
    img.addEventListener("error", () => img.remove(), { once: true });
    img.src = image;
    box.append(img);
  }
  return box;
}

function line(name: "title" | "category", text: string): HTMLElement {
  const span = element("span", name);
  span.dir = "auto";
  span.textContent = text;
  if (name === "title") {
    span.title = text;
  }
  return span;
}

/** `category` as words: a slug's hyphens are spaces to a reader. */
function wording(category: string): string {
  return /^[a-z0-9]+(-[a-z0-9]+)+$/.test(category) ? category.replaceAll("-", " ") : category;
}
