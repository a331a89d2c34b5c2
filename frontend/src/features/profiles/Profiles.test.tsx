import { fireEvent, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Profile, ProfileList } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { draftOf, toParams } from "./form";
import { ProfilesPage } from "./ProfilesPage";

const work: Profile = {
  id: "w",
  name: "Work",
  kind: "gateway",
  env: { ANTHROPIC_BASE_URL: "https://gateway.example.com", HTTPS_PROXY: "http://proxy" },
  secrets: ["ANTHROPIC_AUTH_TOKEN", "OTHER_TOKEN"],
  missing: [],
  helper: "",
  updatedAt: 1,
};

let host: FakeHost;

async function draw(list: Partial<ProfileList> = {}) {
  host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "profile.list": () => structuredClone({ profiles: [work], keyring: "", ...list }),
    "profile.set": () => work,
    "profile.delete": () => ({}),
  });
  await renderApp(host, () => <ProfilesPage />);
  await vi.waitFor(() => expect(screen.queryByText("Loading profiles…")).toBeNull());
  return userEvent.setup();
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const fill = (name: string | RegExp, value: string) => fireEvent.input(screen.getByRole("textbox", { name }), { target: { value } });

describe("the list", () => {
  it("says what a profile is, and that its secret is missing", async () => {
    await draw({ profiles: [{ ...work, missing: ["OTHER_TOKEN"] }] });
    const row = within(screen.getByRole("list", { name: "Profiles" })).getByRole("listitem");
    expect(row).toHaveTextContent("Work");
    expect(row).toHaveTextContent("Gateway · https://gateway.example.com");
    expect(row).toHaveTextContent("Missing from the keyring: OTHER_TOKEN. Set it again.");
  });

  it("deletes after a question", async () => {
    await draw();
    press("Delete Work");
    expect(host.callsOf("profile.delete")).toEqual([]);
    press("Delete");
    await vi.waitFor(() => expect(host.callsOf("profile.delete")).toEqual([{ profileId: "w" }]));
  });

  it("says why it could not be read, and tries again", async () => {
    await draw();
    host.on("profile.list", () => {
      throw new HostError("unavailable", "The store is closed.");
    });
    press("Delete Work");
    press("Delete");
    expect(await screen.findByRole("alert")).toHaveTextContent("The store is closed.");
    host.on("profile.list", () => ({ profiles: [], keyring: "" }));
    press("Try again");
    expect(await screen.findByText("No profiles yet.")).toBeInTheDocument();
  });

  it("says why secrets cannot be kept and what to do", async () => {
    await draw({ keyring: "There is no keyring here." });
    expect(screen.getByRole("status")).toHaveTextContent("Parley can’t store secrets right now. There is no keyring here. Until then, use a helper command");
    press("Add profile");
    expect(screen.getByLabelText("API key")).toBeDisabled();
  });
});

describe("the form", () => {
  it("makes a profile with what its kind asks for", async () => {
    const user = await draw({ profiles: [] });
    press("Add profile");
    fill("Name", "Cloud");
    await user.click(screen.getByRole("button", { name: /^Kind/ }));
    await user.click(await screen.findByRole("menuitemradio", { name: /^Gateway/ }));
    await screen.findByRole("textbox", { name: /^Address/ });
    fill(/^Address/, "https://llm.example.com ");
    fireEvent.input(screen.getByLabelText("Token"), { target: { value: "s3cret" } });
    press("Save");
    await vi.waitFor(() =>
      expect(host.callsOf("profile.set")).toEqual([
        {
          name: "Cloud",
          kind: "gateway",
          env: { ANTHROPIC_BASE_URL: "https://llm.example.com" },
          secrets: { ANTHROPIC_AUTH_TOKEN: "s3cret" },
        },
      ]),
    );
    await screen.findByText("No profiles yet.");
  });

  it("leaves secrets alone that are not touched, and replaces and removes others", async () => {
    await draw();
    press("Edit Work");
    expect(screen.getAllByText("In the system keyring")).toHaveLength(2);
    expect(document.querySelector("input[type=password]")).toBeNull();
    press("Replace Token");
    fireEvent.input(screen.getByLabelText("Token"), { target: { value: "new" } });
    press("Remove OTHER_TOKEN");
    press("Save");
    await vi.waitFor(() =>
      expect(host.callsOf("profile.set")).toEqual([
        { id: "w", name: "Work", kind: "gateway", env: work.env, secrets: { ANTHROPIC_AUTH_TOKEN: "new", OTHER_TOKEN: "" } },
      ]),
    );
  });

  it("keeps what was typed when the program refuses it", async () => {
    await draw({ profiles: [] });
    host.on("profile.set", () => {
      throw new HostError("invalid", "A profile cannot set PATH.");
    });
    press("Add profile");
    fill("Name", "Mine");
    press("Variable");
    fill("Variable", "PATH");
    fireEvent.input(screen.getByLabelText("API key"), { target: { value: "s3cret" } });
    press("Save");
    expect(await screen.findByRole("alert")).toHaveTextContent("A profile cannot set PATH.");
    expect(screen.getByLabelText("API key")).toHaveValue("s3cret");
  });

  it("empties its secrets when it is left", async () => {
    await draw({ profiles: [] });
    press("Add profile");
    const field = screen.getByLabelText<HTMLInputElement>("API key");
    fireEvent.input(field, { target: { value: "s3cret" } });
    press("Cancel");
    expect(field.value).toBe("");
  });

  it("has a token for GitHub made in the browser, or taken from the GitHub CLI", async () => {
    await draw({ profiles: [] });
    press("Add profile");
    fill("Name", "Mine");
    press("GitHub token");
    expect(screen.queryByRole("button", { name: "GitHub token" })).toBeNull();
    press("Create one on GitHub");
    expect(host.opened).toEqual([expect.stringContaining("https://github.com/settings/personal-access-tokens/new?")]);
    fireEvent.click(screen.getByRole("checkbox", { name: "Use the token of the GitHub CLI (gh)" }));
    press("Save");
    await vi.waitFor(() => expect(host.callsOf("profile.set")).toEqual([{ name: "Mine", kind: "anthropic", env: {}, gitHub: true }]));
  });

  it("another kind loses nothing", () => {
    const draft = draftOf(work, "custom");
    expect(draft.rows.map((r) => [r.name, r.value])).toEqual(Object.entries(work.env));
    expect(draft.secrets.map((s) => [s.name, s.state, s.own])).toEqual([
      ["ANTHROPIC_AUTH_TOKEN", "kept", true],
      ["OTHER_TOKEN", "kept", true],
    ]);
    expect(toParams(draft, new Map())).toEqual({ id: "w", name: "Work", kind: "custom", env: work.env });
  });
});
