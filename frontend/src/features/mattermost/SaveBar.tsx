import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { channelsFault } from "./config";
import type { Editor } from "./editor";

/** Saves or discards changes. Always visible, however long the page is. */
export function SaveBar(props: { editor: Editor }): JSX.Element {
  const words = () => text().chat.save;
  const fault = () => channelsFault(props.editor.config);
  return (
    <footer data-slot="save" data-changed={props.editor.changed() || undefined}>
      <p data-slot={props.editor.error() || (props.editor.changed() && fault()) ? "invalid" : "aside"} role="status">
        {props.editor.error() || (props.editor.changed() ? fault() || words().unsaved : props.editor.saved() ? words().saved : "")}
      </p>
      <Button variant="ghost" disabled={!props.editor.changed()} onClick={() => props.editor.revert()}>
        {words().revert}
      </Button>
      <Button variant="primary" disabled={!props.editor.changed() || props.editor.busy() || fault() !== ""} onClick={() => void props.editor.save()}>
        {props.editor.busy() ? words().saving : words().save}
      </Button>
    </footer>
  );
}

/** Shows that someone else changed the configuration. */
export function Conflict(props: { editor: Editor }): JSX.Element {
  const words = () => text().chat.save;
  return (
    <Show when={props.editor.conflict()}>
      <div data-slot="notice" data-bad="" role="alert">
        <strong>{words().conflict}</strong>
        <Button size="small" onClick={() => props.editor.takeTheirs()}>
          {words().reload}
        </Button>
        <Button size="small" onClick={() => void props.editor.keepMine()}>
          {words().mine}
        </Button>
      </div>
    </Show>
  );
}
