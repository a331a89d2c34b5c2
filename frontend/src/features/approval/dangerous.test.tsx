import { screen, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import dangerous from "./dangerous.json";
import { openQuestion } from "./gallery";
import { draw, ready, stopClock } from "./test-dock";

stopClock();

const dock = () => screen.getByRole("region", { name: "Question" });

// The risk of each command, and what the user sees.
test.each(dangerous)("$command is nothing that a habit allows", async ({ command, risk }) => {
  const { respond, user } = draw(openQuestion("q", { input: { command, description: "Tidy up" }, risk }));
  ready();
  expect(within(dock()).getByRole("group", { name: "Command" })).toHaveTextContent(command.replaceAll(/\s+/g, " "));
  const said = within(dock()).getByRole("group", { name: /^(High|Critical) risk$/ });
  expect(said).toHaveTextContent(risk.findings[0]?.why ?? "nothing was found");

  const buttons = within(dock()).getAllByRole("button");
  expect(buttons.map((button) => button.textContent?.trim().split(" ")[0])).toEqual(["Deny", "Allow", "More"]);
  expect(buttons.filter((button) => button.dataset.variant === "primary").map((button) => button.textContent?.trim().split(" ")[0])).toEqual(["Deny"]);
  expect(within(buttons[1] as HTMLElement).queryByText(/Ctrl|Enter/)).toBeNull();

  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(respond).not.toHaveBeenCalled();
  await user.keyboard("{Control>}{Backspace}{/Control}");
  expect(respond).toHaveBeenCalledExactlyOnceWith({ requestId: "q", behavior: "deny" });
});

test("there are thirty of them", () => expect(new Set(dangerous.map(({ command }) => command)).size).toBe(30));
