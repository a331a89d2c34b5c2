import { fireEvent, screen, within } from "@solidjs/testing-library";
import { describe, expect, test, vi } from "vitest";
import { HostError } from "../../host/host";
import { GUARD_MS } from "./answer";
import { openQuestion } from "./gallery";
import { button, choose, draw, ready, stopClock } from "./test-dock";

stopClock();

describe("may a tool do this", () => {
  test("shows the whole command, what it is for, where and until when", () => {
    const command = "x".repeat(5000);
    draw(openQuestion("q", { input: { command, description: "Try it" }, reason: "not listed", blockedPath: "/etc" }));
    expect(screen.getByRole("group", { name: "Command" })).toHaveTextContent(command);
    expect(screen.getByRole("heading", { name: "Run this command?" })).toBeInTheDocument();
    for (const words of ["Try it", "/home/ada/projects/parley", "not listed", "/etc", /Will be denied/]) {
      expect(screen.getByText(words)).toBeInTheDocument();
    }
  });

  test("says in one sentence what looks dangerous, the worst of it, and unfolds all; nothing of what does not", async () => {
    const finding = (level: string, why: string, words = "rm -rf build") => ({ level, kind: "destructive", words, why });
    const { setList, user } = draw(
      openQuestion("q", {
        risk: {
          level: "high",
          findings: [
            finding("medium", "May change other files."),
            finding("high", "It deletes files for good."),
            finding("high", "It deletes files for good.", "rm -rf dist"),
            finding("low", "Never mind."),
          ],
        },
      }),
    );
    const risk = screen.getByRole("group", { name: "High risk" });
    const sentence = within(risk).getByText("High risk").parentElement;
    expect(sentence).toHaveTextContent(/^High risk It deletes files for good\.$/);
    expect(sentence).toBeVisible();
    const all = within(risk).getAllByRole("listitem", { hidden: true });
    expect(all.map((item) => item.textContent)).toEqual([
      "May change other files. rm -rf build", "It deletes files for good. rm -rf build", "It deletes files for good. rm -rf dist",
    ]);
    expect(all[0]).not.toBeVisible();
    await user.click(within(risk).getByText("1 more reason"));
    expect(all[0]).toBeVisible();

    setList([openQuestion("r", { risk: { level: "medium", findings: [finding("medium", "It deletes files for good.")] } })]);
    expect(screen.getByRole("group", { name: "Medium risk" })).not.toHaveTextContent("more reason");
    setList([openQuestion("s", { risk: { level: "critical", findings: [] } })]);
    expect(screen.getByText("Critical risk")).toBeVisible();
    setList([openQuestion("t", { risk: { level: "low", findings: [] } })]);
    expect(screen.queryByText(/risk/i)).toBeNull();
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
    // The next request takes its place under the pointer.
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

  test("what was begun is there again when the question comes back on the page", async () => {
    const { user, setList } = draw(openQuestion("q"));
    ready();
    await choose(user, "Edit, then allow…");
    await user.type(screen.getByRole("textbox", { name: /Command/ }), " -v");
    setList([]);
    expect(screen.queryByRole("textbox", { name: /Command/ })).toBeNull();
    setList([openQuestion("r")]);
    expect(button(/^Allow/)).toBeInTheDocument();
    setList([openQuestion("q")]);
    expect(screen.getByRole("textbox", { name: /Command/ })).toHaveValue("go test ./upload/... -run TestRetry -count=1 -v");
  });

  test("what the program says of a wrong edit stands beside it", async () => {
    const { respond, user } = draw(openQuestion("q", { toolName: "Read", input: { file_path: "/a" } }));
    respond.mockRejectedValueOnce(new HostError("invalid", "The field limit must be a number."));
    ready();
    await choose(user, "Edit, then allow…");
    const input = screen.getByRole("textbox", { name: /JSON/ });
    fireEvent.input(input, { target: { value: '{"file_path":"/a","limit":"x"}' } });
    await user.click(button("Allow edited version"));
    await vi.waitFor(() => expect(input).toHaveAccessibleDescription("The field limit must be a number."));
    expect(input).toHaveAttribute("aria-invalid", "true");
    fireEvent.input(input, { target: { value: '{"file_path":"/a","limit":1}' } });
    expect(input).toHaveAttribute("aria-invalid", "false");
    await user.click(button("Allow edited version"));
    expect(respond).toHaveBeenLastCalledWith({ requestId: "q", behavior: "allow", updatedInput: { file_path: "/a", limit: 1 } });
  });

  test("a command can be changed first", async () => {
    const { respond, user } = draw(openQuestion("q", { input: { command: "rm -r build", timeout: 5 } }));
    ready();
    await choose(user, "Edit, then allow…");
    const field = screen.getByRole("textbox", { name: /Command/ });
    await user.clear(field);
    expect(button("Allow edited version")).toBeDisabled();
    await user.type(field, "ls build");
    await user.click(button("Allow edited version"));
    expect(respond).toHaveBeenCalledWith({
      requestId: "q",
      behavior: "allow",
      updatedInput: { command: "ls build", timeout: 5 },
    });
  });

  test("any other input is changed as JSON, and must be JSON", async () => {
    const { respond, user } = draw(openQuestion("q", { toolName: "mcp__x__y", input: { a: 1 } }));
    ready();
    await choose(user, "Edit, then allow…");
    const field = screen.getByRole("textbox", { name: /Input as JSON/ });
    for (const wrong of ['{"a":', "[1]", "null"]) {
      fireEvent.input(field, { target: { value: wrong } });
      expect(screen.getByRole("alert")).toHaveTextContent(/JSON/);
      expect(button("Allow edited version")).toBeDisabled();
    }
    fireEvent.input(field, { target: { value: '{"a": 2}' } });
    await user.click(button("Allow edited version"));
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow", updatedInput: { a: 2 } });
  });

  test("the same call can be allowed for the session", async () => {
    const { respond, user } = draw(openQuestion("q"));
    ready();
    await choose(user, "Allow this exact call");
    expect(respond).toHaveBeenCalledWith({ requestId: "q", behavior: "allow", remember: true });
  });

  test("hidden characters are shown and said", () => {
    draw(openQuestion("q", { input: { command: "echo \u202eabc\u200b" } }));
    expect(screen.getByRole("group", { name: "Command" })).toHaveTextContent("echo U+202EabcU+200B");
    expect(screen.getByText(/Contains invisible characters/)).toBeInTheDocument();
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
    expect(screen.getByText("All occurrences")).toBeInTheDocument();
  });
});
