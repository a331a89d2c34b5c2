import { render, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal } from "solid-js";
import { describe, expect, test, vi } from "vitest";
import { HostError } from "../../host/host";
import { createPane, PaneProvider } from "../../store/pane";
import { type Respond } from "./answer";
import { openQuestion } from "./gallery";
import { QuestionDockView } from "./QuestionDock";
import { button, choose, draw, ready, stopClock } from "./test-dock";

stopClock();

describe("the dock", () => {
  test("asks the oldest first and counts", () => {
    draw(openQuestion("a", { input: { command: "first" } }), openQuestion("b", { input: { command: "second" } }));
    expect(screen.getByText("1 of 2")).toBeInTheDocument();
    expect(screen.getByText("first")).toBeInTheDocument();
    expect(screen.queryByText("second")).toBeNull();
  });

  test("says when someone else was first", async () => {
    const { respond, user, setList } = draw(openQuestion("q"));
    respond.mockResolvedValue({ won: false, outcome: "deny", by: "gateway" });
    ready();
    await user.click(button(/^Allow/));
    setList([]);
    expect(screen.getByText(/in a browser answered first \(denied/)).toBeInTheDocument();
    vi.advanceTimersByTime(10_000);
    expect(screen.queryByText(/answered first/)).toBeNull();
    // Answered by someone without a known name.
    respond.mockResolvedValue({ won: false, outcome: "allow", by: "elsewhere" });
    setList([openQuestion("r")]);
    ready();
    await user.click(button(/^Allow/));
    expect(screen.getByText(/Someone else answered first/)).toBeInTheDocument();
  });

  test("keys are for the pane that has the focus, and for a dialog above all", async () => {
    const respond = vi.fn<Respond>(() => Promise.resolve({ won: true, outcome: "allow", by: "window" }));
    const [focused, setFocused] = createSignal(1);
    const [dialog, setDialog] = createSignal(false);
    const dock = (id: string) => <QuestionDockView questions={[openQuestion(id)]} respond={respond} preview={() => Promise.reject(new Error("none"))} />;
    render(() => (
      <>
        <PaneProvider value={createPane(() => focused() === 0)}>{dock("left")}</PaneProvider>
        <PaneProvider value={createPane(() => focused() === 1)}>{dock("right")}</PaneProvider>
        {dialog() ? <div role="dialog">{dock("above")}</div> : null}
      </>
    ));
    ready();
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime, delay: null });
    const asked = () => respond.mock.calls.map(([params]) => params.requestId);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(asked()).toEqual(["right"]);
    setDialog(true);
    ready();
    setFocused(0);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(asked()).toEqual(["right", "above"]);
    setDialog(false);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(asked()).toEqual(["right", "above", "left"]);
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
    await choose(user, "Edit, then allow…");
    await user.type(screen.getByRole("textbox", { name: /Command/ }), " -v");
    setList([openQuestion("q"), openQuestion("r")]);
    expect(screen.getByRole("textbox", { name: /Command/ })).toHaveValue("go test ./upload/... -run TestRetry -count=1 -v");
  });
});
