import { createSignal, type JSX, onCleanup } from "solid-js";
import { text } from "../../i18n";
import { MaskIcon } from "./MaskIcon";
import "./CopyButton.css";

const SHOWN_MS = 1600;

/** Copies a text and confirms it. The text is only computed when needed. */
export function CopyButton(props: { text: () => string; label: string }): JSX.Element {
  const [state, setState] = createSignal<"idle" | "copied" | "failed">("idle");
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const copy = async () => {
    const done = await writeClipboard(props.text());
    setState(done ? "copied" : "failed");
    clearTimeout(timer);
    timer = setTimeout(() => setState("idle"), SHOWN_MS);
  };
  const words = () => ({ idle: props.label, copied: text().blocks.copied, failed: text().blocks.copyFailed })[state()];

  return (
    <button
      type="button"
      data-component="copy-button"
      data-state={state()}
      aria-label={words()}
      title={words()}
      onClick={() => void copy()}
    >
      <MaskIcon of={state() === "copied" ? "check" : "copy"} />
    </button>
  );
}

/** Writes text to the clipboard. Resolves to whether that worked. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
