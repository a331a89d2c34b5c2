import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { problem } from "../../../gallery/fixtures";
import type { AppProblem } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { GlobalBanners } from "./Banners";
import { StatusLine } from "./StatusLine";

async function page() {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
  });
  const app = await renderApp(host, () => (
    <>
      <GlobalBanners />
      <StatusLine />
    </>
  ));
  return { app, say: (...problems: AppProblem[]) => host.emitGlobal({ event: "problems.changed", payload: { problems } }) };
}

const rooms = problem("rooms_rebuilt", { facts: { kept: "3", file: "/data/rooms.bad" } });
const disk = problem("disk_full", { severity: "error", facts: { what: "audit,notes", folders: "/data" } });

it("says what is wrong while it is so, all of it, and what to do", async () => {
  const { app, say } = await page();
  expect(screen.queryByRole("button")).toBeNull();
  say(rooms);
  expect(screen.getByRole("button")).toHaveTextContent("1 problem The rooms database was damaged. 3 entries were recovered");
  say(disk, rooms);
  await userEvent.click(screen.getByRole("button", { name: /^2 problems/ }));
  const rows = await screen.findAllByRole("listitem");
  expect(rows[0]).toHaveTextContent("The disk is full. Not saved: the permission log; sessions, drafts, and queued prompts. Free up space on the disk that holds /data.");
  expect(rows[1]).toHaveTextContent("The damaged file is /data/rooms.bad.");
  expect(screen.queryByRole("button", { name: "Open settings" })).toBeNull();
  say(problem("settings_unread", { action: "settings" }));
  await userEvent.click(await screen.findByRole("button", { name: "Open settings" }));
  expect(app.layout.at("settings")).toEqual({ kind: "settings", tab: "files" });
  say();
  expect(screen.queryByRole("button", { name: /problem/ })).toBeNull();
});

it("puts what does not work above everything, in the user’s language", async () => {
  const { say } = await page();
  say(rooms);
  expect(screen.queryByRole("alert")).toBeNull();
  say(disk, rooms);
  expect(screen.getByRole("alert")).toHaveTextContent("The disk is full.");
  await setLanguage("de");
  expect(screen.getByRole("alert")).toHaveTextContent("Die Festplatte ist voll. Nicht gespeichert: das Protokoll der Berechtigungen");
  // A problem without texts on the page shows the program's.
  say({ ...problem("disk_full", { severity: "error", title: "The moon is gone.", todo: "Wait." }), id: "moon" });
  expect(screen.getByRole("alert")).toHaveTextContent("The moon is gone. Wait.");
  say(rooms);
  expect(screen.queryByRole("alert")).toBeNull();
});
