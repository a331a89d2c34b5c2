import { render, screen, waitFor } from "@solidjs/testing-library";
import { createSignal } from "solid-js";
import { expect, test, vi } from "vitest";
import { Dialog } from "./dialog";

function Page() {
  const [open, setOpen] = createSignal("");
  const is = (name: string) => ({ title: name, open: open() === name, onOpenChange: (on: boolean) => setOpen(on ? name : "") });
  return (
    <>
      <button type="button" onClick={() => setOpen("one")}>
        opener
      </button>
      <Dialog {...is("one")}>
        <input data-autofocus aria-label="in one" />
        <button type="button" onClick={() => setOpen("")}>
          shut
        </button>
        <button type="button" onClick={() => setOpen("two")}>
          go on
        </button>
      </Dialog>
      <Dialog {...is("two")}>
        <input data-autofocus aria-label="in two" />
      </Dialog>
    </>
  );
}

test("the focus goes into a dialog, and back when it is closed", async () => {
  render(() => <Page />);
  const opener = screen.getByText("opener");
  opener.focus();
  opener.click();
  await waitFor(() => expect(screen.getByLabelText("in one")).toHaveFocus());
  screen.getByText("shut").click();
  await waitFor(() => expect(opener).toHaveFocus());
});

test("one that was opened meanwhile keeps it", async () => {
  render(() => <Page />);
  const opener = screen.getByText("opener");
  opener.focus();
  opener.click();
  await waitFor(() => expect(screen.getByLabelText("in one")).toHaveFocus());
  const taken = vi.fn();
  opener.addEventListener("focus", taken);
  screen.getByText("go on").click();
  await waitFor(() => expect(screen.getByLabelText("in two")).toHaveFocus());
  // The first returns the focus in its own task, which runs before this one.
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.getByLabelText("in two")).toHaveFocus();
  expect(taken).not.toHaveBeenCalled();
});
