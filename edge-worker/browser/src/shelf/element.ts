/** An element whose class and part are one name. */
export function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, name: string): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = name;
  made.setAttribute("part", name);
  return made;
}
