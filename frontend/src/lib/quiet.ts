// When "do not disturb" ends: a time in milliseconds, 0 for off, -1 until it is turned off. The tray uses the same
// values.

/** The hour at which "tomorrow" starts. */
const morning = 8;

export type QuietChoice = "off" | "hour" | "tomorrow" | "on";

export const quietChoices: readonly QuietChoice[] = ["off", "hour", "tomorrow", "on"];

export function isQuiet(until: number, now = Date.now()): boolean {
  return until < 0 || until > now;
}

export function quietUntil(choice: QuietChoice, now = new Date()): number {
  switch (choice) {
    case "hour":
      return now.getTime() + 3_600_000;
    case "tomorrow":
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, morning).getTime();
    case "on":
      return -1;
    case "off":
      return 0;
  }
}
