import { screen } from "@solidjs/testing-library";
import { beforeEach, expect, it, vi } from "vitest";
import { info } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import type { MenuEntry, MenuMessage, Menus } from "../../host/menus";
import { setLanguage } from "../../i18n";
import { offer } from "../../lib/offers";
import { renderApp } from "../../test/render";
import type { Action } from "../../desk/shortcuts";
import { followMenus } from "./menus";

let said: MenuMessage[];
let choose: (id: string) => void;
const off = vi.fn<() => void>();
const menus: Menus = {
  say: (message) => said.push(message),
  onChosen(listener) {
    choose = listener;
    return off;
  },
};
const run = vi.fn<() => void>();
const written = vi.fn<(text: string) => Promise<void>>();
const actions: Action[] = [{ id: "newSession", name: "New session", run }, { id: "interrupt", name: "Interrupt", run, enabled: () => false }];

beforeEach(() => {
  said = [];
  run.mockReset();
  written.mockReset().mockResolvedValue(undefined);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: written }, configurable: true });
  document.queryCommandEnabled = () => false;
});

const hostOf = () =>
  createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
  });

async function show() {
  const host = hostOf();
  const app = await renderApp(host, (app) => {
    followMenus(app, menus, () => actions);
    return (
      <article ref={(el) => offer(el, { message: () => "**bold**" })}>
        <a href="https://example.com/">link</a>
        <textarea aria-label="field" />
      </article>
    );
  });
  return { host, app };
}

const last = <K extends string>(key: K) => said.findLast((message): message is Extract<MenuMessage, Record<K, unknown>> => key in message);
const context = () => (last("context")?.context ?? []).map(({ id, label }) => `${id} ${label ?? ""}`.trim());
const point = (at: Element, event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true })) => at.dispatchEvent(event);
const entries = (from: MenuEntry[]): MenuEntry[] => from.flatMap((entry) => [entry, ...entries(entry.entries ?? [])]);

it("says what is under the pointer, in groups, and does what is chosen of it", async () => {
  const { host } = await show();
  point(screen.getByText("link"));
  expect(context()).toEqual(["openLink _Open in browser", "copyLink _Copy link", "", "copyMessage Copy _message as Markdown"]);
  choose("copyLink");
  expect(written).toHaveBeenLastCalledWith("https://example.com/");
  choose("copyMessage");
  expect(written).toHaveBeenLastCalledWith("**bold**");
  choose("openLink");
  expect(host.opened).toEqual(["https://example.com/"]);
});

it("says that there is nothing", async () => {
  await show();
  point(document.body);
  expect(last("context")).toEqual({ context: [] });
});

it("leaves alone what has a menu of its own", async () => {
  await show();
  const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true });
  event.preventDefault();
  point(screen.getByText("link"), event);
  expect(last("context")).toBeUndefined();
});

it("does nothing of a menu before", async () => {
  await show();
  point(screen.getByText("link"));
  point(screen.getByLabelText("field"));
  choose("copyLink");
  expect(written).not.toHaveBeenCalled();
});

it("reports what could not be copied", async () => {
  const { app } = await show();
  written.mockRejectedValue(new Error("no"));
  point(screen.getByText("link"));
  choose("copyLink");
  await vi.waitFor(() => expect(app.state.problem?.message).toBe("Couldn’t copy"));
});

it("tells of the bar, and again with another language", async () => {
  await show();
  await vi.waitFor(() => expect(last("bar")?.bar.menus[0]?.label).toBe("_File"));
  await setLanguage("de");
  await vi.waitFor(() => expect(last("bar")?.bar.menus[0]?.label).toBe("_Datei"));
  await setLanguage("en");
});

it("tells whether the bar is shown, as it is set", async () => {
  const host = hostOf();
  await renderApp(host, (app) => {
    followMenus(app, menus, () => actions);
    return null;
  }, { settings: { ...info().settings, menuBar: true } });
  await vi.waitFor(() => expect(last("bar")?.bar.shown).toBe(true));
});

it("runs what is chosen and can be done", async () => {
  await show();
  choose("newSession");
  choose("interrupt");
  choose("nothing.such");
  expect(run).toHaveBeenCalledTimes(1);
});

it("runs nothing while a dialog is open, and says so when the bar opens", async () => {
  await show();
  await vi.waitFor(() => expect(last("bar")).toBeDefined());
  const enabled = () => entries(last("bar")?.bar.menus ?? []).find(({ id }) => id === "newSession")?.enabled;
  const dialog = document.createElement("div");
  dialog.setAttribute("role", "dialog");
  document.body.append(dialog);
  choose(":opened");
  expect(enabled()).toBe(false);
  choose("newSession");
  expect(run).not.toHaveBeenCalled();
  choose(":closed");
  expect(enabled()).toBe(true);
  dialog.remove();
});
