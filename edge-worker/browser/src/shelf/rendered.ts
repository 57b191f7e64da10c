/**
 * The list as the shop's server wrote it: light DOM with microdata (schema.org `Product`).
 *
 * It has to be seen before any script runs and without one, so the list must stand there as elements. A JSON block
 * beside them would say everything twice, could disagree, and needs `</script>` escaped; microdata names what already
 * stands there, and search engines read it too.
 */

import type { Item } from "../api.js";

/** The items among `host`'s children, unchecked; empty where the server wrote none. */
export function rendered(host: Element): Item[] {
  return Array.from(host.querySelectorAll("[itemscope]"), (scope) => ({
    id: property(scope, "sku"),
    title: property(scope, "name"),
    category: property(scope, "category"),
    image: property(scope, "image"),
    url: property(scope, "url"),
  }));
}

/** A property's value, by the element that carries it (HTML, microdata: values). */
function property(scope: Element, name: string): string {
  const element = scope.querySelector(`[itemprop~="${name}"]`);
  if (element === null) {
    return "";
  }
  for (const attribute of ["content", "href", "src"]) {
    const value = element.getAttribute(attribute);
    if (value !== null) {
      return value;
    }
  }
  return element.textContent ?? "";
}
