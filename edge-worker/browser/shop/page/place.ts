/** What an address of the shop is about. */

export type Place = "home" | "product" | "basket";

export function placeOf(path: string): Place {
  return path === "/basket" ? "basket" : path.startsWith("/p/") ? "product" : "home";
}
