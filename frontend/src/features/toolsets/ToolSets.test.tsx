import { cleanup, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { ToolSet } from "../../host/border.gen";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { toolSets } from "../../../gallery/toolsets";
import { ToolSets } from "./ToolSets";

afterEach(async () => {
  cleanup();
  await setLanguage("en");
});

const user = userEvent.setup({ delay: null });

async function draw(workspaceId: string, change: Handlers = {}, onChoose?: (id: string, on: boolean | null) => void) {
  const sets: ToolSet[] = toolSets();
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "toolset.list": () => ({ sets }),
    "toolset.set": ({ id, workspaceId: workspace, on }) => {
      const set = sets.find((one) => one.id === id);
      if (set) Object.assign(set, workspace ? { own: on !== null, on: on ?? set.general } : { general: on, on });
      return { sets: structuredClone(sets) };
    },
    ...change,
  });
  await renderApp(host, () => <ToolSets workspaceId={workspaceId} {...(onChoose ? { onChoose } : {})} />);
  return host;
}

const chosen = (name: string) => within(screen.getByRole("radiogroup", { name })).getByRole<HTMLInputElement>("radio", { checked: true }).labels?.[0]?.textContent?.trim();

test("a workspace says it of itself, or leaves it to the settings, and it is shown when that counts", async () => {
  const host = await draw("w1");
  await screen.findByText("Sessions");
  expect(host.callsOf("toolset.list")).toEqual([{ workspaceId: "w1" }]);
  expect(chosen("Sessions")).toBe("Default: on");
  expect(chosen("Memory")).toBe("Off");
  expect(screen.getByText(/the next time a session’s process starts/)).toBeVisible();

  await user.click(within(screen.getByRole("radiogroup", { name: "Sessions" })).getByRole("radio", { name: "Off" }));
  expect(host.callsOf("toolset.set")).toEqual([{ id: "sessions", workspaceId: "w1", on: false }]);
  await waitFor(() => expect(chosen("Sessions")).toBe("Off"));
  await user.click(within(screen.getByRole("radiogroup", { name: "Sessions" })).getByRole("radio", { name: /Default/ }));
  expect(host.callsOf("toolset.set")[1]).toEqual({ id: "sessions", workspaceId: "w1", on: null });
  await waitFor(() => expect(chosen("Sessions")).toBe("Default: on"));
});

test("in general it is on or off, and the tools are named as rules name them", async () => {
  const host = await draw("");
  await screen.findByText("Sessions");
  expect(within(screen.getByRole("radiogroup", { name: "Sessions" })).getAllByRole("radio")).toHaveLength(2);
  await user.click(within(screen.getByRole("radiogroup", { name: "You" })).getByRole("radio", { name: "Off" }));
  expect(host.callsOf("toolset.set")).toEqual([{ id: "people", on: false }]);
  await user.click(screen.getAllByText("2 tools")[0] as HTMLElement);
  expect(screen.getByText("mcp__parley__spawn_session")).toBeVisible();
});

test("it is read again when the link comes back, and what was chosen meanwhile stays", async () => {
  const sets = toolSets();
  const taken: string[] = [];
  const host = await draw("w1", { "toolset.list": () => ({ sets: structuredClone(sets) }) }, (id) => taken.push(id));
  await screen.findByText("Sessions");
  await user.click(within(screen.getByRole("radiogroup", { name: "Sessions" })).getByRole("radio", { name: "Off" }));
  host.setStatus({ kind: "closed", reason: "", retryAt: null });
  for (const set of sets) if (set.id === "memory") Object.assign(set, { own: true, on: true });
  host.setStatus({ kind: "open" });
  await waitFor(() => expect(chosen("Memory")).toBe("On"));
  expect(chosen("Sessions")).toBe("Off");
  expect(taken).toEqual(["sessions"]);
});

test("why they cannot be read is shown until they can", async () => {
  let broken = true;
  const host = await draw("", {
    "toolset.list": () => {
      if (broken) throw new HostError("unavailable", "The disk is full.");
      return { sets: toolSets() };
    },
  });
  expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
  broken = false;
  host.setStatus({ kind: "closed", reason: "", retryAt: null });
  host.setStatus({ kind: "open" });
  await screen.findByText("Sessions");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("another user may keep what is chosen", async () => {
  const taken: [string, boolean | null][] = [];
  const host = await draw("w1", {}, (id, on) => taken.push([id, on]));
  await screen.findByText("Sessions");
  await user.click(within(screen.getByRole("radiogroup", { name: "Sessions" })).getByRole("radio", { name: "Off" }));
  await user.click(within(screen.getByRole("radiogroup", { name: "Memory" })).getByRole("radio", { name: /Default/ }));
  expect(taken).toEqual([["sessions", false], ["memory", null]]);
  expect(chosen("Sessions")).toBe("Off");
  expect(chosen("Memory")).toBe("Default: on");
  expect(host.callsOf("toolset.set")).toEqual([]);
});

test("what cannot be read or kept is shown", async () => {
  await draw("w1", { "toolset.set": () => { throw new HostError("unavailable", "The disk is full."); } });
  await screen.findByText("Sessions");
  await user.click(within(screen.getByRole("radiogroup", { name: "Sessions" })).getByRole("radio", { name: "Off" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
  expect(chosen("Sessions")).toBe("Default: on");
});

test("speaks German", async () => {
  await setLanguage("de");
  await draw("w1");
  expect(await screen.findByText("Sitzungen")).toBeVisible();
  expect(screen.getByText(/sobald der Prozess einer Sitzung das nächste Mal startet/)).toBeVisible();
});
