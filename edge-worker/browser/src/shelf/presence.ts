/**
 * Whether a shopper is at the shelf: then nothing may move under them.
 *
 * Being there now counts for pointer and focus. Having pressed, wheeled or typed in it, having scrolled its cards, or
 * having scrolled the page until it came into view counts for good: who went there has begun to read.
 */

const TOUCHES = ["pointerdown", "touchstart", "wheel", "keydown"] as const;

export class Presence {
  readonly #host: HTMLElement;
  readonly #cards: HTMLElement;
  #stop: AbortController | null = null;
  #observer: IntersectionObserver | null = null;
  #touched = false;
  #scrolled = false;
  /** Where the page stood at the start. */
  #top = 0;
  /** As of the last frame; `null` before the first, when nothing was painted yet. */
  #visible: boolean | null = null;

  constructor(host: HTMLElement, cards: HTMLElement) {
    this.#host = host;
    this.#cards = cards;
  }

  /**
   * Watches from now on, as if nobody had been there. `painted`: whether what is there was painted before; then a page
   * that has been scrolled already may have been scrolled to it.
   */
  start(painted: boolean): void {
    this.stop();
    this.#touched = false;
    this.#top = scrollY;
    this.#scrolled = painted && scrollY > 0;
    this.#visible = this.#scrolled ? false : null;
    this.#stop = new AbortController();
    const options = { capture: true, passive: true, signal: this.#stop.signal };
    const touch = (): void => void (this.#touched = true);
    for (const name of TOUCHES) {
      this.#host.addEventListener(name, touch, options);
    }
    document.addEventListener("scroll", () => void (this.#scrolled = true), options);
    this.#observer = new IntersectionObserver((entries) => this.#look(entries.at(-1)?.isIntersecting === true));
    this.#observer.observe(this.#host);
  }

  stop(): void {
    this.#stop?.abort();
    this.#observer?.disconnect();
    this.#stop = this.#observer = null;
  }

  get inUse(): boolean {
    // What was scrolled since the last frame is not with observer and listener yet.
    if (this.#visible === false) {
      this.#scrolled ||= scrollY !== this.#top;
      this.#look(this.#inView());
    }
    return (
      this.#touched ||
      Math.abs(this.#cards.scrollLeft) > 1 ||
      this.#host.matches(":hover, :focus-within")
    );
  }

  #look(visible: boolean): void {
    if (visible && this.#visible === false && this.#scrolled) {
      this.#touched = true;
    }
    this.#visible = visible;
  }

  #inView(): boolean {
    const { top, bottom, left, right } = this.#host.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  }
}
