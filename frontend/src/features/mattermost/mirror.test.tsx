import { screen, waitFor } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Show } from "solid-js";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { chatConfig, chatState, mirror, noChat } from "../../../gallery/chat";
import { session } from "../../../gallery/fixtures";
import type { FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { button, chatHost, folder, press } from "../../test/mattermost";
import { renderApp } from "../../test/render";
import { DefaultsDialog } from "../sessions/DefaultsDialog";
import { MattermostLine } from "./MattermostLine";
import { MirrorChip } from "./MirrorChip";
import { MirrorDialog } from "./MirrorDialog";

beforeEach(() => setLanguage("en"));

describe("showing a session", () => {
  const ask = async (fake: FakeHost) => {
    const app = await renderApp(fake, () => <MirrorDialog />);
    await waitFor(() => expect(app.state.chat).not.toBeNull());
    app.layout.setOverlay({ kind: "mirror", sessionId: "s1" });
    await screen.findByRole("dialog");
    return app;
  };

  test("begins in the usual channel, or in one that is chosen", async () => {
    const fake = chatHost(chatState(), { "session.mirror": () => mirror() });
    const app = await ask(fake);
    expect(screen.getByLabelText("Channel")).toHaveDisplayValue("Development");
    await userEvent.selectOptions(screen.getByLabelText("Channel"), "Operations");
    await press("Mirror");
    await waitFor(() => expect(fake.callsOf("session.mirror")).toEqual([{ sessionId: "s1", on: true, channelId: "c-ops" }]));
    await waitFor(() => expect(app.layout.overlay()).toBeNull());
  });

  test("says why it does not work, and stays", async () => {
    const fake = chatHost(chatState({ config: chatConfig({ mirrorChannelId: "" }) }), {
      "session.mirror": () => {
        throw new HostError("forbidden", "The account may not write there.");
      },
    });
    await ask(fake);
    expect(button("Mirror")).toBeDisabled();
    await userEvent.selectOptions(screen.getByLabelText("Channel"), "Operations");
    await press("Mirror");
    expect(await screen.findByText("The account may not write there.")).toBeVisible();
  });

  test("leads to the page where there is no chat yet", async () => {
    const app = await ask(chatHost(noChat()));
    expect(screen.getByText(/isn’t connected to a Mattermost server yet/)).toBeVisible();
    await press("Mattermost settings…");
    expect(app.layout.shows("chat")).toBe(true);
  });

  test("one that is shown has its thread, its trouble and an end", async () => {
    const shown = session("s1", { title: "Uploads", mirror: mirror({ problem: "The channel is archived." }) });
    const fake = chatHost(chatState(), { "session.mirror": () => mirror({ on: false }) }, [shown]);
    await ask(fake);
    expect(screen.getByText("The channel is archived.")).toBeVisible();
    const thread = screen.getByRole("link", { name: "Open thread" });
    expect(thread).toHaveAttribute("href", "https://chat.example.org/eng/pl/p1");
    await waitFor(() => expect(thread).toHaveFocus());
    await press("Stop mirroring");
    await waitFor(() => expect(fake.callsOf("session.mirror")).toEqual([{ sessionId: "s1", on: false }]));
  });

  test("the session's header says where it is shown, and leads there", async () => {
    const fake = chatHost(chatState(), {}, [session("s1", { mirror: mirror({ on: false }) })]);
    const app = await renderApp(fake, ({ state }) => <Show when={state.sessions["s1"]}>{(one) => <MirrorChip session={one()} />}</Show>);
    expect(button("Mirroring to Development in Mattermost is paused")).toHaveTextContent("Development");
    fake.emitGlobal({ event: "sessions.changed", payload: { changed: [session("s1", { mirror: mirror({ problem: "It is archived." }) })], removed: [] } });
    await press("Can’t mirror to Development in Mattermost right now: It is archived.");
    expect(app.layout.overlay()).toEqual({ kind: "mirror", sessionId: "s1" });
    fake.emitGlobal({ event: "sessions.changed", payload: { changed: [session("s1")], removed: [] } });
    expect(await screen.findByRole("button", { name: "Mirror to Mattermost…" })).toBeVisible();
  });

  test("a workspace shows its new sessions when the user says so", async () => {
    const fake = chatHost(chatState({ config: chatConfig({ mirrorFolders: [] }) }), { "workspace.setDefaults": () => ({}) as never, "toolset.list": () => ({ sets: [] }) });
    const close = vi.fn();
    const app = await renderApp(fake, () => <DefaultsDialog workspaceId="w1" onClose={close} />);
    await waitFor(() => expect(app.state.chat).not.toBeNull());
    await userEvent.click(await screen.findByRole("switch", { name: "Mirror new sessions to Mattermost" }));
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")[0]?.config.mirrorFolders).toEqual([folder]));
    await waitFor(() => expect(close).toHaveBeenCalled());
  });
});

describe("the line in the sidebar", () => {
  test("is there once there is a chat, and says what is the matter", async () => {
    const fake = chatHost(noChat());
    const app = await renderApp(fake, () => <MattermostLine />);
    await waitFor(() => expect(app.state.chat).not.toBeNull());
    expect(screen.queryByRole("button")).toBeNull();
    const state = chatState();
    fake.on("mattermost.get", () => structuredClone(state));
    fake.emitGlobal({ event: "chat.changed", payload: { state: "connected", mirrors: 1 } });
    expect(await screen.findByRole("button", { name: "Mattermost 1 in a thread" })).toBeVisible();
    state.connection.state = "refused";
    fake.emitGlobal({ event: "chat.changed", payload: { state: "refused", mirrors: 1 } });
    await userEvent.click(await screen.findByRole("button", { name: "Mattermost refused" }));
    expect(app.layout.shows("chat")).toBe(true);
  });
});
