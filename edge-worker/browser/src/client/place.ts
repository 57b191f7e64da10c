/** Names that stand in paths. */

/** Whether a text can stand between two slashes as it is: nothing to encode, no dot segment. */
export function isSegment(text: unknown): text is string {
  return typeof text === "string" && /^(?!\.+$)[A-Za-z0-9._~-]{1,256}$/.test(text);
}
