import { fireEvent, render, screen } from "@solidjs/testing-library";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { info, session } from "../../../gallery/fixtures";
import type { Info, SignInNews } from "../../host/border.gen";
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
    "demo.start": () => session("tour", { rehearsal: true }),
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
  expect(await screen.findByRole("heading", { name: "What should we work on?" })).toBeVisible();
});

describe("without a CLI", () => {
  it("says so, shows the command, and installs it", async () => {
    const app = await draw({ cli: missing });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Claude Code CLI not installed");
    expect(screen.getByText(missing.installCommand)).toBeInTheDocument();
    host.on("cli.install", () => {
      host.on("app.info", () => info());
      return { cli: info().cli, output: "added 2 packages" };
    });
    press("Install CLI");
    await vi.waitFor(() => expect(app.state.info?.cli.found).toBe(true));
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("What should we work on?");
  });

  it("says once that there is none, and the reason where there is another", async () => {
    await draw({ cli: missing });
    expect(screen.queryByText(missing.message ?? "")).toBeNull();
    document.body.replaceChildren();
    const message = "There is no Claude Code CLI at /opt/claude, the path from the settings.";
    await draw({ cli: { ...missing, path: "/opt/claude", message } });
    expect(screen.getByText(message)).toBeInTheDocument();
  });

  it("has another heading for one that cannot be used", async () => {
    await draw({ cli: { ...missing, path: "/opt/claude", code: "cli_unusable", message: "It cannot be run." } });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Can’t use this Claude Code CLI");
    expect(screen.getByText("It cannot be run.")).toBeInTheDocument();
  });

  it("says why the installation failed", async () => {
    await draw({ cli: missing });
    host.on("cli.install", () => {
      throw new HostError("unavailable", "npm was not found.");
    });
    press("Install CLI");
    expect(await screen.findByRole("alert")).toHaveTextContent("npm was not found.");
    expect(await screen.findByRole("button", { name: "Install CLI" })).toBeEnabled();
  });

  it("says how far the installation is, and cancels it", async () => {
    await draw({ cli: missing });
    let end = () => {};
    host.on("cli.install", () => new Promise((_, reject) => (end = () => reject(new HostError("conflict", "The installation was canceled.")))));
    host.on("cli.installing", () => ({ running: true, seconds: 75, step: "fetch GET 200 https://registry.example.org/cli" }));
    host.on("cli.cancelInstall", () => ({}));
    press("Install CLI");
    expect(screen.getByRole("button", { name: "Install CLI" })).toBeDisabled();
    expect(screen.getByRole("progressbar", { name: "Installing…" })).toBeInTheDocument();
    expect(await screen.findByText("fetch GET 200 https://registry.example.org/cli", {}, { timeout: 3000 })).toBeVisible();
    expect(screen.getByText("1 m 15 s")).toBeVisible();
    press("Cancel installation");
    expect(host.callsOf("cli.cancelInstall")).toEqual([{}]);
    expect(screen.getByRole("status")).toHaveTextContent("Canceling…");
    end();
    expect(await screen.findByText("Installation canceled. Nothing was left behind.")).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole("button", { name: "Install CLI" })).toBeEnabled();
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
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("isn’t signed in");
    expect(screen.getByText("Log in with claude.")).toBeInTheDocument();
    press("Try without an account");
    await vi.waitFor(() => expect(app.state.current).toBe("tour"));
    expect(host.callsOf("cli.install")).toEqual([]);
  });

  it("lets a user who knows better continue", async () => {
    await draw({ account: noAccount });
    press("Continue anyway");
    press("Choose a folder…");
    expect(chooseFolder).toHaveBeenCalledOnce();
  });
});

describe("signing in", () => {
  /** A fake CLI login whose steps are triggered by the test. */
  function login() {
    const news: ((news: SignInNews) => void)[] = [];
    host.on("account.signIn", () => ({ id: "l", url: "https://claude.example/oauth", opened: false }));
    host.on("account.signInCode", () => ({}));
    host.on("account.cancelSignIn", () => ({}));
    host.on("account.awaitSignIn", () => new Promise((resolve) => news.push(resolve)));
    return async (state: SignInNews["state"], message = "") => {
      await vi.waitFor(() => expect(news).toHaveLength(1));
      news.shift()?.({ state, message });
    };
  }
  const code = () => screen.findByLabelText("Code");
  const give = async (said: string) => {
    fireEvent.input(await code(), { target: { value: said } });
    press("Sign in");
  };

  it("shows the address, takes the code, and is over once there is an account", async () => {
    const app = await draw({ account: noAccount });
    const say = login();
    press("Sign in");
    expect(await screen.findByText("https://claude.example/oauth")).toBeVisible();
    await vi.waitFor(() => code().then((field) => expect(field).toHaveFocus()));
    press("Open page");
    expect(host.opened).toEqual(["https://claude.example/oauth"]);
    expect(screen.getByRole("button", { name: "Sign in" })).toBeDisabled();
    await give("half");
    await say("waiting", "That is not the full code.");
    await vi.waitFor(() => expect(screen.getByRole("alert")).toHaveTextContent("That is not the full code."));
    await give("all#of it");
    host.on("app.info", () => info());
    await say("signedIn");
    await vi.waitFor(() => expect(app.state.info?.account.found).toBe(true));
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("What should we work on?");
    expect(host.callsOf("account.signInCode").map((p) => p.code)).toEqual(["half", "all#of it"]);
    expect(host.callsOf("account.cancelSignIn")).toEqual([]);
  });

  it("says why it failed, and starts again", async () => {
    await draw({ account: noAccount });
    const say = login();
    press("Sign in");
    await code();
    await say("failed", "Couldn't log in: no network");
    expect(await screen.findByText("Couldn't log in: no network")).toHaveAttribute("role", "alert");
    press("Try again");
    expect(await code()).toHaveValue("");
    expect(host.callsOf("account.signIn")).toHaveLength(2);
  });

  it("says why it could not begin", async () => {
    await draw({ account: noAccount });
    host.on("account.signIn", () => {
      throw new HostError("unavailable", "Claude Code did not provide a sign-in address.");
    });
    press("Sign in");
    expect(await screen.findByRole("alert")).toHaveTextContent("did not provide a sign-in address");
  });

  it("is cancelled by the user, and when the page goes", async () => {
    await draw({ account: noAccount });
    login();
    press("Sign in");
    await code();
    press("Cancel");
    expect(screen.getByRole("button", { name: "Try without an account" })).toBeVisible();
    expect(host.callsOf("account.cancelSignIn")).toEqual([{ id: "l" }]);
  });

  it("can be for an account that is billed by use", async () => {
    await draw({ account: noAccount });
    login();
    press("Sign in");
    await code();
    press("Use an Anthropic Console account instead (API billing)");
    await vi.waitFor(() => expect(host.callsOf("account.signIn").map((p) => p.console)).toEqual([false, true]));
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

it("finds nothing in the way of a Parley in demo mode", () => {
  expect(obstacle(info({ rehearsal: true, account: noAccount }))).toBe("");
  expect(obstacle(info({ rehearsal: true, account: noAccount, cli: missing }))).toBe("cli");
  expect(obstacle(info({ cli: { ...info().cli, code: "cli_unusable" } }))).toBe("cli");
});
