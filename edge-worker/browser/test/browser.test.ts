// How requests leave: what a browser is told of each. (What it makes of that is tested in one, tests/ of the repository.)
import { test } from "node:test";
import assert from "node:assert/strict";
import { browser } from "../src/browser.js";
import { identity } from "../src/identity.js";
import { text } from "../src/codec/bytes.js";

type Asked = { readonly url: string } & RequestInit;

/** Runs with another fetch in place, and gives back what it was asked. */
async function asked(answer: () => Response, run: () => Promise<unknown>): Promise<Asked[]> {
  const [real, all] = [globalThis.fetch, [] as Asked[]];
  globalThis.fetch = (url, init) => {
    all.push({ url: String(url), ...init });
    return Promise.resolve(answer());
  };
  try {
    await run();
  } finally {
    globalThis.fetch = real;
  }
  return all;
}

const { signal } = new AbortController();

test("a sealed request leaves without a type, a header, credentials, a referrer or a cache", async () => {
  const body = new Uint8Array(4_096);
  const sent = await asked(() => new Response("{}"), () =>
    browser().send({ url: "https://edge.example/x", body, caches: "never", outlives: true }, signal));
  assert.deepEqual(sent, [{
    url: "https://edge.example/x", method: "POST", body, cache: "no-store", credentials: "omit",
    referrerPolicy: "no-referrer", redirect: "error", keepalive: true, signal,
  }]);
  // What becomes of that body, by the Fetch standard.
  const request = new Request("https://edge.example/x", { method: "POST", body });
  assert.equal(request.headers.get("content-type"), null);
});

test("a document may come from a cache, or has to pass it by without a header of ours", async () => {
  const modes = await asked(() => new Response("{}"), async () => {
    await browser().send({ url: "https://edge.example/x", caches: "may" }, signal);
    await browser().send({ url: "https://edge.example/x", caches: "past" }, signal);
  });
  assert.deepEqual(modes.map(({ method, cache, body, headers, keepalive }) => [method, cache, body, headers, keepalive]), [
    ["GET", "default", null, undefined, false], ["GET", "reload", null, undefined, false],
  ]);
});

test("an answer is read whole, with its headers joined, and never without end", async () => {
  const headers = new Headers([["domicile-outcome", "relayed"], ["domicile-outcome", "fallback; reason=cell-busy"]]);
  await asked(() => new Response("abc", { status: 203, headers }), async () => {
    const answer = await browser().send({ url: "https://edge.example/x", caches: "may" }, signal);
    assert.deepEqual([answer.status, text(answer.body)], [203, "abc"]);
    assert.equal(answer.header("domicile-outcome"), "relayed, fallback; reason=cell-busy");
    assert.equal(answer.header("content-length"), "");
  });
  let pulled = 0;
  const endless = (): Response => new Response(new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(64 * 1_024));
    },
  }));
  await asked(endless, () => assert.rejects(browser().send({ url: "https://edge.example/x", caches: "may" }, signal)));
  assert.ok(pulled < 12, String(pulled));
  await asked(() => new Response(null, { status: 204 }), async () => {
    const answer = await browser().send({ url: "https://edge.example/x", caches: "may" }, signal);
    assert.equal(answer.body.length, 0);
  });
});

test("without storage, and with one that throws, nothing is kept and nothing fails", () => {
  const outside = browser();
  outside.keep("domicile.seen", "{}");
  assert.equal(outside.kept("domicile.seen"), null);
  const refusing = { getItem: () => assert.fail("no"), setItem: () => assert.fail("no") };
  Object.defineProperty(globalThis, "localStorage", { value: refusing, configurable: true });
  outside.keep("domicile.seen", "{}");
  assert.equal(outside.kept("domicile.seen"), null);
  const stored = new Map<string, string>();
  const whole = { getItem: (name: string) => stored.get(name) ?? null, setItem: (name: string, value: string) => void stored.set(name, value) };
  Object.defineProperty(globalThis, "localStorage", { value: whole, configurable: true });
  outside.keep("domicile.seen", "{}");
  assert.equal(outside.kept("domicile.seen"), "{}");
  Reflect.deleteProperty(globalThis, "localStorage");
});

test("X25519 is looked for once, and P-256 is there without it", async () => {
  assert.deepEqual(await browser().kems(), ["x25519", "p256"]);
  const real = crypto.subtle.generateKey;
  let looked = 0;
  crypto.subtle.generateKey = (): Promise<never> => {
    looked += 1;
    return Promise.reject(new DOMException("no", "NotSupportedError"));
  };
  const outside = browser();
  assert.deepEqual([await outside.kems(), await outside.kems(), looked], [["p256"], ["p256"], 1]);
  crypto.subtle.generateKey = real;
});

test("a sleep ends when it is over, or at once when it is stopped", async () => {
  const [outside, stop] = [browser(), new AbortController()];
  const slept = outside.sleep(3_600_000, stop.signal);
  stop.abort();
  await slept;
  await outside.sleep(3_600_000, stop.signal);
  await outside.sleep(0, signal);
});

test("ids differ, chance is a fraction, and the page is not looked for where there is none", () => {
  const outside = browser();
  assert.notEqual(outside.id(), outside.id());
  assert.ok([outside.random(), outside.random()].every((number) => number >= 0 && number < 1));
  outside.onPage(() => assert.fail("hidden"), () => assert.fail("shown"), () => assert.fail("back"));
  outside.onOthersLogout(() => assert.fail("logged out"));
  outside.tellOthersOfLogout();
});

test("a page that is hidden, left, or comes back from the cache says so", () => {
  const [page, window] = [new EventTarget(), new EventTarget()];
  const heard: string[] = [];
  const listen = globalThis.addEventListener;
  Object.defineProperty(globalThis, "document", { value: page, configurable: true });
  globalThis.addEventListener = window.addEventListener.bind(window) as typeof listen;
  browser().onPage(() => heard.push("hidden"), () => heard.push("shown"), () => heard.push("back"));
  for (const state of ["hidden", "visible"]) {
    Object.assign(page, { visibilityState: state });
    page.dispatchEvent(new Event("visibilitychange"));
  }
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  window.dispatchEvent(new Event("pagehide"));
  // Out of the cache it is visible before it is shown (HTML, "reactivate a document").
  page.dispatchEvent(new Event("visibilitychange"));
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  page.dispatchEvent(new Event("visibilitychange"));
  Reflect.deleteProperty(globalThis, "document");
  globalThis.addEventListener = listen;
  assert.deepEqual(heard, ["hidden", "shown", "hidden", "back", "shown"]);
});

test("the identity service is asked with the shopper's session, and a locale without cells once", async () => {
  const grant = { token: "t", pin: "p", class: "eu_only", home: "a", not_after: 1 };
  const ask = identity("https://id.example/");
  const sent = await asked(() => Response.json(grant), async () => assert.deepEqual(await ask("de-DE", signal), grant));
  const [{ body, ...rest } = assert.fail()] = sent;
  assert.equal(text(body as Uint8Array), '{"locale":"de-DE"}');
  assert.deepEqual(rest, {
    url: "https://id.example/v1/token", method: "POST", cache: "no-store", credentials: "include",
    referrerPolicy: "no-referrer", redirect: "error", signal,
  });
  const listOnly = await asked(() => Response.json({ code: "list-only" }, { status: 409 }), async () => {
    assert.deepEqual([await ask("ja-JP", signal), await ask("ja-JP", signal)], [null, null]);
  });
  assert.equal(listOnly.length, 1);
  await asked(() => new Response("", { status: 503 }), () => assert.rejects(ask("de-DE", signal), /answers 503/));
});
