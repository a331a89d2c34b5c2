// Safe access to values whose shape another program determines.

/** A member of an object, undefined if there is no such object or member. */
export function field(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** A string member, "" if it is not one. */
export function textField(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === "string" ? found : "";
}

/** A number member, null if it is not one. */
export function numberField(value: unknown, key: string): number | null {
  const found = field(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** An array member, empty if it is not one. */
export function listField(value: unknown, key: string): unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

/** Only the strings of an array member. */
export function textsField(value: unknown, key: string): string[] {
  return listField(value, key).filter((item) => typeof item === "string");
}

/** The value as JSON for display, "" for nothing. */
export function pretty(value: unknown): string {
  if (value === undefined || value === null) return "";
  return JSON.stringify(value, null, 2) ?? "";
}

/** A text on one line, with symbols for line breaks. */
export function oneLine(words: string): string {
  return words.trim().replace(/\s*\n\s*/g, " ⏎ ");
}
