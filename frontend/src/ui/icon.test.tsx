import { render } from "@solidjs/testing-library";
import Sorted from "lucide-solid/icons/arrow-down-a-z";
import Copy from "lucide-solid/icons/copy";
import { createSignal } from "solid-js";
import { expect, it } from "vitest";

const copy = '<rect width="14" height="14" x="8" y="8" rx="2" ry="2"></rect><path d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2"></path>';
const stroke = 'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
const svg = (size: number, classes: string, rest: string, inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" ${stroke} class="lucide ${classes}"${rest}>${inner}</svg>`;

it("draws an icon as lucide-solid does", () => {
  const { container } = render(() => <Copy size={14} />);
  // lucide-solid's own component leaves its key on each part; this one does not.
  expect(container.innerHTML).toBe(svg(14, "lucide-copy lucide-icon", ' aria-hidden="true"', copy));
});

it("has the size of the drawing where none is given", () => {
  const { container } = render(() => <Copy />);
  expect(container.innerHTML).toBe(svg(24, "lucide-copy lucide-icon", ' aria-hidden="true"', copy));
});

it("keeps its classes, with those of its other names", () => {
  const { container } = render(() => <Sorted class="mine" data-state="open" />);
  const drawn = container.querySelector("svg");
  expect(drawn).toHaveClass("lucide lucide-arrow-down-a-z lucide-arrow-down-az lucide-icon mine", { exact: true });
  expect(drawn).toHaveAttribute("data-state", "open");
  expect(drawn?.children).toHaveLength(5);
});

it("is no decoration once it has a word", () => {
  const { container } = render(() => <Copy size={14} aria-label="Copy" />);
  expect(container.innerHTML).toBe(svg(14, "lucide-copy lucide-icon", ' aria-label="Copy"', copy));
});

it("follows what changes, and every icon has a picture of its own", () => {
  const [size, setSize] = createSignal(14);
  const [label, setLabel] = createSignal<string | undefined>("Copy");
  const { container } = render(() => [<Copy size={size()} aria-label={label()} />, <Copy size={12} />]);
  setSize(20);
  setLabel(undefined);
  expect(container.innerHTML).toBe(svg(20, "lucide-copy lucide-icon", "", copy) + svg(12, "lucide-copy lucide-icon", ' aria-hidden="true"', copy));
});
