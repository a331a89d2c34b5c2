// Careful reading of values whose shape another program decides.

/** A member of an object, undefined when there is no such object or member. */
export function field(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** A text member, "" when it is none. */
export function textField(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === "string" ? found : "";
}

/** A number member, null when it is none. */
export function numberField(value: unknown, key: string): number | null {
  const found = field(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** A list member, empty when it is none. */
export function listField(value: unknown, key: string): unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

/** Only the texts of a list member. */
export function textsField(value: unknown, key: string): string[] {
  return listField(value, key).filter((item) => typeof item === "string");
}

/** The value as JSON for a user to read, "" for nothing. */
export function pretty(value: unknown): string {
  if (value === undefined || value === null) return "";
  return JSON.stringify(value, null, 2) ?? "";
}

/** A text for a line: what had several has signs between them. */
export function oneLine(words: string): string {
  return words.trim().replace(/\s*\n\s*/g, " ⏎ ");
}
