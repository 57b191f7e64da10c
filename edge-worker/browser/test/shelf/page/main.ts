/** A test page's own script: connects a fake, and keeps what the shelves and the browser say. */

import { domicile as client } from "../../../src/index.js";
import * as domicile from "../../../src/shelf/index.js";
import { Fake } from "./fake.js";

type Moment = readonly [name: string, detail: Record<string, unknown>];

export interface Seen {
  readonly domicile: typeof domicile;
  readonly client: typeof client;
  readonly Fake: typeof Fake;
  readonly fake: Fake;
  readonly moments: Moment[];
  /** What a content security policy refused. */
  readonly refused: string[];
  /** Sum of all layout shifts, also those right after input. */
  readonly shift: () => number;
}

declare global {
  interface Window {
    seen: Seen;
  }
}

const fake = new Fake();
const moments: Moment[] = [];
const refused: string[] = [];
let shifted = 0;
const count = (entries: PerformanceEntryList): void => {
  for (const entry of entries) {
    shifted += (entry as PerformanceEntry & { readonly value: number }).value;
  }
};
const shifts = new PerformanceObserver((list) => count(list.getEntries()));
shifts.observe({ type: "layout-shift", buffered: true });
const shift = (): number => {
  count(shifts.takeRecords());
  return shifted;
};

for (const name of ["list", "personal", "stays", "empty", "select"]) {
  addEventListener(`domicile-${name}`, (event) => moments.push([name, (event as CustomEvent).detail]));
}
addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective));

window.seen = { domicile, client, Fake, fake, moments, refused, shift };
if (!location.search.includes("alone")) {
  domicile.connect(fake);
}
document.documentElement.dataset["ready"] = "";
