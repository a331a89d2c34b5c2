import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import { channels, chatConfig, chatState, mirror, noChat, person } from "../../../gallery/chat";
import type { FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import type { App } from "../../store/context";
import { button, chatHost, folder, press } from "../../test/mattermost";
import { renderApp } from "../../test/render";
import { MattermostPlace } from "./MattermostPlace";
import { MirrorDialog } from "./MirrorDialog";

beforeEach(() => setLanguage("en"));

const ada = person("u-ada", "ada", "Ada Byron");

function nth<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no ${index}`);
  return found;
}

async function open(fake: FakeHost, tab = ""): Promise<App> {
  const app = await renderApp(fake, () => (
    <>
      <MattermostPlace />
      <MirrorDialog />
    </>
  ));
  app.layout.go({ kind: "chat", tab });
  await screen.findByRole("heading", { name: "Mattermost" });
  return app;
}

function write(field: HTMLElement, words: string): void {
  fireEvent.input(field, { target: { value: words } });
  fireEvent.change(field, { target: { value: words } });
}

async function toServer(fake: FakeHost): Promise<App> {
  const app = await open(fake);
  await press("Connect a server");
  return app;
}

async function toChannels(fake: FakeHost): Promise<App> {
  const app = await toServer(fake);
  write(screen.getByLabelText("Address"), "chat.example.org/eng/channels/town-square");
  write(screen.getByLabelText("Token"), "secret");
  await press("Test connection");
  await screen.findByText("Signed in as @parley.");
  await press("Next");
  return app;
}

async function addChannel(): Promise<void> {
  write(await screen.findByRole("searchbox", { name: "Find a channel" }), "dev");
  await press("Add Development public");
}

describe("connecting a server", () => {
  test("says what it is for, and asks nothing of the server automatically", async () => {
    const fake = chatHost();
    await open(fake);
    expect(await screen.findByText("No access by default")).toBeVisible();
    expect(fake.callsOf("mattermost.probe")).toEqual([]);
    expect(fake.callsOf("mattermost.events")).toEqual([]);
  });

  test("takes the address out of what was copied, and puts what is wrong at its field", async () => {
    const fake = chatHost(noChat(), {
      "mattermost.probe": () => {
        throw new HostError("unauthorized", "The server does not know this token.");
      },
    });
    await toServer(fake);
    await press("Next");
    expect(await screen.findAllByText("Enter the server address.")).not.toHaveLength(0);
    const address = screen.getByLabelText("Address");
    write(address, "chat.example.org/eng/channels/town-square");
    expect(address).toHaveValue("https://chat.example.org");
    await press("Test connection");
    const token = screen.getByLabelText("Token");
    await waitFor(() => expect(token).toHaveAccessibleDescription(/Enter a token/));
    expect(fake.callsOf("mattermost.probe")).toEqual([]);
    write(token, "wrong");
    await press("Test connection");
    await waitFor(() => expect(token).toHaveAccessibleDescription(/does not know this token/));
    expect(token).toBeInvalid();
    expect(address).toBeValid();
    expect(fake.callsOf("mattermost.probe")).toEqual([{ url: "https://chat.example.org", token: "wrong" }]);
  });

  test("sends a token in the clear only when the user says so", async () => {
    const fake = chatHost();
    await toServer(fake);
    write(screen.getByLabelText("Address"), "http://chat.example.org");
    write(screen.getByLabelText("Token"), "secret");
    await press("Test connection");
    expect(await screen.findByText(/This address isn’t encrypted/)).toBeVisible();
    expect(fake.callsOf("mattermost.probe")).toEqual([]);
    await userEvent.click(screen.getByRole("checkbox", { name: /without encryption/ }));
    await press("Test connection");
    await screen.findByText("Signed in as @parley.");
    expect(fake.callsOf("mattermost.probe")).toEqual([{ url: "http://chat.example.org", allowInsecure: true, token: "secret" }]);
  });

  test("warns of a user's account, and of what the server warns of", async () => {
    await toServer(chatHost(noChat(), { "mattermost.probe": () => ({ version: "9.4.0", me: ada, teams: [], warnings: ["The server is old."] }) }));
    write(screen.getByLabelText("Address"), "https://chat.example.org");
    write(screen.getByLabelText("Token"), "secret");
    await press("Test connection");
    expect(await screen.findByText(/a personal account, not a bot/)).toBeVisible();
    expect(screen.getByText("The server is old.")).toBeVisible();
    expect(screen.getByText(/isn’t in a team yet/)).toBeVisible();
    await press("Next");
    expect(screen.getByRole("button", { name: "Server" })).toHaveAttribute("aria-current", "step");
  });

  test("goes from nothing to connected, and saves once, at the end", async () => {
    const fake = chatHost();
    await toChannels(fake);
    await press("Next");
    expect(await screen.findByText("Add a channel or turn on direct messages.")).toBeVisible();
    await addChannel();
    expect(screen.getByRole("button", { name: "Other folder…" })).toBeVisible();
    await press("Next");
    expect(await screen.findByText(/^No one is listed/)).toBeVisible();
    const find = screen.getByRole("searchbox", { name: "Find a person" });
    write(find, "ada");
    await press("Add Ada Byron @ada");
    expect(screen.getByRole("combobox", { name: "Role of Ada Byron (@ada)" })).toHaveValue("admin");
    write(find, "al");
    expect(await screen.findByRole("button", { name: "Add Al Old deactivated" })).toBeDisabled();
    fireEvent.keyDown(find, { key: "Enter" });
    expect(await screen.findByRole("combobox", { name: "Role of Alice Meyer (@alice)" })).toHaveValue("prompt");
    await userEvent.selectOptions(screen.getByLabelText("Add a group"), "Everyone who can post in Development");
    await press("Add");
    await press("Next");
    expect(fake.callsOf("mattermost.set")).toEqual([]);
    await press("Connect");
    await screen.findByText("Parley is connected.");
    expect(fake.callsOf("mattermost.set")).toEqual([
      {
        revision: "r1",
        token: "secret",
        config: {
          enabled: true, url: "https://chat.example.org", teamId: "t-eng", direct: null, mirrorChannelId: "",
          channels: [{ channelId: "c-dev", name: "Development", folder }],
          access: [
            { role: "admin", userId: "u-ada", name: "Ada Byron (@ada)" },
            { role: "prompt", userId: "u-alice", name: "Alice Meyer (@alice)" },
            { role: "watch", everyone: true, channelId: "c-dev", name: "Everyone who can post in Development" },
          ],
        },
      },
    ]);
    await press("Send test message");
    expect(await screen.findByRole("link", { name: "Open in Mattermost" })).toHaveAttribute("href", "https://chat.example.org/eng/pl/test");
    await press("Done");
    expect(await screen.findByRole("tab", { name: "Overview", selected: true })).toBeVisible();
  });

  test("can be left and come back to", async () => {
    const app = await toChannels(chatHost());
    await addChannel();
    app.layout.close("place:chat");
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Mattermost" })).toBeNull());
    app.layout.go({ kind: "chat" });
    expect(await screen.findByRole("button", { name: "Channels" })).toHaveAttribute("aria-current", "step");
    expect(screen.getByText("Development", { selector: "bdi" })).toBeVisible();
    await press("Server");
    expect(screen.getByLabelText("Address")).toHaveValue("https://chat.example.org");
    await press("Discard");
    expect(await screen.findByRole("button", { name: "Connect a server" })).toBeVisible();
  });

  test("says why it could not be saved, and continues from there", async () => {
    const fake = chatHost();
    await toChannels(fake);
    await addChannel();
    await press("Next");
    await press("Next");
    fake.on("mattermost.set", () => {
      throw new HostError("unavailable", "The keyring is locked.");
    });
    await press("Connect");
    expect(await screen.findByText("The keyring is locked.")).toBeVisible();
    expect(button("Connect")).toBeEnabled();
  });
});

describe("the page of a chat that is set up", () => {
  test("says how it is with the connection, why, and when it is tried again", async () => {
    const state = chatState({ problems: ["The folder is gone."] });
    Object.assign(state.connection, { state: "waiting", reason: "The server does not answer.", retryAt: Date.now() + 30_000 });
    await open(chatHost(state));
    expect(await screen.findByText("Not connected")).toBeVisible();
    // The space key must not end the connection.
    await waitFor(() => expect(screen.getByRole("tabpanel", { name: "Overview" })).toHaveFocus());
    expect(screen.getByText("The server does not answer.")).toBeVisible();
    expect(screen.getByText(/Retrying in \d+ seconds/)).toBeVisible();
    expect(screen.getByText("The folder is gone.")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Send test message" })).toBeNull();
  });

  test("tells rights that reach far from what cannot be used", async () => {
    const state = chatState({ problems: ["The folder is gone."], wide: ["Everyone who joins Dev can approve what runs on this computer."] });
    await open(chatHost(state));
    const unusable = (await screen.findByText("Problems")).closest("[role=status]");
    const wide = screen.getByText("Broad access").closest("[role=status]");
    expect(unusable).toHaveTextContent("The folder is gone.");
    expect(unusable).not.toHaveTextContent("Everyone who joins");
    expect(wide).toHaveTextContent("Everyone who joins Dev");
    expect(wide).not.toHaveAttribute("data-bad");
  });

  test("sends a test message to a channel that there is, whatever another user took off meanwhile", async () => {
    const fake = chatHost(chatState());
    await open(fake);
    await screen.findByRole("button", { name: "Send test message" });
    const { channels } = chatConfig();
    fake.on("mattermost.get", () => chatState({ revision: "r9", config: chatConfig({ channels: channels.slice(1) }) }));
    fake.emitGlobal({ event: "chat.changed", payload: { state: "connected", mirrors: 1 } });
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Channel for the test message" })).not.toHaveTextContent(channels[0]?.name ?? ""));
    await press("Send test message");
    expect(fake.callsOf("mattermost.test")).toEqual([{ channelId: channels[1]?.channelId }]);
  });

  test("lists what happened, and leads to the session", async () => {
    const app = await open(chatHost(chatState()));
    expect(await screen.findByText("A permission was allowed.")).toBeVisible();
    await userEvent.click(nth(screen.getAllByRole("button", { name: "Open session" }), 0));
    await waitFor(() => expect(app.state.current).toBe("s1"));
    expect(app.layout.shows("chat")).toBe(false);
  });

  test("switches off and on without saving what is being changed", async () => {
    const fake = chatHost(chatState());
    await open(fake, "people");
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Role of Alice Meyer (@alice)" }), "watch");
    await userEvent.click(screen.getByRole("tab", { name: "Overview" }));
    await userEvent.click(await screen.findByRole("switch", { name: "Connect to Mattermost" }));
    await screen.findByText("Off");
    expect(fake.callsOf("mattermost.set")[0]?.config).toEqual(chatConfig({ enabled: false }));
    await userEvent.click(screen.getByRole("tab", { name: "People" }));
    expect(await screen.findByRole("combobox", { name: "Role of Alice Meyer (@alice)" })).toHaveValue("watch");
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")).toHaveLength(2));
    expect(fake.callsOf("mattermost.set")[1]?.config).toMatchObject({ enabled: false, access: [{}, { role: "watch" }, {}, {}] });
  });

  test("says how people hear of questions, and keeps nothing of what is as usual", async () => {
    const fake = chatHost(chatState());
    await open(fake, "people");
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Mention" }), "all");
    await userEvent.type(screen.getByRole("spinbutton", { name: "Remind after (minutes)" }), "30");
    await userEvent.click(screen.getByRole("checkbox", { name: "Quiet hours" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Ask for suggested fixes" }));
    fireEvent.change(screen.getByLabelText("Until"), { target: { value: "22:00" } });
    expect((await screen.findAllByText("Enter a start and a different end for quiet hours."))[0]).toBeVisible();
    fireEvent.change(screen.getByLabelText("Until"), { target: { value: "06:30" } });
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")).toHaveLength(1));
    expect(fake.callsOf("mattermost.set")[0]?.config).toEqual(chatConfig({ calls: { who: "all", remindMinutes: 30, quietFrom: "22:00", quietTo: "06:30" }, suggestFixes: true }));

    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Mention" }), "first");
    await userEvent.clear(screen.getByRole("spinbutton", { name: "Remind after (minutes)" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Quiet hours" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Ask for suggested fixes" }));
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")).toHaveLength(2));
    expect(fake.callsOf("mattermost.set")[1]?.config).toEqual(chatConfig());
  });

  test("keeps what the user wrote when another user decided otherwise meanwhile", async () => {
    const fake = chatHost(chatState());
    await open(fake, "people");
    await userEvent.click(await screen.findByRole("button", { name: "Remove Alice Meyer (@alice)" }));
    const theirs = chatState({ revision: "r9", config: chatConfig({ displayTools: "none" }) });
    fake.on("mattermost.get", () => structuredClone(theirs));
    fake.emitGlobal({ event: "chat.changed", payload: { state: "connected", mirrors: 1 } });
    expect(await screen.findByText(/changed in another window/)).toBeVisible();
    expect(screen.queryByText("Alice Meyer (@alice)")).toBeNull();
    await press("Overwrite with mine");
    await waitFor(() => expect(fake.callsOf("mattermost.set")).toHaveLength(1));
    expect(fake.callsOf("mattermost.set")[0]?.revision).toBe("r9");
    expect(fake.callsOf("mattermost.set")[0]?.config.access).toHaveLength(3);
    await waitFor(() => expect(screen.queryByText(/changed in another window/)).toBeNull());
  });

  test("takes what another user decided when the user wants that", async () => {
    const fake = chatHost(chatState());
    await open(fake, "people");
    await userEvent.click(await screen.findByRole("button", { name: "Remove Alice Meyer (@alice)" }));
    fake.on("mattermost.set", () => {
      fake.on("mattermost.get", () => chatState({ revision: "r9", config: chatConfig({ access: [] }) }));
      throw new HostError("conflict", "It was changed meanwhile.");
    });
    await press("Save");
    await press("Discard mine and reload");
    expect(await screen.findByText(/^No one is listed/)).toBeVisible();
    expect(button("Save")).toBeDisabled();
  });

  test("a channel that is taken off the list is no place to show sessions in any more", async () => {
    const fake = chatHost(chatState());
    await open(fake, "channels");
    await press("Remove Development");
    expect(await screen.findAllByText("Choose a channel to mirror sessions to.")).not.toHaveLength(0);
    expect(button("Save")).toBeDisabled();
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Mirror to" }), "Operations");
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")[0]?.config).toMatchObject({ mirrorChannelId: "c-ops", channels: [{ channelId: "c-ops" }] }));
  });

  test("direct messages are switched on with a folder, and archived channels cannot be taken", async () => {
    const fake = chatHost(chatState({ config: chatConfig({ direct: null }) }));
    await open(fake, "channels");
    await userEvent.click(await screen.findByRole("switch", { name: "Direct messages" }));
    const group = screen.getByRole("group", { name: "Direct messages" });
    expect(within(group).queryByRole("checkbox")).toBeNull();
    await userEvent.click(screen.getByRole("searchbox", { name: "Find a channel" }));
    expect(await screen.findByRole("button", { name: `Add ${channels[3]?.title} archived` })).toBeDisabled();
    expect(button("Add Development added")).toBeDisabled();
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")[0]?.config.direct).toEqual({ channelId: "", name: "", folder }));
  });

  test("everything can be read and changed without a connection", async () => {
    const state = chatState();
    Object.assign(state.connection, { state: "waiting", reason: "The network is gone." });
    const fail = () => {
      throw new HostError("unavailable", "Mattermost cannot be reached.");
    };
    const fake = chatHost(state, { "mattermost.channels": fail, "mattermost.people": fail, "mattermost.probe": fail });
    await open(fake, "channels");
    await userEvent.click(await screen.findByRole("searchbox", { name: "Find a channel" }));
    expect(await screen.findByText(/Mattermost cannot be reached/)).toBeVisible();
    await press("Edit Operations");
    await userEvent.click(screen.getByRole("checkbox", { name: /Parley’s account is mentioned/ }));
    await press("Save");
    await waitFor(() => expect(fake.callsOf("mattermost.set")[0]?.config.channels[1]).toMatchObject({ channelId: "c-ops", mention: false }));
  });

  test("forgets the token after a question, and changes nothing else", async () => {
    const fake = chatHost(chatState());
    await open(fake);
    await press("Disconnect and delete token…");
    await press("Disconnect and delete");
    await waitFor(() => expect(fake.callsOf("mattermost.set")).toEqual([{ config: chatConfig({ enabled: false }), revision: "r1", token: "" }]));
  });

  test("lists threads, pauses one and leads to both sides", async () => {
    const fake = chatHost(chatState(), { "session.mirror": () => mirror({ on: false }) });
    await open(fake, "threads");
    const rows = within(await screen.findByRole("list", { name: "Threads with a session" })).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent?.replace(/\s+/g, " "))).toEqual([
      expect.stringContaining("mirrored from Parley"), expect.stringContaining("started in the thread"), expect.stringContaining("paused"),
    ]);
    expect(within(nth(rows, 1)).getByRole("link", { name: /in Mattermost$/ })).toHaveAttribute("href", "https://chat.example.org/eng/pl/p2");
    await userEvent.click(within(nth(rows, 0)).getByRole("button", { name: /^Pause/ }));
    await waitFor(() => expect(fake.callsOf("session.mirror")).toEqual([{ sessionId: "s1", on: false }]));
    await userEvent.click(within(nth(rows, 2)).getByRole("button", { name: /^Resume mirroring/ }));
    await waitFor(() => expect(fake.callsOf("session.mirror")[1]).toEqual({ sessionId: "s3", on: true }));
  });

  test("says why it cannot be read, and reads it again", async () => {
    const fake = chatHost(chatState());
    let broken = true;
    fake.on("mattermost.get", () => {
      if (broken) throw new HostError("unavailable", "chat.json cannot be read.");
      return chatState();
    });
    await open(fake);
    expect(await screen.findByText("chat.json cannot be read.")).toBeVisible();
    broken = false;
    await press("Try again");
    expect(await screen.findByText("Connected")).toBeVisible();
  });

  test("speaks German", async () => {
    await setLanguage("de");
    const app = await renderApp(chatHost(chatState()), () => <MattermostPlace />);
    app.layout.go({ kind: "chat", tab: "people" });
    expect(await screen.findByRole("combobox", { name: "Rolle von Alice Meyer (@alice)" })).toHaveDisplayValue("Darf erlauben");
  });
});
