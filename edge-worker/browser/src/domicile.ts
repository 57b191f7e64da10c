/** A page's side, put together. */

import type { Domicile, Options, Outcome } from "./api.js";
import { erased, exported, rank } from "./client/calls.js";
import { isStill } from "./client/grant.js";
import { list } from "./client/list.js";
import type { Outside } from "./client/outside.js";
import { Seen } from "./client/seen.js";
import { Session, readRoots } from "./client/session.js";
import type { Setup } from "./client/session.js";
import { Teller } from "./events/teller.js";
import { callEach } from "./listeners.js";

/** A page's side against any world. `domicile` in `index.ts` is this in a browser. */
export function domicileIn(outside: Outside, { edge, roots, grant }: Options): Domicile {
  const setup: Setup = {
    outside,
    edge: edge.replace(/\/+$/, ""),
    roots: readRoots(outside, roots),
    ask: grant,
    seen: new Seen(outside),
  };
  const listeners = new Set<() => void>();
  let dropped = 0;
  const begin = (): { readonly session: Session; readonly teller: Teller } => {
    const session: Session = new Session(setup, () => end(session));
    const teller = new Teller(session, (count) => {
      dropped += count;
    });
    return { session, teller };
  };
  let now = begin();
  /** Ends a session, if it is the present one, and begins another. */
  const end = (session: Session): void => {
    if (session === now.session) {
      session.end();
      now = begin();
      callEach(listeners);
    }
  };
  const back = async ({ session, teller } = now): Promise<void> => {
    if (await isStill(session)) {
      teller.shown();
    } else {
      end(session);
    }
  };
  // The first ranking needs to know, and it takes a moment.
  void outside.kems();
  outside.onPage(() => now.teller.hidden(), () => now.teller.shown(), () => void back());
  outside.onOthersLogout(() => end(now.session));

  return {
    list: (place, signal = new AbortController().signal) => list(outside, setup.edge, place, signal),
    rank: (place, anchor = [], limit_ms) =>
      never(outside, () => rank(now.session, place, anchor, limit_ms ?? null)),
    get page_limit_ms() {
      return now.session.page_limit_ms;
    },
    tell: (event, locale) => now.teller.tell(event, locale),
    get dropped() {
      return dropped;
    },
    flush: () => now.teller.flush(),
    export: (locale) => never(outside, () => exported(now.session, locale)),
    erase: (locale) => {
      const { session, teller } = now;
      return never(outside, () => teller.without(() => erased(session, locale)));
    },
    logout() {
      outside.tellOthersOfLogout();
      end(now.session);
    },
    onLogout(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A call never rejects. What would is a browser without what was looked for, in the middle of it. */
async function never<T>(outside: Outside, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const begun = outside.now();
  try {
    return await work();
  } catch {
    return { is: "stays", reason: "no-crypto", ms: outside.now() - begun };
  }
}

