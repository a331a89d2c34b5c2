import { screen } from "@solidjs/testing-library";
import { describe, expect, test } from "vitest";
import { choiceInput, openQuestion, plan } from "./gallery";
import { button, draw, ready, stopClock } from "./test-dock";

stopClock();

describe("questions with choices", () => {
  const asked = (input: unknown = choiceInput) =>
    draw(openQuestion("q", { kind: "question", toolName: "AskUserQuestion", input }));

  test("every question needs an answer; several may have several", async () => {
    const { respond, user } = asked();
    ready();
    expect(button(/^Answer/)).toBeDisabled();
    await user.click(screen.getByRole("radio", { name: /In the database/ }));
    await user.click(screen.getByRole("checkbox", { name: /Broken connections/ }));
    await user.click(screen.getByRole("checkbox", { name: /Time-outs/ }));
    await user.click(button(/^Answer/));
    expect(respond).toHaveBeenCalledWith({
      requestId: "q",
      behavior: "allow",
      answers: {
        "Where should the retry counter live?": "In the database",
        "Which errors are worth another try?": ["Time-outs", "Broken connections"],
      },
    });
  });

  test("own words instead of and beside the choices", async () => {
    const { respond, user } = asked();
    ready();
    await user.type(screen.getByRole("textbox", { name: /retry counter/ }), "in 2 files");
    await user.click(screen.getByRole("checkbox", { name: /5xx/ }));
    await user.type(screen.getByRole("textbox", { name: /another try/ }), "DNS");
    await user.click(button(/^Answer/));
    expect(respond.mock.calls[0]?.[0].answers).toEqual({
      "Where should the retry counter live?": "in 2 files",
      "Which errors are worth another try?": ["5xx answers", "DNS"],
    });
  });

  test("numbers choose and Enter answers", async () => {
    const { respond, user } = asked({ questions: [choiceInput.questions[0]] });
    ready();
    screen.getAllByRole("radio")[0]?.focus();
    await user.keyboard("2");
    expect(screen.getByRole("radio", { name: /In the database/ })).toBeChecked();
    await user.keyboard("3");
    expect(screen.getByRole("textbox", { name: /Other answer/ })).toHaveFocus();
    await user.keyboard("{Enter}");
    expect(respond).not.toHaveBeenCalled();
    await user.keyboard("file 7{Enter}");
    expect(respond.mock.calls[0]?.[0].answers).toEqual({ "Where should the retry counter live?": "file 7" });
  });

  test("not answering says so", async () => {
    const { respond, user } = asked();
    ready();
    await user.click(button("Skip"));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "deny", message: "The user chose not to answer" });
  });

  test("input of another shape is shown as it is", () => {
    asked({ questions: 7 });
    expect(screen.getByRole("group", { name: "Input" })).toHaveTextContent('"questions": 7');
    expect(button(/^Allow/)).toBeInTheDocument();
  });
});

describe("a plan", () => {
  const asked = () => draw(openQuestion("q", { kind: "plan", toolName: "ExitPlanMode", input: { plan } }));

  test("is a document that can be approved", async () => {
    const { respond, user } = asked();
    ready();
    expect(screen.getByRole("heading", { name: "Retry the upload" })).toBeInTheDocument();
    await user.click(button(/^Approve and start/));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow" });
  });

  test("or sent back with what to change", async () => {
    const { respond, user } = asked();
    ready();
    await user.click(button("Request changes…"));
    expect(button(/^Request changes/)).toBeDisabled();
    await user.keyboard("fewer steps");
    await user.click(button(/^Request changes/));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "deny", message: "fewer steps" });
  });

  test("approval can say how it continues", async () => {
    const { respond, user } = asked();
    ready();
    await user.click(button("Approve and…"));
    await user.click(await screen.findByRole("menuitem", { name: "accept edits" }));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow", mode: "acceptEdits" });
  });

  test("comments go to the model with what they are about", async () => {
    const { respond, user } = asked();
    ready();
    const comment = async (at: number, words: string) => {
      await user.click(screen.getAllByRole("button", { name: "Comment on this section" })[at]!);
      await user.keyboard(`${words}{Enter}`);
    };
    await comment(2, "Why one second?");
    await comment(0, "A better title.");
    await comment(1, "No.");
    await user.click(screen.getAllByRole("button", { name: "Remove comment" })[1]!);
    // The approve key does not discard comments.
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(respond).not.toHaveBeenCalled();
    await user.click(button("Request changes (2 comments)"));
    expect(respond).toHaveBeenCalledWith({
      requestId: "q",
      behavior: "deny",
      message: "About “# Retry the upload”:\nA better title.\n\nAbout “2. Wait between them: 1 s, 2 s, 4 s, with some chance in it.”:\nWhy one second?",
    });
  });

  test("can be dropped", async () => {
    const { respond, user } = asked();
    ready();
    await user.click(button("Reject plan"));
    expect(respond.mock.calls[0]?.[0]).toMatchObject({ behavior: "deny", message: expect.stringContaining("discarded") });
  });
});
