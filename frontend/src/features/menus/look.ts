// The page's colors in the format of the window's toolkit.

import type { MenuLook } from "../../host/menus";

const tokens = { back: "--bg", raised: "--bg-raised", text: "--text", dim: "--text-dim", faint: "--text-faint", hover: "--bg-active", line: "--line" } as const;

/** Reads the colors from the page; null if the browser can't draw. */
export function readLook(): MenuLook | null {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  if (!brush) return null;
  const colourOf = (token: string) => {
    probe.style.color = `var(${token})`;
    brush.fillStyle = getComputedStyle(probe).color;
    brush.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = brush.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  };
  const look: MenuLook = {
    back: colourOf(tokens.back),
    raised: colourOf(tokens.raised),
    text: colourOf(tokens.text),
    dim: colourOf(tokens.dim),
    faint: colourOf(tokens.faint),
    hover: colourOf(tokens.hover),
    line: colourOf(tokens.line),
  };
  probe.remove();
  return look;
}
