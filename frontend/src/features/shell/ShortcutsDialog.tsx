import { For, type JSX } from "solid-js";
import { Dialog } from "../../ui/dialog";
import { Kbd } from "../../ui/kbd";
import { shortcutList } from "./shortcuts";
import "./shortcuts-dialog.css";

export function ShortcutsDialog(props: {
  kind: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}): JSX.Element {
  return (
    <Dialog open={props.open} onOpenChange={(open) => props.onOpenChange(open)} title="Keyboard shortcuts">
      <dl data-component="shortcuts">
        <For each={shortcutList(props.kind)}>
          {(shortcut) => (
            <div>
              <dt>{shortcut.about}</dt>
              <dd>
                <Kbd keys={shortcut.keys} />
              </dd>
            </div>
          )}
        </For>
      </dl>
    </Dialog>
  );
}
