import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import TextWrap from "lucide-solid/icons/text-wrap";
import { createRoot, type JSX } from "solid-js";
import "./MaskIcon.css";

const icons = { copy: Copy, check: Check, wrap: TextWrap };

/**
 * An icon that a page contains hundreds of times: one element, filled through a mask. Browsers check every SVG for
 * animation in every frame, even far off-screen.
 */
export function MaskIcon(props: { of: keyof typeof icons }): JSX.Element {
  return <span data-component="mask-icon" data-icon={props.of} aria-hidden="true" />;
}

createRoot((dispose) => {
  for (const [name, Icon] of Object.entries(icons)) {
    const drawing = new XMLSerializer().serializeToString((<Icon />) as SVGSVGElement);
    document.documentElement.style.setProperty(`--icon-${name}`, `url("data:image/svg+xml,${encodeURIComponent(drawing)}")`);
  }
  dispose();
});
