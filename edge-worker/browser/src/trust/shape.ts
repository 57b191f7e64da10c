/** Whether a value has exactly a form: what nobody knows is refused, as the crates that write these documents do. */

/** Says whether a value is of a form. */
export type Check = (value: unknown) => boolean;

/** A value with exactly these members, and of the optional ones any. */
export function isExactly(
  value: unknown,
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): value is Record<string, unknown> {
  if (!isObject(value)) {
    return false;
  }
  const all = Object.keys(required).every((name) => Object.hasOwn(value, name));
  return all && Object.entries(value).every(([name, member]) => (own(required, name) ?? own(optional, name))?.(member));
}

function own(checks: Readonly<Record<string, Check>>, name: string): Check | undefined {
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** An object that is no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A whole number that is not negative. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A list whose items all are of a form. */
export function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}
