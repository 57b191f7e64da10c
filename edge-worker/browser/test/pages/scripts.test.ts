// The built script in a shop's page on another origin: its integrity, and what a content security policy allows.
import { test } from "node:test";
import assert from "node:assert/strict";
import { LIST, PERSONAL } from "./retailer.js";
import { tests } from "./visit.js";

const { shop, visit } = tests();

test("a script of another origin with its integrity, under a policy without unsafe-: the personal shelf comes", async () => {
  const visited = await visit();
  await visited.said("personal");
  assert.deepEqual(await visited.ids(), PERSONAL);
  assert.equal((await visited.last("list"))?.["from"], "page");
  assert.deepEqual([visited.console, visited.errors, await visited.shift()], [[], [], 0]);
  assert.deepEqual([shop().ranked, shop().asked("/v1/shelf/de-DE/home")], [1, 0]);
});

test("a script that was altered does not run: the server's list stays as it was, and nobody else complains", async () => {
  shop().integrity = shop().integrity.replace(/.{4}$/, "AAAA");
  const visited = await visit();
  assert.deepEqual(await visited.ids(), LIST);
  assert.equal(await visited.page.locator("domicile-shelf:defined").count(), 0);
  assert.ok(visited.console.length > 0 && visited.console.every((line) => line.includes("integrity")), visited.console.join());
  assert.deepEqual([visited.errors, await visited.shift(), shop().site.seen.length], [[], 0, 0]);
});

test("a policy that forbids the script's origin leaves the server's list, with the browser's own line", async () => {
  shop().scripts = "'self'";
  const visited = await visit();
  assert.deepEqual(await visited.ids(), LIST);
  assert.equal(await visited.page.locator("domicile-shelf:defined").count(), 0);
  const about = visited.console.filter((line) => line.includes("script-src") && line.includes(shop().statics));
  assert.deepEqual([about.length > 0, visited.console.length - about.length], [true, 0], visited.console.join());
  assert.deepEqual([visited.errors, await visited.shift(), shop().site.seen.length], [[], 0, 0]);
});

test("a policy that forbids the edge leaves the server's list, and the console says what the policy lacks", async () => {
  shop().connects = "'self'";
  const visited = await visit();
  await visited.said("stays");
  assert.deepEqual(await visited.ids(), LIST);
  assert.equal((await visited.last("stays"))?.["reason"], "manifest-lost");
  await visited.page.evaluate(() => document.querySelector("domicile-shelf")?.refresh());
  await visited.said("stays", 2);
  const ours = `domicile: the page's Content-Security-Policy forbids ${shop().site.edge}: add it to connect-src`;
  assert.equal(visited.console.filter((line) => line === ours).length, 1, visited.console.join("\n"));
  assert.ok(visited.console.every((line) => line === ours || line.includes("Content Security Policy")), visited.console.join("\n"));
  assert.deepEqual([visited.errors, await visited.shift(), shop().site.seen.length], [[], 0, 0]);
});

test("a policy that forbids the identity service is told of as well", async () => {
  shop().connects = shop().site.edge;
  const visited = await visit();
  await visited.said("stays");
  assert.deepEqual([await visited.ids(), (await visited.last("stays"))?.["reason"]], [LIST, "grant-lost"]);
  assert.ok(visited.console.includes(`domicile: the page's Content-Security-Policy forbids ${shop().origin}: add it to connect-src`));
});

test("a cell that is asked directly needs its origin in connect-src, and no preflight", async () => {
  const { site } = shop();
  const cell = site.edge.replace("127.0.0.1", "localhost");
  const [first] = site.world.manifest["cells"] as object[];
  site.world.manifest = { ...site.world.manifest, cells: [{ ...first, transport: { direct: cell } }] };
  const without = await visit();
  await without.said("stays");
  assert.deepEqual([await without.ids(), (await without.last("stays"))?.["reason"]], [LIST, "answer-lost"]);
  assert.ok(without.console.includes(`domicile: the page's Content-Security-Policy forbids ${cell}: add it to connect-src`));
  shop().connects = `'self' ${site.edge} ${cell}`;
  const visited = await visit();
  await visited.said("personal");
  assert.deepEqual([await visited.ids(), shop().ranked, visited.console, visited.errors], [PERSONAL, 1, [], []]);
  assert.ok(site.seen.every(({ method, path }) => method === "GET" || path === "/gateway"));
});
