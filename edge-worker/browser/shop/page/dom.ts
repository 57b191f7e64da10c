/** Elements from values. Text is set as text: titles, reasons and headers come from elsewhere. */

type Child = Node | string | null;

/** What an element is given: attributes by name; `false` and `null` leave one out, `true` sets it empty. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** An element with attributes and children. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The element of the page with this id. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) {
    throw new Error(`the page has no ${kind.name} #${id}`);
  }
  return found;
}

/** A list of names and what they are. */
export function facts(rows: readonly (readonly [name: string, value: Child, note?: string])[]): HTMLDListElement {
  const list = h("dl", { class: "facts" });
  for (const [name, value, note] of rows) {
    list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value, note === undefined ? null : h("span", { class: "hint" }, note))));
  }
  return list;
}
