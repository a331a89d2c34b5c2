import { For, type JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Kbd } from "../../ui/kbd";
import { type Action, shortcutList } from "../../desk/shortcuts";
import "./shortcuts-dialog.css";

/** Every action that has keys, with the keys that are in force. */
export function ShortcutsDialog(props: {
  kind: string;
  actions: () => readonly Action[];
  /** Parley's own. */
  version: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Goes to where they are changed. */
  onChange: () => void;
}): JSX.Element {
  return (
    <Dialog
      open={props.open}
      onOpenChange={(open) => props.onOpenChange(open)}
      title={text().shell.shortcutsTitle}
      description={props.version ? `Parley ${props.version}` : undefined}
    >
      <dl data-component="shortcuts">
        <For each={shortcutList(props.kind, props.actions())}>
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
      <Button onClick={() => props.onChange()}>{text().shell.changeKeys}</Button>
    </Dialog>
  );
}
