import { fireEvent, render, screen } from "@solidjs/testing-library";
import { expect, test, vi } from "vitest";
import { IconButton } from "./icon-button";

const button = (): HTMLElement => screen.getByRole("button", { name: "Start" });
const tooltips = (): number => document.querySelectorAll('[data-component="tooltip"]').length;

test("a tooltip shows after a while, and not after a click", async () => {
  vi.useFakeTimers();
  const pressed = vi.fn();
  render(() => <IconButton label="Start" onClick={pressed} />);
  fireEvent.pointerEnter(button(), { pointerType: "mouse" });
  await vi.advanceTimersByTimeAsync(600);
  expect(tooltips()).toBe(1);
  fireEvent.pointerLeave(button(), { pointerType: "mouse" });
  await vi.advanceTimersByTimeAsync(600);
  expect(tooltips()).toBe(0);

  fireEvent.pointerEnter(button(), { pointerType: "mouse" });
  await vi.advanceTimersByTimeAsync(100);
  fireEvent.click(button());
  expect(pressed).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(2000);
  expect(tooltips()).toBe(0);

  fireEvent.pointerLeave(button(), { pointerType: "mouse" });
  fireEvent.pointerEnter(button(), { pointerType: "mouse" });
  await vi.advanceTimersByTimeAsync(600);
  expect(tooltips()).toBe(1);
  vi.useRealTimers();
});
