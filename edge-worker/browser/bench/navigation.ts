/**
 * From the navigation to the personal shelf, in a real browser against the real demo: a page of a strict shop with one
 * shelf and the built client, everything a first visit fetches included. Bundled for node by run.mjs.
 */

import { cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { World, shifted } from "../test/real/world.js";
import type { Plain } from "../test/real/world.js";
import { LONG_MS } from "../test/real/plain.js";

/** Navigations of a series. */
const N = 60;
/** Before them, and not counted: cells and browser are warm. */
const WARM_UP = 4;
const SEED = 20_260_101;
/** Milliseconds between two navigations. */
const REST_MS = 300;
/** Milliseconds beyond the list's time and the cell's. */
const BAR_MS = 50;
/** Shoppers that take turns. */
const SHOPPERS = 8;
const PLACES = ["de-DE", "fr-FR", "en-US"] as const;

/** One navigation; milliseconds since it began, unless it says otherwise. */
interface Sample {
  readonly personal: number;
  readonly list: number;
  /** In the cell, by its own clock: from the request's arrival to its answer. */
  readonly cell: number;
  readonly steps: Readonly<Record<string, number>>;
  readonly shift: number;
}

interface Shopper {
  readonly id: string;
  readonly locale: string;
}

/** Prints one JSON object a line. The names of the figures that miss their bar. */
export async function navigation(): Promise<readonly string[]> {
  const world = await World.open("the shop");
  try {
    await world.demo.mend();
    const machine = `${cpus().length} × ${cpus()[0]?.model}, Chromium ${world.browser.version()}`;
    const missed = [];
    for (const series of ["fresh", "warm"] as const) {
      missed.push(...print(series, await (series === "fresh" ? fresh(world) : warm(world)), machine));
    }
    return missed;
  } finally {
    await world.close();
  }
}

/** A new browser context each time: no cache, no connection, no compiled script. */
async function fresh(world: World): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const [n, shopper] of turns(world, WARM_UP + N).entries()) {
    const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 } });
    const sample = await visit(world, await tab(context), shopper);
    await context.close();
    samples.push(...(n < WARM_UP ? [] : [sample]));
  }
  return samples;
}

/** One tab for all: scripts, list, manifest and keys may come from its cache; the token never does. */
async function warm(world: World): Promise<readonly Sample[]> {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await tab(context);
  const samples: Sample[] = [];
  for (const [n, shopper] of turns(world, WARM_UP + N).entries()) {
    await context.clearCookies();
    const sample = await visit(world, page, shopper);
    samples.push(...(n < WARM_UP ? [] : [sample]));
  }
  await context.close();
  return samples;
}

/** A tab that is there and has come to rest: what a window costs that is opened for it is no navigation's. */
async function tab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await rest(page);
  return page;
}

/** Leaves whatever page there is, and lets the browser finish what it began. */
async function rest(page: Page): Promise<void> {
  await page.goto("about:blank");
  await pause(REST_MS);
}

async function visit(world: World, page: Page, { id, locale }: Shopper): Promise<Sample> {
  await world.login(page.context(), id);
  world.reset();
  // The page says so by itself: whoever looks into it meanwhile takes the time that is measured.
  const over = page.waitForEvent("console", (message) => message.text().startsWith("over: "));
  await page.goto(`${world.demo.shop}/plain/${locale}/home?limit=${LONG_MS}`, { waitUntil: "commit" });
  const came = (await over).text();
  if (came !== "over: domicile-personal") {
    throw new Error(`no personal shelf: ${came}`);
  }
  const shift = (await shifted(page)).reduce((sum, one) => sum + one, 0);
  const sample = { ...(await figures(page)), shift };
  await rest(page);
  return sample;
}

/** Has the page note what moves, and say when it is over. */
const WATCH = `globalThis.shifts = [];
for (const name of ["domicile-personal", "domicile-stays"]) addEventListener(name, () => console.debug("over: " + name));
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) entry.hadRecentInput || shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });`;

function figures(page: Page): Promise<Omit<Sample, "shift">> {
  return page.evaluate(() => {
    const { moments } = globalThis as unknown as Plain;
    const shelf = document.querySelector<HTMLElement & { answer: { value: { elapsed_us: number } } | null }>("domicile-shelf");
    const at = (name: string): number => moments.find((one) => one.name === name)?.at ?? NaN;
    const all = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const of = (part: string): PerformanceResourceTiming | undefined => all.find(({ name }) => name.includes(part));
    const took = (part: string): number => (of(part)?.responseEnd ?? NaN) - (of(part)?.startTime ?? NaN);
    const [script, token, route, keys, sealed] = ["/plain/domicile.js", "/v1/token", "/v1/route/", "/v1/keys/", "/v1/sealed/"];
    const from = (a: string, b: string): number => (of(b)?.startTime ?? NaN) - (of(a)?.responseEnd ?? NaN);
    const personal = at("domicile-personal");
    const steps = {
      "script is there": of(script)?.responseEnd ?? NaN,
      "script to token": from(script, token),
      "token": took(token),
      "token to manifest": from(token, route),
      "manifest": took(route),
      "manifest to keys": from(route, keys),
      "keys": took(keys),
      "keys to sealed request": from(keys, sealed),
      "sealed request": took(sealed),
      "answer to shelf": personal - (of(sealed)?.responseEnd ?? NaN),
    };
    // A ranking that came before the list: the list would have been shown when its answer was there.
    const list = Number.isNaN(at("domicile-list")) ? (of("/v1/shelf/")?.responseEnd ?? NaN) : at("domicile-list");
    return { personal, list, cell: (shelf?.answer?.value.elapsed_us ?? NaN) / 1_000, steps };
  });
}

/** Who comes, in an order that the seed decides. */
function turns(world: World, count: number): readonly Shopper[] {
  const all = PLACES.flatMap((locale) => (world.demo.setup.shoppers[locale] ?? []).slice(0, SHOPPERS / 2).map(({ id }) => ({ id, locale })));
  let state = SEED;
  return Array.from({ length: count }, () => {
    // Numerical Recipes' generator (Press et al., section 7.1): which shopper is all that hangs on it.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return all[Math.floor((state / 2 ** 32) * all.length)] ?? { id: "1", locale: "de-DE" };
  });
}

function print(series: string, samples: readonly Sample[], machine: string): readonly string[] {
  const missed: string[] = [];
  const say = (name: string, values: readonly number[], bar: number | null): void => {
    const [p50, p95] = [at(values, 0.5), at(values, 0.95)];
    const met = bar === null ? {} : { bar, met: p50 <= bar };
    missed.push(...(met.met === false ? [`${series}: ${name}`] : []));
    console.log(JSON.stringify({ name: `${series}: ${name}`, p50, p95, ...met, n: values.length, seed: SEED, machine }));
  };
  say("navigation to personal shelf, ms", samples.map(({ personal }) => personal), null);
  say("navigation to list, ms", samples.map(({ list }) => list), null);
  say("cell, ms", samples.map(({ cell }) => cell), null);
  say("personal shelf beyond list and cell, ms", samples.map(({ personal, list, cell }) => personal - list - cell), BAR_MS);
  for (const step of Object.keys(samples[0]?.steps ?? {})) {
    say(`of it: ${step}, ms`, samples.map(({ steps }) => steps[step] ?? NaN), null);
  }
  const sum = samples.reduce((all, { shift }) => all + shift, 0);
  const name = `${series}: layout shift, sum`;
  console.log(JSON.stringify({ name, sum, bar: 0, met: sum === 0, n: samples.length, seed: SEED, machine }));
  return sum === 0 ? missed : [...missed, name];
}

function at(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN).toFixed(2));
}
