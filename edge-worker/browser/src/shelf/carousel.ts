/**
 * Moving along the cards, by keyboard and by buttons.
 *
 * One card is a stop of the Tab key, the arrows go from card to card (roving `tabindex`, ARIA Authoring Practices,
 * "Managing focus within components"), and Tab leaves. Left and right are the reader's: in a language that runs
 * leftward the next card is to the left.
 */

const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";
const TYPED = "input, select, textarea, [contenteditable]";

export class Carousel {
  readonly #cards: HTMLElement;
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  readonly #resizes: ResizeObserver;
  #current = 0;

  constructor(cards: HTMLElement, previous: HTMLButtonElement, next: HTMLButtonElement) {
    this.#cards = cards;
    this.#previous = previous;
    this.#next = next;
    cards.addEventListener("keydown", (event) => this.#key(event));
    cards.addEventListener("focusin", (event) => this.#rove(this.#index(event)));
    cards.addEventListener("scroll", () => this.#ends(), { passive: true });
    previous.addEventListener("click", () => this.#page(-1));
    next.addEventListener("click", () => this.#page(1));
    this.#resizes = new ResizeObserver(() => this.#ends());
  }

  start(): void {
    this.#resizes.observe(this.#cards);
  }

  stop(): void {
    this.#resizes.disconnect();
  }

  /** Index of the card that has the focus, or holds what has it; -1 where none. */
  get focused(): number {
    return Array.from(this.#cards.children).findIndex((card) => card.matches(":focus-within"));
  }

  /** To be called when the cards are others. `focus`: the card that is to have the focus, where one had it. */
  changed(focus: number): void {
    this.#rove(focus >= 0 ? focus : this.#current);
    if (focus >= 0 && this.focused !== this.#current) {
      this.#target(this.#current)?.focus();
    }
    // With the frame that lays them out: asked for now, the whole page would be laid out for it.
    requestAnimationFrame(() => this.#ends());
  }

  /** Back to the first card. */
  rewind(): void {
    this.#current = 0;
    this.#cards.scrollTo({ left: 0, behavior: "instant" });
  }

  #key(event: KeyboardEvent): void {
    const from = event.composedPath()[0];
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) {
      return;
    }
    if (from instanceof Element && from.matches(TYPED)) {
      return;
    }
    const last = this.#cards.children.length - 1;
    const forward = this.#leftward ? "ArrowLeft" : "ArrowRight";
    const back = this.#leftward ? "ArrowRight" : "ArrowLeft";
    const steps: Readonly<Record<string, number>> = {
      [forward]: Math.min(this.#current + 1, last),
      [back]: Math.max(this.#current - 1, 0),
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (to === undefined) {
      return;
    }
    event.preventDefault();
    this.#target(to)?.focus();
  }

  /** Makes one card the stop of the Tab key. */
  #rove(index: number): void {
    const count = this.#cards.children.length;
    if (index < 0 || count === 0) {
      return;
    }
    this.#current = Math.min(index, count - 1);
    for (let n = 0; n < count; n += 1) {
      this.#target(n)?.setAttribute("tabindex", n === this.#current ? "0" : "-1");
    }
  }

  /** What of a card takes the focus: its link; of a shop's own card the first that can. */
  #target(index: number): HTMLElement | null {
    const content = this.#cards.children[index]?.firstElementChild;
    const own = content instanceof HTMLSlotElement ? content.assignedElements()[0] : content;
    if (own === null || own === undefined) {
      return null;
    }
    return own instanceof HTMLElement && own.matches(FOCUSABLE) ? own : own.querySelector<HTMLElement>(FOCUSABLE);
  }

  #index(event: Event): number {
    const path = event.composedPath();
    return Array.from(this.#cards.children).findIndex((card) => path.includes(card));
  }

  #page(way: 1 | -1): void {
    if ((way === 1 ? this.#next : this.#previous).getAttribute("aria-disabled") === "true") {
      return;
    }
    const step = this.#step();
    const by = Math.max(1, Math.floor(this.#cards.clientWidth / step)) * step;
    this.#cards.scrollBy({ left: this.#leftward ? -way * by : way * by });
  }

  /** Pixels from a card to the next. */
  #step(): number {
    const [first, second] = Array.from(this.#cards.children, (card) => card.getBoundingClientRect().left);
    return first === undefined || second === undefined ? this.#cards.clientWidth : Math.abs(second - first);
  }

  /** A button that leads nowhere says so, and keeps the focus it may have: `disabled` would drop it. */
  #ends(): void {
    const { scrollLeft, clientWidth, scrollWidth } = this.#cards;
    const gone = Math.abs(scrollLeft);
    const rest = scrollWidth - clientWidth - gone;
    this.#previous.setAttribute("aria-disabled", String(gone <= 1));
    this.#next.setAttribute("aria-disabled", String(rest <= 1));
    this.#previous.parentElement?.toggleAttribute("data-idle", gone <= 1 && rest <= 1);
  }

  get #leftward(): boolean {
    return getComputedStyle(this.#cards).direction === "rtl";
  }
}
