/** Times as messages and documents spell them, in seconds since 1970. One form each, and no other is read. */

/** An IMF-fixdate (RFC 9110, section 5.6.7). */
export function httpDate(seconds: number): string {
  return new Date(seconds * 1_000).toUTCString();
}

/** Reads an IMF-fixdate; `null` where it is written in another way. */
export function fromHttpDate(date: string): number | null {
  const seconds = Date.parse(date) / 1_000;
  return Number.isInteger(seconds) && httpDate(seconds) === date ? seconds : null;
}

/** Reads a time of RFC 3339 in UTC, as signed documents state it. */
export function fromRfc3339(time: string): number | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z$/.exec(time);
  const seconds = Date.parse(`${match?.[1]}Z`) / 1_000;
  // A day that the month does not have is read as one of the next.
  const sound = Number.isInteger(seconds) && new Date(seconds * 1_000).toISOString().startsWith(match?.[1] ?? " ");
  return sound ? seconds : null;
}
