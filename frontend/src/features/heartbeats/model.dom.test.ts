import { afterEach, describe, expect, it, test } from "vitest";
import { heartbeat, heartbeatRecord, heartbeats } from "../../../gallery/heartbeats";
import type { Spec } from "../../host/border.gen";
import { setLanguage } from "../../i18n";
import { relative } from "../../lib/dates";
import { draftOf, emptySpec, freeName, plainSpec, problemsOf, specOf } from "./draft";
import { indentOf, offsetOf } from "./editor";
import { days, lanesOf, midnight, mostBars, nextOf, plotOf, soonest } from "./history";
import { durationOf, parseDuration, scheduleOf, spanOf, wallTime, whenOf, zoneGroups } from "./schedule";
import { groupOf, outcomeOf, reasonOf, scheduleWords } from "./words";

afterEach(() => setLanguage("en"));

describe("a schedule", () => {
  test.each([
    [{ every: "2h" }, "every"], [{ every: "90s" }, "every"], [{ cron: "0 8 * * *" }, "daily"], [{ cron: "30 14 * * 1-5" }, "weekdays"],
    [{ cron: "0 9 * * 1,3" }, "weekly"], [{ cron: "0 9 * * 0" }, "weekly"], [{ cron: "15 6 31 * *" }, "monthly"], [{ runAt: "2026-12-24 18:00" }, "once"],
    [{ cron: "*/5 * * * *" }, "cron"], [{ cron: "@daily" }, "cron"], [{ cron: "0 9 1 * 1" }, "cron"], [{ cron: "0 9 * 3 *" }, "cron"],
    [{ cron: "0 9 * * mon" }, "cron"], [{ cron: "61 9 * * *" }, "cron"], [{ cron: "0 9 * * 1", zone: "Asia/Tokyo", once: true }, "weekly"],
  ])("%j is chosen as %s, and is written as it was", (schedule, preset) => {
    const when = whenOf(schedule);
    expect(when.preset).toBe(preset);
    expect(scheduleOf(when)).toEqual(schedule);
  });

  it("shows a moment as the clocks of its zone do", () => {
    expect(whenOf({ runAt: "2026-11-21T09:00:00+01:00", zone: "Asia/Tokyo" }).moment).toBe("2026-11-21T17:00");
    expect(whenOf({ runAt: "2026-11-21T08:00:00Z" }, "Europe/Berlin").moment).toBe("2026-11-21T09:00");
    expect(whenOf({ runAt: "never" }).moment).toBe("");
    expect(wallTime(Date.parse("2026-03-29T01:00:00Z"), "Europe/Berlin")).toBe("2026-03-29T03:00");
  });

  it("leaves what is missing for the program to say", () => {
    const when = whenOf({ cron: "0 9 * * 1" });
    expect(scheduleOf({ ...when, days: [] })).toEqual({ cron: "" });
    expect(scheduleOf({ ...when, preset: "daily", time: "" })).toEqual({ cron: "" });
    expect(scheduleOf({ ...when, preset: "every", span: { n: "", unit: "m", raw: "" } })).toEqual({ every: "" });
  });

  test.each([["90s", 90_000], ["1h30m", 5_400_000], ["1.5h", 5_400_000], ["2d", 172_800_000], ["soon", null], ["", null], ["5", null], ["2h x", null]])("%s is a duration of %s ms", (words, ms) => {
    expect(parseDuration(words)).toBe(ms);
  });

  it("shows a duration in the largest unit, and what it cannot as it stands", () => {
    expect(spanOf("90m")).toEqual({ n: "90", unit: "m", raw: "" });
    expect(spanOf("120m")).toEqual({ n: "2", unit: "h", raw: "" });
    expect(durationOf(spanOf("soon"))).toBe("soon");
    expect(durationOf(spanOf("250ms"))).toBe("250ms");
    expect(durationOf(spanOf(undefined))).toBe("");
  });

  it("offers every zone, the chosen one among them", () => {
    const groups = zoneGroups("Mars/Olympus");
    expect(groups.find(({ area }) => area === "Mars")?.zones).toEqual(["Mars/Olympus"]);
    expect(groups.find(({ area }) => area === "Europe")?.zones).toContain("Europe/Berlin");
    expect(groups.at(-1)).toEqual({ area: "", zones: expect.arrayContaining(["UTC"]) });
  });

  it("is shown in words, in the program's own where the page has none", async () => {
    expect(scheduleWords({ cron: "0 8 * * 1-5" })).toBe("on weekdays at 8:00 AM");
    expect(scheduleWords({ cron: "0 12 1-7 * 6" }, "at noon of the first Saturday")).toBe("at noon of the first Saturday");
    expect(scheduleWords({ cron: "0 12 1-7 * 6" })).toBe("0 12 1-7 * 6");
    expect(scheduleWords({ every: "1h" })).toBe("every hour");
    expect(scheduleWords({ every: "soon" })).toBe("soon");
    expect(scheduleWords({ runAt: "2026-12-24 18:00" })).toMatch(/^once, on Dec 24, 2026, 6:00/);
    expect(scheduleWords({ cron: "0 8 * * *", zone: "Asia/Tokyo", once: true })).toBe("every day at 8:00 AM (Asia/Tokyo), once only");
    await setLanguage("de");
    expect(scheduleWords({ every: "15m" })).toBe("alle 15 Minuten");
    expect(relative(Date.now() + 3 * 3_600_000 + 500, Date.now())).toBe("in 3 Stunden");
  });
});

describe("a heartbeat that is written", () => {
  const whole: Spec = {
    name: "watch", description: "All of it", prompt: "Look.", schedule: { every: "2h" }, folder: "~/x", model: "haiku", effort: "low", permissionMode: "plan", guard: "static", session: "persistent",
    timeout: "5m", enabled: false, quiet: { from: "22:00", to: "07:00", days: ["mon", "sun"] }, missed: "all", overlap: "queue", startDeadline: "90s", idlePause: "3d",
    budgets: { run: { usd: 0.5, turns: 3 }, month: { tokens: 1_000_000 } },
  };

  it("goes through the form unchanged, whatever it has", () => {
    expect(specOf(draftOf(whole))).toEqual(whole);
    const fed: Spec = { ...emptySpec("/x"), name: "fed", prompt: "p", destination: { session: "s1", channel: "town" } };
    expect(specOf(draftOf(fed))).toEqual(fed);
    expect(specOf(draftOf(emptySpec("/x")))).toEqual(emptySpec("/x"));
    for (const one of heartbeats) expect(specOf(draftOf(plainSpec(one)))).toEqual(plainSpec(one));
  });

  it("leaves out what was emptied", () => {
    const draft = draftOf(whole);
    draft.quiet = false;
    draft.budgets.run = { tokens: "", usd: "abc", turns: " " };
    draft.timeout.n = "";
    const { quiet, timeout, budgets } = specOf(draft);
    expect([quiet, timeout, budgets]).toEqual([undefined, undefined, { month: { tokens: 1_000_000 } }]);
  });

  it("is copied without what is known of it, under a name that is free", () => {
    expect(Object.keys(plainSpec(heartbeat("a")))).toEqual(["name", "prompt", "schedule", "folder", "enabled"]);
    expect(freeName("watch", ["watch", "watch-2"])).toBe("watch-3");
    expect(freeName("watch-9", [])).toBe("watch-10");
    expect(freeName("x".repeat(64), [])).toHaveLength(62);
  });

  it("has the problems of a field, and of what is within it", () => {
    const of = (field: string) => ({ line: 0, column: 0, name: "", field, message: field });
    expect(problemsOf([of("quiet.from"), of("quiet"), of("quieter"), of("")], "quiet").map(({ field }) => field)).toEqual(["quiet.from", "quiet"]);
  });
});

describe("the history", () => {
  const now = new Date(2026, 10, 21, 16, 30).getTime();
  const at = (ago: number, hour: number) => midnight(now, ago) + hour * 3_600_000;

  it("says what became of each", () => {
    expect([outcomeOf({ state: "finished", found: true }), outcomeOf({ state: "finished", found: false }), outcomeOf({ state: "late", found: false })]).toEqual(["found", "nothing", "late"]);
    expect(["started", "skipped", "late", "missed", "failed", "cancelled"].map((state) => groupOf({ state, found: false }))).toEqual(["underway", "notRun", "notRun", "notRun", "failed", "cancelled"]);
    expect(reasonOf({ reason: "", code: "quiet" })).toBe("It was due during quiet hours.");
    expect(reasonOf({ reason: "Because.", code: "quiet" })).toBe("Because.");
    expect(reasonOf({ reason: "", code: "new" })).toBe("");
  });

  it("counts the last four weeks by day and outcome, those that stand for many as many", () => {
    const plot = plotOf(
      [
        heartbeatRecord("1", "a", at(0, 9)), heartbeatRecord("2", "a", at(0, 10), { found: false }), heartbeatRecord("3", "a", at(27, 0), { state: "failed" }),
        heartbeatRecord("4", "a", at(28, 23)), heartbeatRecord("5", "a", at(1, 5), { state: "skipped", count: 40 }), heartbeatRecord("6", "a", at(0, 16), { state: "started" }),
      ],
      now,
    );
    expect(plot.days).toHaveLength(days);
    expect(plot.counts.found).toEqual([...Array.from({ length: 27 }, () => 0), 1]);
    expect([plot.counts.nothing[27], plot.counts.failed[0], plot.counts.notRun[26]]).toEqual([1, 1, 40]);
  });

  it("draws a day as lines, the newest when there are too many", () => {
    const run = heartbeatRecord("1", "b", at(1, 6), { startedAt: at(1, 6), endedAt: at(1, 12) });
    const { lanes, cut } = lanesOf([run, heartbeatRecord("2", "a", at(1, 23), { startedAt: at(1, 23), endedAt: 0 }), heartbeatRecord("3", "a", at(0, 1))], at(1, 0), now);
    expect(lanes.map(({ name, bars }) => [name, bars.length])).toEqual([["a", 1], ["b", 1]]);
    expect(lanes[1]?.bars[0]).toMatchObject({ start: 25, width: 25 });
    // A bar that is still running extends to the end of its day.
    expect(lanes[0]?.bars[0]?.width).toBeCloseTo(100 / 24);
    expect(cut).toBe(false);
    const many = Array.from({ length: mostBars + 5 }, (_, i) => heartbeatRecord(`${i}`, "a", at(1, 0) + i * 1000));
    const drawn = lanesOf(many, at(1, 0), now);
    expect([drawn.lanes[0]?.bars.length, drawn.cut, drawn.lanes[0]?.bars[0]?.record.id]).toEqual([mostBars, true, "5"]);
  });

  it("has the next ten of all", () => {
    const list = Array.from({ length: 14 }, (_, i) => heartbeat(`h${i}`, { next: i === 3 ? 0 : 1000 - i }));
    expect(soonest(list, "").map(({ name }) => name)).toEqual(["h13", "h12", "h11", "h10", "h9", "h8", "h7", "h6", "h5", "h4"]);
    expect(soonest(list, "h2")).toHaveLength(1);
    expect(nextOf([{ name: "b", at: 5 }, { name: "a", at: 5 }, { name: "c", at: 1 }], 2)).toEqual([{ name: "c", at: 1 }, { name: "a", at: 5 }]);
  });
});

describe("the file", () => {
  it("finds a line and a column, also behind its end", () => {
    expect(offsetOf("ab\ncd\n", 2, 2)).toBe(4);
    expect(offsetOf("ab\ncd\n", 1, 99)).toBe(2);
    expect(offsetOf("ab\ncd\n", 9, 1)).toBe(6);
  });

  it("continues as far in as the line before, and further below a key", () => {
    expect(indentOf("a:\n  b: 1", 9)).toBe("  ");
    expect(indentOf("a:\n  b:", 7)).toBe("    ");
    expect(indentOf("  prompt: |", 11)).toBe("    ");
    expect(indentOf("a: 1", 4)).toBe("");
  });
});
