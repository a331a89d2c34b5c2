import { Popover } from "@kobalte/core/popover";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import { askForSettings } from "../../lib/settings-ask";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import "./status-line.css";

/** What Parley knows to be wrong with its own files, below everything for as long as it is so. */
export function StatusLine(): JSX.Element {
  const { state } = useApp();
  const [open, setOpen] = createSignal(false);
  const warnings = () => state.info?.warnings ?? [];
  const words = () => text().shell.status;

  function explain(): void {
    setOpen(false);
    askForSettings("files");
  }

  return (
    <div data-component="status-line" role="status">
      <Show when={warnings().length > 0}>
        <Popover open={open()} onOpenChange={setOpen} placement="top-start" gutter={6}>
          <Popover.Trigger data-slot="warnings">
            <TriangleAlert />
            <strong>{words().problems(warnings().length, number(warnings().length))}</strong>{" "}
            <span data-slot="first">{warnings()[0]}</span>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content data-component="status-details" aria-label={words().label}>
              <ul>
                <For each={warnings()}>{(warning) => <li>{warning}</li>}</For>
              </ul>
              <Button size="small" onClick={explain}>
                {words().explain}
              </Button>
            </Popover.Content>
          </Popover.Portal>
        </Popover>
      </Show>
    </div>
  );
}
