import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { IconButton } from "../../ui/icon-button";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import "./command.css";

/** One line to copy: a command or an address. */
export function Command(props: { text: string; label: string }): JSX.Element {
  const [copied, setCopied] = createSignal(false);
  async function copy(): Promise<void> {
    setCopied(await writeClipboard(props.text));
    setTimeout(() => setCopied(false), 2000);
  }
  return (
    <div data-component="command-line">
      <code>{props.text}</code>
      <IconButton label={copied() ? text().common.copied : props.label} onClick={() => void copy()}>
        <Show when={copied()} fallback={<Copy />}>
          <Check />
        </Show>
      </IconButton>
    </div>
  );
}
