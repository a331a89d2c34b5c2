import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { info } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import { settingsAskedFor } from "../../lib/settings-ask";
import { renderApp } from "../../test/render";
import { StatusLine } from "./StatusLine";

it("says what is wrong while it is so, all of it, and leads to where it is explained", async () => {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
  });
  const app = await renderApp(host, () => <StatusLine />);
  expect(screen.queryByRole("button")).toBeNull();
  const say = async (...warnings: string[]) => {
    host.on("app.info", () => info({ warnings }));
    await app.actions.refreshInfo();
  };
  await say("The rooms were damaged.");
  expect(screen.getByRole("status")).toHaveTextContent("1 problem The rooms were damaged.");
  await say("The rooms were damaged.", "The audit log cannot be written.");
  await userEvent.click(screen.getByRole("button", { name: /^2 problems/ }));
  expect((await screen.findAllByRole("listitem")).map((row) => row.textContent)).toEqual(["The rooms were damaged.", "The audit log cannot be written."]);
  await userEvent.click(screen.getByRole("button", { name: "Open settings" }));
  expect(settingsAskedFor()).toEqual({ at: "files" });
  await say();
  expect(screen.queryByRole("button", { name: /problem/ })).toBeNull();
});
