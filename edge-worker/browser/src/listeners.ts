/** Listeners that a page has registered. */

/** Calls each. One that throws keeps no other from being called; its error goes where an uncaught one goes. */
export function callEach(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
