import { cleanup, fireEvent, render, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal } from "solid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OpenQuestion, PermissionRespondParams } from "../../host/border.gen";
import { HostError } from "../../host/host";
import { GUARD_MS } from "./answer";
import { choiceInput, openQuestion, plan } from "./gallery";
import { QuestionDockView } from "./QuestionDock";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function draw(...questions: OpenQuestion[]) {
  const [list, setList] = createSignal(questions);
  const respond = vi.fn<(params: PermissionRespondParams) => Promise<boolean>>(() => Promise.resolve(true));
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime, delay: null });
  const view = render(() => (
    <>
      <textarea aria-label="Prompt" />
      <QuestionDockView questions={list()} respond={respond} />
    </>
  ));
  return { respond, user, setList, view };
}

const ready = () => vi.advanceTimersByTime(GUARD_MS);
const button = (name: RegExp | string) => screen.getByRole("button", { name });

describe("may a tool do this", () => {
  test("shows the whole command, what it is for, where and until when", () => {
    const command = "x".repeat(5000);
    draw(openQuestion("q", { input: { command, description: "Try it" }, reason: "not listed", blockedPath: "/etc" }));
    expect(screen.getByRole("group", { name: "Command" })).toHaveTextContent(command);
    expect(screen.getByRole("heading", { name: "Run this command?" })).toBeInTheDocument();
    for (const words of ["Try it", "/home/ada/projects/parley", "not listed", "/etc", /waits until/]) {
      expect(screen.getByText(words)).toBeInTheDocument();
    }
  });

  test("allow and deny say so", async () => {
    const { respond, user, setList } = draw(openQuestion("q"));
    ready();
    await user.click(button(/^Allow/));
    expect(respond).toHaveBeenLastCalledWith({ requestId: "q", behavior: "allow" });
    setList([openQuestion("r")]);
    ready();
    await user.click(button(/^Deny Ctrl/));
    expect(respond).toHaveBeenLastCalledWith({ requestId: "r", behavior: "deny" });
  });

  test("nothing counts in the first half second, nor twice", async () => {
    const { respond, user, setList } = draw(openQuestion("q"));
    vi.advanceTimersByTime(GUARD_MS - 1);
    await user.click(button(/^Allow/));
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(respond).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await user.dblClick(button(/^Allow/));
    expect(respond).toHaveBeenCalledTimes(1);
    // The next one takes its place under the pointer.
    setList([openQuestion("r")]);
    await user.click(button(/^Allow/));
    expect(respond).toHaveBeenCalledTimes(1);
  });

  test("the keys work where nothing is being typed", async () => {
    const { respond, user } = draw(openQuestion("q"));
    ready();
    const prompt = screen.getByRole("textbox", { name: "Prompt" });
    await user.type(prompt, "half a prompt");
    await user.keyboard("{Control>}{Enter}{Backspace}{/Control}");
    expect(respond).not.toHaveBeenCalled();
    await user.clear(prompt);
    await user.keyboard("{Escape}");
    expect(respond).not.toHaveBeenCalled();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow" });
  });

  test("it takes no focus", () => {
    const { setList } = draw();
    screen.getByRole("textbox", { name: "Prompt" }).focus();
    setList([openQuestion("q")]);
    ready();
    expect(screen.getByRole("textbox", { name: "Prompt" })).toHaveFocus();
  });

  test("where allowing is not advised it is no first choice", async () => {
    const { respond, user } = draw(openQuestion("q", { defaultToNo: true, noRemember: true }));
    ready();
    const [first, second] = within(screen.getByRole("region", { name: "Question" })).getAllByRole("button");
    expect(first).toHaveTextContent(/^Deny/);
    expect(second).toHaveTextContent("Allow");
    expect(second).toHaveAttribute("data-variant", "secondary");
    expect(screen.queryByRole("checkbox")).toBeNull();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(respond).not.toHaveBeenCalled();
    await user.click(second!);
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow" });
  });

  test("a refusal can say why, and Esc only leaves that", async () => {
    const { respond, user } = draw(openQuestion("q"));
    ready();
    await user.click(button("Deny and say why…"));
    const field = screen.getByRole("textbox", { name: "What to do instead" });
    expect(field).toHaveFocus();
    await user.keyboard("use make{Escape}");
    expect(respond).not.toHaveBeenCalled();
    await user.click(button("Deny and say why…"));
    await user.keyboard("use make{Control>}{Enter}{/Control}");
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "deny", message: "use make" });
  });

  test("a command can be changed first", async () => {
    const { respond, user } = draw(openQuestion("q", { input: { command: "rm -r build", timeout: 5 } }));
    ready();
    await user.click(button("Edit first…"));
    const field = screen.getByRole("textbox", { name: /Command/ });
    await user.clear(field);
    expect(button("Allow as edited")).toBeDisabled();
    await user.type(field, "ls build");
    await user.click(button("Allow as edited"));
    expect(respond).toHaveBeenCalledWith({
      requestId: "q",
      behavior: "allow",
      updatedInput: { command: "ls build", timeout: 5 },
    });
  });

  test("any other input is changed as JSON, and must be JSON", async () => {
    const { respond, user } = draw(openQuestion("q", { toolName: "mcp__x__y", input: { a: 1 } }));
    ready();
    await user.click(button("Edit first…"));
    const field = screen.getByRole("textbox", { name: /Input as JSON/ });
    for (const wrong of ['{"a":', "[1]", "null"]) {
      fireEvent.input(field, { target: { value: wrong } });
      expect(screen.getByRole("alert")).toHaveTextContent(/JSON/);
      expect(button("Allow as edited")).toBeDisabled();
    }
    fireEvent.input(field, { target: { value: '{"a": 2}' } });
    await user.click(button("Allow as edited"));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow", updatedInput: { a: 2 } });
  });

  test("the same call can be allowed for the session", async () => {
    const { respond, user } = draw(openQuestion("q"));
    ready();
    await user.click(screen.getByRole("checkbox", { name: "Allow the same call for this session" }));
    await user.click(button(/^Allow/));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow", remember: true });
  });

  test("hidden characters are shown and said", () => {
    draw(openQuestion("q", { input: { command: "echo \u202eabc\u200b" } }));
    expect(screen.getByRole("group", { name: "Command" })).toHaveTextContent("echo U+202EabcU+200B");
    expect(screen.getByText(/characters that are not visible/)).toBeInTheDocument();
  });

  test("markup in an input stays text", () => {
    const { view } = draw(
      openQuestion("q", { description: "<img src=x onerror=alert(1)>", input: { command: "<script>alert(1)</script>" } }),
    );
    expect(view.container.querySelector("script, img")).toBeNull();
    expect(screen.getByRole("group", { name: "Command" })).toHaveTextContent("<script>alert(1)</script>");
  });

  test("an edit is a diff", () => {
    const input = { file_path: "/w/a.go", old_string: "a\nb", new_string: "a\nc", replace_all: true };
    const { view } = draw(openQuestion("q", { toolName: "Edit", input, cwd: "/w" }));
    expect(screen.getByRole("heading", { name: "Edit a.go?" })).toBeInTheDocument();
    const kinds = [...view.container.querySelectorAll("[data-slot=row]")].map((row) => row.getAttribute("data-kind"));
    expect(kinds).toEqual(["same", "remove", "add"]);
    expect(screen.getByText("Every occurrence")).toBeInTheDocument();
  });
});

describe("the dock", () => {
  test("asks the oldest first and counts", () => {
    draw(openQuestion("a", { input: { command: "first" } }), openQuestion("b", { input: { command: "second" } }));
    expect(screen.getByText("1 of 2")).toBeInTheDocument();
    expect(screen.getByText("first")).toBeInTheDocument();
    expect(screen.queryByText("second")).toBeNull();
  });

  test("says when someone else was first", async () => {
    const { respond, user, setList } = draw(openQuestion("q"));
    respond.mockResolvedValue(false);
    ready();
    await user.click(button(/^Allow/));
    setList([]);
    expect(screen.getByText(/Someone else answered first/)).toBeInTheDocument();
    vi.advanceTimersByTime(10_000);
    expect(screen.queryByText(/Someone else answered first/)).toBeNull();
  });

  test("a failed answer can be given again", async () => {
    const { respond, user } = draw(openQuestion("q"));
    respond.mockRejectedValueOnce(new HostError("offline", "The connection is down."));
    ready();
    await user.click(button(/^Allow/));
    expect(screen.getByRole("alert")).toHaveTextContent("The connection is down.");
    await user.click(button(/^Allow/));
    expect(respond).toHaveBeenCalledTimes(2);
  });

  test("what is being written stays when another question joins", async () => {
    const { user, setList } = draw(openQuestion("q"));
    ready();
    await user.click(button("Deny and say why…"));
    await user.keyboard("because");
    setList([openQuestion("q"), openQuestion("r")]);
    expect(screen.getByRole("textbox", { name: "What to do instead" })).toHaveValue("because");
  });
});

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
    await user.click(button("Don’t answer"));
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
    await user.click(button(/^Approve/));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow" });
  });

  test("or sent back with what to change", async () => {
    const { respond, user } = asked();
    ready();
    await user.click(button("Ask for changes…"));
    expect(button(/^Ask for changes/)).toBeDisabled();
    await user.keyboard("fewer steps");
    await user.click(button(/^Ask for changes/));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "deny", message: "fewer steps" });
  });
});
