import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { heartbeat, heartbeatRecord } from "../../../gallery/heartbeats";
import type { Heartbeat, HeartbeatList, HeartbeatRecord, Session } from "../../host/border.gen";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { moments } from "./later";
import { app, draw, host, png } from "./test-composer";

const nobody = { runs: 0, turns: 0, tokens: 0, costUSD: 0 };
const noon = new Date(2026, 5, 10, 12, 0, 30).getTime();
let kept: Heartbeat[];

const kept1 = (name: string, change: Partial<Heartbeat> = {}): Heartbeat => heartbeat(name, {
  prompt: "Tag the release.", schedule: { runAt: new Date(2026, 5, 10, 18).toISOString() }, destination: { session: "s" }, state: "idle", last: null, running: null, ...change,
});
const record = (change: Partial<HeartbeatRecord>) => heartbeatRecord("send-s-a.1", "send-s-a", 1, { startedAt: 0, sessionId: "", ...change });

async function drawn(change: Partial<Session> = {}, refuse?: HostError): Promise<HTMLTextAreaElement> {
  const list = (): HeartbeatList => ({
    heartbeats: kept, file: "", revision: "", problems: [], stale: false, paused: false, pausedUntil: 0, zone: "UTC", today: nobody, month: nobody,
  });
  const box = await draw(change, {}, undefined, {
    "heartbeat.list": list,
    "heartbeat.save": ({ spec }) => {
      if (refuse) throw refuse;
      const made = kept1(spec.name, { prompt: spec.prompt, schedule: spec.schedule, next: Date.parse(spec.schedule.runAt ?? "") });
      kept = [...kept, made];
      return made;
    },
    "heartbeat.delete": ({ name }) => {
      if (!kept.some((k) => k.name === name)) throw new HostError("not_found", "There is no such heartbeat.");
      kept = kept.filter((k) => k.name !== name);
      return {};
    },
  });
  return box;
}

const write = (box: HTMLTextAreaElement, value: string) => fireEvent.input(box, { target: { value } });
const open = () => fireEvent.keyDown(screen.getByRole("button", { name: "Send later" }), { key: "Enter" });
const choose = async (name: RegExp) => {
  const item = await screen.findByRole("menuitem", { name });
  fireEvent.keyDown(item, { key: "Enter" });
};
const list = () => screen.findByRole("region", { name: "Prompts to send later" });
const row = async () => within(await list()).getByRole("listitem");
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("sending later", () => {
  beforeEach(() => {
    kept = [];
    vi.useFakeTimers({ toFake: ["Date"], now: noon });
  });
  afterEach(() => vi.useRealTimers());

  it("offers times that are still to come", async () => {
    const at = (hour: number, minute = 0, day = 10) => new Date(2026, 5, day, hour, minute).getTime();
    const ids = (now: number, resetsAt = 0) => moments(now, resetsAt).map((m) => [m.id, m.at]);
    expect(ids(noon)).toEqual([["hour", at(13, 1)], ["evening", at(18)], ["morning", at(8, 0, 11)]]);
    expect(ids(at(18), at(19, 30))).toEqual([["hour", at(19)], ["morning", at(8, 0, 11)], ["reset", at(19, 31)]]);
    expect(ids(at(20), at(19))).toEqual([["hour", at(21)], ["morning", at(8, 0, 11)]]);
    await setLanguage("de");
    expect(moments(noon, 0).map((m) => m.name)).toEqual(["In einer Stunde senden (13:01)", "Um 18:00 senden", "Morgen früh senden (Do 08:00)"]);
    await setLanguage("en");
  });

  it("takes the draft from the box when the schedule is accepted, and shows it above", async () => {
    const box = await drawn({ cwd: "/w" });
    write(box, "Tag the release.");
    open();
    await choose(/^Send at/);
    await waitFor(() => expect(box.value).toBe(""));
    expect(host.callsOf("heartbeat.save")).toMatchObject([{
      spec: { prompt: "Tag the release.", schedule: { runAt: new Date(2026, 5, 10, 18).toISOString().replace(".000Z", "Z") }, folder: "/w", destination: { session: "s" }, missed: "once", startDeadline: "1h" },
    }]);
    expect(host.callsOf("session.prompt")).toEqual([]);
    expect(await row()).toHaveTextContent(/Tag the release\..*Sends at /);
  });

  it("keeps the draft when the schedule is refused", async () => {
    const box = await drawn({}, new HostError("too_large", "There are 500 heartbeats, which is the limit."));
    write(box, "Tag the release.");
    open();
    await choose(/^Send in an hour/);
    expect(await screen.findByRole("alert")).toHaveTextContent("Your prompt is still here: There are 500 heartbeats, which is the limit.");
    expect(box.value).toBe("Tag the release.");
  });

  it("offers the moment after the limit resets", async () => {
    const box = await drawn();
    host.emit({ event: "error", payload: { sessionId: "s", seq: 1, at: noon, turnId: "t", code: "rate_limit", message: "", hint: "", resetsAt: new Date(2026, 5, 10, 15).getTime() } } as never);
    write(box, "Go on.");
    open();
    await choose(/^Send when the limit resets/);
    await waitFor(() => expect(host.callsOf("heartbeat.save")).toMatchObject([{ spec: { schedule: { runAt: new Date(2026, 5, 10, 15, 1).toISOString().replace(".000Z", "Z") } } }]));
  });

  it.each([
    ["files", "Look at it.", [png("a.png")], "A prompt with attached files can’t be sent later"],
    ["placeholders", "Mend {{name}} in the template.", [], "A prompt with {{…}} can’t be sent later"],
  ])("says why a prompt with %s cannot be sent later", async (_, words, files, why) => {
    const box = await drawn();
    write(box, words);
    if (files.length > 0) app.actions.addAttachments("s", [{ id: "a", name: "a.png", mediaType: "image/png", bytes: 4, data: "" }], "");
    open();
    expect(await screen.findByRole("menuitem", { name: why })).toHaveAttribute("aria-disabled", "true");
  });

  it("offers it neither for a command nor for nothing", async () => {
    const box = await drawn();
    const offered = () => screen.queryByRole("button", { name: "Send later" });
    expect(offered()).toBeNull();
    write(box, "!make");
    expect(offered()).toBeNull();
    write(box, "words");
    expect(offered()).toBeInTheDocument();
  });

  it("sends now what was to be sent later, once", async () => {
    kept = [kept1("send-s-a")];
    await drawn();
    await list();
    press("Send “Tag the release.” now");
    press("Send “Tag the release.” now");
    await waitFor(() => expect(host.callsOf("session.prompt")).toMatchObject([{ sessionId: "s", text: "Tag the release." }]));
    expect(host.callsOf("heartbeat.delete")).toEqual([{ name: "send-s-a" }]);
    await waitFor(() => expect(screen.queryByRole("region", { name: "Prompts to send later" })).toBeNull());
  });

  it("puts the text into the box of its session when it cannot be sent now", async () => {
    kept = [kept1("send-s-a")];
    await drawn();
    await list();
    let refuse = () => {};
    host.on("session.prompt", () => new Promise((_, reject) => (refuse = () => reject(new HostError("busy", "Too many prompts wait.")))));
    press("Send “Tag the release.” now");
    await waitFor(() => expect(host.callsOf("session.prompt")).toHaveLength(1));
    app.actions.open("other");
    refuse();
    await waitFor(() => expect(app.state.drafts["s"]?.text).toBe("Tag the release."));
    expect(app.state.drafts["other"]?.text ?? "").toBe("");
  });

  it("does not send what the schedule no longer has", async () => {
    kept = [kept1("send-s-a")];
    await drawn();
    await list();
    kept = [];
    press("Send “Tag the release.” now");
    await waitFor(() => expect(host.callsOf("heartbeat.delete")).toHaveLength(1));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Prompts to send later" })).toBeNull());
    expect(host.callsOf("session.prompt")).toEqual([]);
  });

  it("puts it back into the box, behind what is there", async () => {
    kept = [kept1("send-s-a")];
    const box = await drawn();
    write(box, "half");
    await list();
    press("Edit “Tag the release.” in the composer");
    await waitFor(() => expect(box.value).toBe("half\n\nTag the release."));
    expect(kept).toEqual([]);
  });

  it("shows that the session continues after a limit, again where that was reached once more", async () => {
    kept = [kept1("continue-s-29735000", { prompt: "Continue from where you were interrupted.", next: Date.now() + 3_600_000, last: record({ state: "failed", code: "limit", startedAt: 1, sessionId: "s" }) })];
    await drawn();
    expect(await row()).toHaveTextContent(/Continue from where you were interrupted\..*Sends at /);
    press("Cancel “Continue from where you were interrupted.”");
    await waitFor(() => expect(kept).toEqual([]));
  });

  it("cancels it", async () => {
    kept = [kept1("send-s-a")];
    const box = await drawn();
    await list();
    press("Cancel “Tag the release.”");
    await waitFor(() => expect(kept).toEqual([]));
    expect(box.value).toBe("");
  });

  it("tells of a time that was missed", async () => {
    kept = [kept1("send-s-a", { state: "over", next: 0, last: record({ reason: "It couldn't start before its start deadline." }) })];
    await drawn();
    expect(await row()).toHaveTextContent(/Not sent at.*It couldn.t start before its start deadline\./);
    press("Send “Tag the release.” now");
    await waitFor(() => expect(host.callsOf("session.prompt")).toHaveLength(1));
  });

  it("shows neither what was sent nor what is another’s", async () => {
    kept = [
      kept1("send-s-b", { state: "off", next: 0, last: record({ state: "finished", startedAt: 1, sessionId: "s" }) }),
      kept1("send-s-c", { state: "running", running: record({ state: "started", startedAt: 1, sessionId: "s" }) }),
      kept1("send-s-d", { destination: { session: "other" } }),
      kept1("watch", {}),
      kept1("send-s-a"),
    ];
    await drawn();
    await row();
    expect(kept).toHaveLength(5);
  });
});
