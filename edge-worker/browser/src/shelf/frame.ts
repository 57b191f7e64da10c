/** What stands in a shelf's shadow root whatever it shows: heading, buttons, and one of cards, ghosts or nothing. */

import { element } from "./element.js";
import { sheet } from "./style.js";

/** Ghosts in an empty shelf: enough for the widest page. */
const GHOSTS = 10;

export class Frame {
  readonly region = element("section", "shelf");
  readonly cards = element("ul", "cards");
  readonly previous = element("button", "button previous");
  readonly next = element("button", "button next");
  readonly #head = element("div", "head");
  readonly #ghosts = element("div", "ghosts");
  readonly #empty = element("p", "empty");
  #heading: HTMLElement | null = null;

  constructor(root: ShadowRoot) {
    root.adoptedStyleSheets = [sheet()];
    const buttons = element("div", "buttons");
    for (const button of [this.previous, this.next]) {
      button.type = "button";
    }
    buttons.append(this.previous, this.next);
    this.#head.append(buttons);
    // Without its marks a list is no list to some browsers, unless it says so.
    this.cards.setAttribute("role", "list");
    this.#ghosts.setAttribute("aria-hidden", "true");
    for (let n = 0; n < GHOSTS; n += 1) {
      this.#ghosts.append(element("div", "ghost"));
    }
    this.region.setAttribute("aria-labelledby", "heading");
    this.region.append(this.#head, this.cards, this.#ghosts, this.#empty);
    root.append(this.region);
    this.show("ghosts");
  }

  show(what: "cards" | "ghosts" | "empty"): void {
    // Who was on a card that goes is left at the shelf, not at the top of the page.
    if (what !== "cards" && this.cards.matches(":focus-within")) {
      this.region.tabIndex = -1;
      this.region.focus({ preventScroll: true });
      this.region.addEventListener("blur", () => this.region.removeAttribute("tabindex"), { once: true });
    }
    this.cards.hidden = what !== "cards";
    this.#ghosts.hidden = what !== "ghosts";
    this.#empty.hidden = what !== "empty";
    this.region.setAttribute("aria-busy", String(what === "ghosts"));
  }

  /** `level`: of the heading among the page's, 1 to 6. */
  name(label: string, level: number): void {
    if (this.#heading?.localName !== `h${level}`) {
      const heading = element(`h${level}` as "h2", "heading");
      heading.id = "heading";
      this.#heading?.remove();
      this.#head.prepend((this.#heading = heading));
    }
    if (this.#heading.textContent !== label) {
      this.#heading.textContent = label;
    }
  }

  say(previous: string, next: string, empty: string): void {
    this.previous.setAttribute("aria-label", previous);
    this.next.setAttribute("aria-label", next);
    this.#empty.textContent = empty;
  }
}
