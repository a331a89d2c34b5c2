import { For, type JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Kbd } from "../../ui/kbd";
import { type Action, shortcutList } from "../../desk/shortcuts";
import "./shortcuts-dialog.css";

/** All actions with their current keys. */
export function ShortcutsDialog(props: {
  kind: string;
  actions: () => readonly Action[];
  /** Parley's version. */
  version: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Opens the settings to change them. */
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
