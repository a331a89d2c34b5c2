import { fireEvent, render, screen } from "@solidjs/testing-library";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { info, session } from "../../../gallery/fixtures";
import type { Info } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { AppProvider } from "../../store/context";
import { createApp } from "../../store/create";
import { renderApp } from "../../test/render";
import { obstacle } from "./model";
import { StartPage } from "./StartPage";

const missing: Info["cli"] = {
  found: false,
  path: "",
  version: "",
  source: "",
  code: "cli_missing",
  message: "No Claude Code CLI was found on this computer.",
  installCommand: "npm install -g @anthropic-ai/claude-code",
};
const noAccount: Info["account"] = { found: false, source: "", hint: "Log in with claude." };

let host: FakeHost;
const chooseFolder = vi.fn();

async function draw(what: Partial<Info>) {
  host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.create": ({ cwd }) => session("new", { cwd }),
    "rehearsal.begin": () => session("tour", { rehearsal: true }),
  });
  return renderApp(
    host,
    () => <StartPage sidebarHidden={false} onShowSidebar={() => {}} onChooseFolder={chooseFolder} />,
    what,
  );
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

beforeEach(() => chooseFolder.mockReset());

it("says why nothing could be read, and tries again", async () => {
  let broken = true;
  host = createFakeHost({
    "app.info": () => info(),
    "permission.list": () => ({ requests: [] }),
    "session.list": () => {
      if (broken) throw new HostError("internal", "It broke.");
      return { sessions: [], total: 0 };
    },
  });
  const app = createApp(host, { schedule: (flush) => flush() });
  onTestFinished(() => app.dispose());
  render(() => (
    <AppProvider app={app}>
      <StartPage sidebarHidden={false} onShowSidebar={() => {}} onChooseFolder={chooseFolder} />
    </AppProvider>
  ));
  expect(await screen.findByText("It broke.")).toBeVisible();
  broken = false;
  press("Try again");
  expect(await screen.findByRole("heading", { name: "Where should Claude work?" })).toBeVisible();
});

describe("without a CLI", () => {
  it("says so, shows the command, and installs it", async () => {
    const app = await draw({ cli: missing });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("The Claude Code CLI is not installed");
    expect(screen.getByText(missing.installCommand)).toBeInTheDocument();
    host.on("cli.install", () => {
      host.on("app.info", () => info());
      return { cli: info().cli, output: "added 2 packages" };
    });
    press("Install it for me");
    await vi.waitFor(() => expect(app.state.info?.cli.found).toBe(true));
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Where should Claude work?");
  });

  it("says once that there is none, and the reason where there is another", async () => {
    await draw({ cli: missing });
    expect(screen.queryByText(missing.message ?? "")).toBeNull();
    document.body.replaceChildren();
    const message = "There is no Claude Code CLI at /opt/claude, which the settings name.";
    await draw({ cli: { ...missing, path: "/opt/claude", message } });
    expect(screen.getByText(message)).toBeInTheDocument();
  });

  it("has another heading for one that cannot be used", async () => {
    await draw({ cli: { ...missing, path: "/opt/claude", code: "cli_unusable", message: "It cannot be run." } });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("This Claude Code CLI cannot be used");
    expect(screen.getByText("It cannot be run.")).toBeInTheDocument();
  });

  it("says why the installation failed", async () => {
    await draw({ cli: missing });
    host.on("cli.install", () => {
      throw new HostError("unavailable", "npm was not found.");
    });
    press("Install it for me");
    expect(await screen.findByRole("alert")).toHaveTextContent("npm was not found.");
    expect(await screen.findByRole("button", { name: "Install it for me" })).toBeEnabled();
  });

  it("installs it for the tour too", async () => {
    const app = await draw({ cli: missing, account: noAccount });
    host.on("cli.install", () => {
      host.on("app.info", () => info({ account: noAccount }));
      return { cli: info().cli, output: "" };
    });
    press("Try without an account");
    await vi.waitFor(() => expect(app.state.current).toBe("tour"));
  });
});

describe("without an account", () => {
  it("offers the tour", async () => {
    const app = await draw({ account: noAccount });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("no account");
    expect(screen.getByText("Log in with claude.")).toBeInTheDocument();
    press("Try without an account");
    await vi.waitFor(() => expect(app.state.current).toBe("tour"));
    expect(host.callsOf("cli.install")).toEqual([]);
  });

  it("lets a person who knows better go on", async () => {
    await draw({ account: noAccount });
    press("Go on anyway");
    press("Choose a folder…");
    expect(chooseFolder).toHaveBeenCalledOnce();
  });
});

describe("with everything", () => {
  it("starts in a recent folder", async () => {
    const app = await draw({});
    fireEvent.click(screen.getByTitle("/home/ada/notes"));
    await vi.waitFor(() => expect(app.state.current).toBe("new"));
    expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/notes" }]);
  });
});

it("finds nothing in the way of a Parley that only rehearses", () => {
  expect(obstacle(info({ rehearsal: true, account: noAccount }))).toBe("");
  expect(obstacle(info({ rehearsal: true, account: noAccount, cli: missing }))).toBe("cli");
  expect(obstacle(info({ cli: { ...info().cli, code: "cli_unusable" } }))).toBe("cli");
});
