/**
 * `<domicile-shelf slot locale>`: a place on a page, with what is popular at once and what is personal in its stead.
 *
 * The element puts together what the files beside it decide: what is shown when ({@link Visit}), whether a shopper is
 * at the shelf ({@link Presence}), which cards stand on it ({@link Rack}) and how one moves along them
 * ({@link Carousel}). docs/shelf.md is its manual.
 */

import type { Answered, Domicile, Place, Ranking } from "../api.js";
import { Carousel } from "./carousel.js";
import { connected, heed, onConnect } from "./connection.js";
import { Frame } from "./frame.js";
import { shown, type Shown } from "./items.js";
import { tell } from "./moments.js";
import { Presence } from "./presence.js";
import { Rack, type RenderCard } from "./rack.js";
import { rendered } from "./rendered.js";
import { Visit, type Purpose, type Stage } from "./visit.js";
import { direction, words } from "./words.js";

/** Ids that a ranking takes as an anchor (docs/cell.md). */
const ANCHORS = 32;

/** A class without elements where a server's renderer loads the module. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class DomicileShelf extends Base {
  static readonly observedAttributes = [
    ...["slot", "shelf", "locale", "anchor", "count", "dir", "level"],
    ...["label", "label-previous", "label-next", "label-empty"],
  ];

  readonly #frame: Frame;
  readonly #carousel: Carousel;
  readonly #presence: Presence;
  readonly #rack: Rack;
  readonly #stage: Stage;
  #domicile: Domicile | null = null;
  #renderCard: RenderCard | null = null;
  #items: readonly Shown[] = [];
  #personal = false;
  #visit: Visit | null = null;
  /** What the page's server wrote, and of which place. Read once: later the place may be another. */
  #written: { readonly key: string; readonly items: readonly Shown[] } | null = null;
  /** Open while the shelf is in the document. */
  #stay: AbortController | null = null;
  #due = false;

  constructor() {
    super();
    this.#frame = new Frame(this.attachShadow({ mode: "open" }));
    const { cards, previous, next } = this.#frame;
    this.#carousel = new Carousel(cards, previous, next);
    this.#presence = new Presence(this, cards);
    this.#rack = new Rack(this, cards, this.#carousel);
    this.#stage = this.#makeStage();
    this.addEventListener("click", (event) => this.#select(event));
  }

  /** The connection of this shelf; without one of its own, the one given to `connect`. */
  get domicile(): Domicile | null {
    return this.#domicile ?? connected();
  }

  set domicile(domicile: Domicile | null) {
    this.#domicile = domicile;
    this.#schedule();
  }

  /** The shop's own cards; `null` for the shelf's. */
  get renderCard(): RenderCard | null {
    return this.#renderCard;
  }

  set renderCard(render: RenderCard | null) {
    this.#renderCard = render;
    this.#restock();
  }

  /** The answer that is shown, with what proves it; `null` while the list is. */
  get answer(): Answered<Ranking> | null {
    return this.#visit?.answer ?? null;
  }

  /**
   * Asks for a ranking once more, and for the list where there was none. It is shown by the same rules as the first.
   * Nothing happens outside the document.
   */
  refresh(): void {
    if (this.#stay === null) {
      return;
    }
    this.#presence.start(false);
    if (this.#visit === null || this.#visit.listless) {
      this.#end();
      this.#schedule();
      return;
    }
    void this.#visit.rank();
  }

  /**
   * Begins anew, as on a page just opened: at the first card, with list and ranking asked for again, and as if nobody
   * had been there. What is under way is neither shown nor told. Outside the document it begins anew when it is put
   * back.
   */
  restart(): void {
    this.#clean();
    this.#schedule();
  }

  connectedCallback(): void {
    this.#adopt("domicile");
    this.#adopt("renderCard");
    if (this.#stay === null) {
      this.#stay = new AbortController();
      const { signal } = this.#stay;
      signal.addEventListener("abort", onConnect(() => this.#schedule()));
      addEventListener("pageshow", (event) => this.#back(event), { signal });
      this.#carousel.start();
      this.#presence.start(rendered(this).length > 0);
    }
    this.#schedule();
  }

  disconnectedCallback(): void {
    // Whoever moves an element takes it out and puts it in again at once.
    queueMicrotask(() => this.isConnected || this.#leave());
  }

  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** At logout, by the connection: the list is shown again. */
  forget(): void {
    this.#visit?.forget();
  }

  /** Several changes make one update, and a page's list is read when all of it is there. */
  #schedule(): void {
    if (this.#due || this.#stay === null) {
      return;
    }
    this.#due = true;
    const update = (): void => {
      this.#due = false;
      if (this.#stay !== null) {
        this.#update();
      }
    };
    if (document.readyState === "loading") {
      document.addEventListener("DOMContentLoaded", update, { once: true });
    } else {
      queueMicrotask(update);
    }
  }

  #update(): void {
    this.#look();
    const place = this.#place();
    const domicile = this.domicile;
    const anchor = (this.getAttribute("anchor") ?? "").split(/\s+/).filter(Boolean).slice(0, ANCHORS);
    const key = JSON.stringify([place, anchor]);
    if (this.#visit !== null && this.#visit.key === key && this.#visit.purpose.domicile === domicile) {
      this.#restock();
      return;
    }
    if (this.#visit !== null) {
      this.#clean();
    }
    this.#written ??= { key, items: shown(rendered(this), document.baseURI) };
    const written = this.#written.key === key ? this.#written.items : [];
    if (place === null || domicile === null) {
      if (written.length > 0) {
        this.#stage.show(written, false);
      } else {
        this.#stage.await();
      }
      return;
    }
    heed(domicile, this);
    const limit = Number.parseInt(this.getAttribute("limit-ms") ?? "", 10);
    const purpose: Purpose = { place, anchor, domicile, limit_ms: limit > 0 ? limit : null };
    this.#visit = new Visit(purpose, key, this.#stage, document.baseURI);
    this.#visit.begin(written);
  }

  #place(): Place | null {
    const locale = this.getAttribute("locale") ?? "";
    const slot = this.getAttribute("shelf") ?? this.getAttribute("slot") ?? "";
    return locale === "" || slot === "" ? null : { locale, slot };
  }

  #look(): void {
    const locale = this.getAttribute("locale") ?? "";
    const own = words(locale);
    const say = (name: string, otherwise: string): string => this.getAttribute(name) ?? otherwise;
    const level = Number.parseInt(this.getAttribute("level") ?? "", 10);
    this.#frame.region.lang = locale;
    this.#frame.region.dir = this.getAttribute("dir") ?? direction(locale);
    this.#frame.name(say("label", own.label), level >= 1 && level <= 6 ? level : 2);
    this.#frame.say(
      say("label-previous", own.previous),
      say("label-next", own.next),
      say("label-empty", own.empty),
    );
  }

  #makeStage(): Stage {
    const presence = this.#presence;
    return {
      get inUse() {
        return presence.inUse;
      },
      show: (items, personal) => {
        this.#items = items;
        this.#personal = personal;
        this.#frame.show("cards");
        this.#restock();
      },
      await: () => this.#clear("ghosts"),
      empty: () => this.#clear("empty"),
      tell: (name, detail) => void tell(this, name, detail),
    };
  }

  #restock(): void {
    const count = Number.parseInt(this.getAttribute("count") ?? "", 10);
    this.#rack.show(count > 0 ? this.#items.slice(0, count) : this.#items, this.#renderCard);
  }

  #clear(what: "ghosts" | "empty"): void {
    this.#items = [];
    this.#personal = false;
    this.#frame.show(what);
    this.#restock();
  }

  #select(event: MouseEvent): void {
    const linked = this.#rack.linked(event);
    const place = this.#visit?.purpose.place ?? this.#place();
    if (linked === null || place === null) {
      return;
    }
    const { index, shown } = linked;
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (this.getAttribute("tells") === "view") {
      this.domicile?.tell({ kind: "view", item: shown.item.id }, place.locale);
    }
    const detail = { ...place, id: shown.item.id, url: shown.href, index, personal: this.#personal };
    if (!tell(this, "domicile-select", detail, plain)) {
      event.preventDefault();
    }
  }

  /** Out of the back/forward cache: what was there stays. Only a shelf without a list begins anew. */
  #back(event: PageTransitionEvent): void {
    if (event.persisted && this.#visit?.listless === true) {
      this.refresh();
    }
  }

  #leave(): void {
    this.#stay?.abort();
    this.#stay = null;
    this.#carousel.stop();
    this.#presence.stop();
    // What is over is still true when the shelf comes back; what is under way would come to nobody.
    if (this.#visit?.over === false) {
      this.#end();
    }
  }

  /** Leaves nothing of what a shopper did here. */
  #clean(): void {
    this.#end();
    this.#carousel.rewind();
    if (this.#stay !== null) {
      this.#presence.start(false);
    }
  }

  #end(): void {
    this.#visit?.end();
    this.#visit = null;
  }

  /** A property that was set before the element was defined hides the accessor. */
  #adopt(name: "domicile" | "renderCard"): void {
    if (!Object.hasOwn(this, name)) {
      return;
    }
    const value = this[name];
    delete (this as Partial<Pick<DomicileShelf, "domicile" | "renderCard">>)[name];
    Object.assign(this, { [name]: value });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "domicile-shelf": DomicileShelf;
  }
}

const registry = (globalThis as { customElements?: CustomElementRegistry }).customElements;
if (registry?.get("domicile-shelf") === undefined) {
  registry?.define("domicile-shelf", DomicileShelf);
}
