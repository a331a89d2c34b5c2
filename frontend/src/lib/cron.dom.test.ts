import { afterEach, expect, test } from "vitest";
import { setLanguage } from "../i18n";
import { cronWords } from "./cron";

afterEach(() => setLanguage("en"));

test.each([
  ["* * * * *", "every minute"], ["*/5 * * * *", "every 5 minutes"], ["7 * * * *", "every hour at :07"], ["30 */2 * * *", "every 2 hours at :30"],
  ["30 14 * * *", "every day at 2:30 PM"], ["0 9 * * 1-5", "on weekdays at 9:00 AM"], ["0 9 * * 1,3", "every Monday and Wednesday at 9:00 AM"],
  ["0 9 * * 7", "every Sunday at 9:00 AM"], ["0 0 1 * *", "on day 1 of every month at 12:00 AM"], ["30 14 28 2 *", "on February 28 at 2:30 PM"],
  ["@daily", "every day at 12:00 AM"], ["@Hourly", "every hour at :00"], ["@weekly", "every Sunday at 12:00 AM"],
  ["0 9 * * MON-FRI", "on weekdays at 9:00 AM"], ["0 9 * * sat,sun", "on weekends at 9:00 AM"], ["0 9 * * 0,6", "on weekends at 9:00 AM"],
  ["0 9 * * mon-wed", "every Monday, Tuesday, and Wednesday at 9:00 AM"], ["30 14 28 feb *", "on February 28 at 2:30 PM"],
  ["0 9,17 * * *", "every day at 9:00 AM and 5:00 PM"], ["*/15 9-17 * * 1-5", "every 15 minutes from 9:00 AM to 5:45 PM, on weekdays"],
  ["0 8-18 * * *", "every hour from 8:00 AM to 6:00 PM"], ["*/30 * * * 6", "every 30 minutes, every Saturday"], ["0 * 1 * *", "every hour at :00, on day 1 of every month"],
  // Expressions without a description stay as they are.
  ["0 9 1 * 1", "0 9 1 * 1"], ["61 9 * * *", "61 9 * * *"], ["0 0 31 2 *", "0 0 31 2 *"], ["1,2 * * * *", "1,2 * * * *"], ["0 9 31-1 * *", "0 9 31-1 * *"], ["0 9 * * 5-1", "0 9 * * 5-1"], ["0 9-8 * * *", "0 9-8 * * *"], ["@reboot", "@reboot"], ["", ""],
])("%s is %s", (cron, words) => expect(cronWords(cron)).toBe(words));

test("in another language too", async () => {
  await setLanguage("de");
  expect(cronWords("0 9 * * 1,3")).toBe("jeden Montag und Mittwoch um 09:00");
  expect(cronWords("*/15 9-17 * * mon-fri")).toBe("alle 15 Minuten von 09:00 bis 17:45, werktags");
});
