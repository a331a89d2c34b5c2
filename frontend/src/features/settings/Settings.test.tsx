import { fireEvent, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { info } from "../../../gallery/fixtures";
import type { Info, Settings } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import type { App } from "../../store/context";
import { renderApp } from "../../test/render";
import type { Action } from "../../desk/shortcuts";
import { NewSessionsPage } from "./NewSessionsPage";
import { SettingsPlace } from "./SettingsPlace";

const actions: Action[] = ["settings", "toggleSidebar"].map((id) => ({ id, name: `The ${id}`, run: () => {} }));
let host: FakeHost;
let app: App;

async function draw(page: string, what: Partial<Info> = {}, view = () => <SettingsPlace actions={() => actions} />): Promise<void> {
  let settings: Settings = { ...info().settings, ...what.settings };
  host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "settings.set": (patch) => (settings = { ...settings, ...patch }),
    "model.list": () => ({
      models: [{ value: "sonnet", resolved: "", name: "Sonnet", description: "For routine", efforts: [] }],
      commands: [], permissionModes: [], efforts: [], at: 1, message: "",
    }),
    "settings.defaults": () => info().settings,
    "snapshot.list": () => ({ snapshots: [], problem: "", restarts: true }),
    "profile.list": () => ({ profiles: [], keyring: "" }),
  });
  app = await renderApp(host, view, what);
  app.layout.go({ kind: "settings", tab: page });
}

const changes = () => host.callsOf("settings.set");

describe("general", () => {
  it("changes are applied at once", async () => {
    await draw("look");
    fireEvent.click(await screen.findByLabelText("Dark"));
    fireEvent.click(screen.getByLabelText("Fjord"));
    expect(changes()).toEqual([{ theme: "dark" }, { scheme: "fjord" }]);
    await vi.waitFor(() => expect(app.state.theme).toBe("dark"));
    await vi.waitFor(() => expect(app.state.info?.settings.scheme).toBe("fjord"));
    fireEvent.click(await screen.findByLabelText("Reset Colors to default"));
    expect(changes().at(-1)).toEqual({ scheme: "parley" });
  });

  it.each([
    ["Suspend idle sessions after", "0", { suspendMinutes: 0 }],
    ["Auto-deny requests after", "48", { questionTimeoutHours: 48 }],
  ])("%s takes %s", async (name, value, patch) => {
    await draw("general");
    fireEvent.change(await screen.findByRole("spinbutton", { name }), { target: { value } });
    expect(changes()).toEqual([patch]);
  });

  it.each([
    ["Suspend idle sessions after", "-1"],
    ["Suspend idle sessions after", ""],
    ["Auto-deny requests after", "0"],
    ["Auto-deny requests after", "1.5"],
  ])("%s does not take %j, and says so", async (name, value) => {
    await draw("general");
    fireEvent.change(await screen.findByRole("spinbutton", { name }), { target: { value } });
    expect(changes()).toEqual([]);
    expect(screen.getByRole("alert")).toHaveTextContent(/Enter a whole number from/);
  });

  it("says why a change failed", async () => {
    await draw("general");
    host.on("settings.set", () => {
      throw new HostError("unavailable", "The disk is full.");
    });
    fireEvent.click(await screen.findByLabelText("Queue"));
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
  });
});

describe("Claude Code", () => {
  it("says which CLI runs, and takes another path", async () => {
    await draw("cli");
    expect(await screen.findByText("Claude Code 2.1.329")).toBeInTheDocument();
    expect(screen.getByText(/found in PATH/)).toBeInTheDocument();
    fireEvent.change(screen.getByRole("textbox", { name: "CLI path" }), { target: { value: " /opt/claude " } });
    await vi.waitFor(() => expect(host.callsOf("app.info").length).toBeGreaterThan(1));
    expect(changes()).toEqual([{ cliPath: "/opt/claude" }]);
  });

  it("installs one, and says why that failed", async () => {
    const cli = { found: false, path: "", version: "", source: "", code: "cli_missing", message: "There is none.", installCommand: "" };
    await draw("cli", { cli });
    expect(await screen.findByText("No Claude Code CLI")).toBeInTheDocument();
    host.on("cli.install", () => ({ cli: { ...cli, message: "npm was not found." }, output: "sh: npm: not found" }));
    fireEvent.click(screen.getByRole("button", { name: "Install CLI" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("npm was not found.");
    expect(screen.getByText("sh: npm: not found")).toBeInTheDocument();
  });
});

it("new sessions begin with what is chosen", async () => {
  // Menus inside a dialog need a real browser: in jsdom, they move the focus back and forth endlessly.
  await draw("new", {}, () => <NewSessionsPage defaults={() => null} />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Model: Default" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /^Sonnet/ }));
  expect(changes()).toEqual([{ model: "sonnet", permissionMode: "", engine: "cli" }]);
});

describe("search", () => {
  const search = async (words: string) => fireEvent.input(await screen.findByRole("searchbox", { name: "Search settings" }), { target: { value: words } });

  it("finds settings on all pages, by their names and what they do", async () => {
    await draw("general");
    await search("WHITESPACE");
    expect(screen.getByText("No matching settings.")).toBeInTheDocument();
    await search("notif after");
    expect(screen.getAllByText(/./, { selector: "[data-slot=label]" }).map((label) => label.textContent)).toContain("When a turn ends");
    fireEvent.click(screen.getByRole("switch", { name: "When a turn ends" }));
    expect(changes()).toEqual([{ notifyDone: false }]);
    expect(document.querySelector("mark")).toHaveTextContent("after");
  });

  it("leads to what its page draws", async () => {
    await draw("general");
    await search("import settings");
    fireEvent.click(screen.getByRole("button", { name: "Open: Import settings" }));
    expect(await screen.findByRole("textbox", { name: "Or paste settings here" })).toBeInTheDocument();
  });
});

describe("shortcuts", () => {
  const press = async (name: string, init: KeyboardEventInit) => {
    const button = await screen.findByRole("button", { name: new RegExp(`^Change shortcut for ${name}: `) });
    fireEvent.click(button);
    fireEvent.keyDown(button, init);
  };

  it("are pressed to be chosen, and taken away", async () => {
    await draw("shortcuts");
    await press("The settings", { key: "j", ctrlKey: true });
    expect(changes()).toEqual([{ shortcuts: { settings: "Mod+J" } }]);
    await vi.waitFor(() => expect(app.state.info?.settings.shortcuts).toEqual({ settings: "Mod+J" }));
    await press("The settings", { key: "Backspace" });
    expect(changes().at(-1)).toEqual({ shortcuts: { settings: "" } });
  });

  it.each<[KeyboardEventInit, RegExp]>([
    [{ key: "b", ctrlKey: true }, /Ctrl\+B is already used for: The toggleSidebar/],
    [{ key: "x" }, /X is needed for typing/],
    [{ key: "t", ctrlKey: true }, /Ctrl\+T is reserved by the browser/],
    [{ key: "Enter", altKey: true }, /needed for typing/],
  ])("%j is refused, and why", async (init, why) => {
    await draw("shortcuts");
    await press("The settings", init);
    expect(screen.getByRole("alert")).toHaveTextContent(why);
    expect(changes()).toEqual([]);
  });

  it("can be taken from another action", async () => {
    await draw("shortcuts");
    await press("The settings", { key: "b", ctrlKey: true });
    fireEvent.click(screen.getByRole("button", { name: "Use here instead" }));
    expect(changes()).toEqual([{ shortcuts: { settings: "Mod+B", toggleSidebar: "" } }]);
  });
});

describe("settings from elsewhere", () => {
  const bring = async (json: string) => {
    await draw("files");
    fireEvent.input(await screen.findByRole("textbox", { name: "Or paste settings here" }), { target: { value: json } });
    fireEvent.click(screen.getByRole("button", { name: "Import" }));
  };

  it("are taken in one step", async () => {
    await bring('{"theme":"dark","zoom":100}');
    expect(changes()).toEqual([{ theme: "dark", zoom: 100 }]);
    expect(await screen.findByText("1 setting changed.")).toBeInTheDocument();
  });

  it.each([["nonsense", /Enter settings as JSON/], ["[1]", /Enter settings as JSON/], ['{"colour":1}', /Unknown settings: colour/]])("%s is refused", async (json, why) => {
    await bring(json);
    expect(await screen.findByRole("alert")).toHaveTextContent(why);
    expect(changes()).toEqual([]);
  });
});

it("the log says what happened, and follows it", async () => {
  let records = [{ seq: 1, at: 1, level: "warn", message: "Something was slow", rest: "ms=900" }];
  await draw("general");
  host.on("log.list", ({ text }) => ({ records: records.filter((r) => r.message.includes(text ?? "")), last: 1, dropped: 0 }));
  fireEvent.click(screen.getByRole("tab", { name: "Log" }));
  expect(await screen.findByText(/Something was slow/)).toBeInTheDocument();
  records = [...records, { seq: 2, at: 2, level: "error", message: "It broke", rest: "" }];
  host.emitGlobal({ event: "log.grew", payload: { last: 2 } });
  expect(await screen.findByText(/It broke/)).toBeInTheDocument();
  fireEvent.input(screen.getByRole("searchbox", { name: "Search the log" }), { target: { value: "broke" } });
  await vi.waitFor(() => expect(screen.queryByText(/Something was slow/)).toBeNull());
});
