/**
 * Which cells a call may ask, in which order.
 *
 * The manifest's cells and no others: there is no other way to name a cell here. The one that a live cell pointed at
 * comes first, then the home, where the history lies, then the others in the manifest's order, so that every page of a
 * class agrees on who stands in for whom. Weights have decided the home and are not looked at.
 */

import type { Cell, Manifest } from "../trust/manifest.js";

/** The cells to ask, first to last, without those that fail. */
export function order(
  { cells }: Pick<Manifest, "cells">,
  steered: string | null,
  home: string,
  fails: (cell: string) => boolean,
): readonly Cell[] {
  const rank = ({ name }: Cell): number => (name === steered ? 0 : name === home ? 1 : 2);
  const ordered = [...cells].sort((a, b) => rank(a) - rank(b));
  return ordered.filter((cell) => !fails(cell.name));
}
