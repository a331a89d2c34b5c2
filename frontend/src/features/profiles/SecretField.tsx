import X from "lucide-solid/icons/x";
import { createUniqueId, type JSX, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import type { SecretRow } from "./form";

/** A secret: written, never read. The keyring's value is not shown, and only the field has the typed one. */
export function SecretField(props: {
  row: SecretRow;
  disabled: boolean;
  onName: (name: string) => void;
  onState: (state: SecretRow["state"]) => void;
  onDrop: () => void;
  /** Receives the field while it is mounted, null afterwards. */
  field: (element: HTMLInputElement | null) => void;
}): JSX.Element {
  const id = createUniqueId();
  const what = () => props.row.label || props.row.name || text().profiles.secret;
  /** The keyring's state when the form was opened. */
  const before = props.row.state;
  const typed = () => ["none", "missing", "new"].includes(props.row.state);

  return (
    <div data-slot="secret">
      <Show
        when={props.row.own && before === "none"}
        fallback={
          <label for={id}>
            {what()}{" "}
            <Show when={props.row.label !== props.row.name}>
              <code>{props.row.name}</code>
            </Show>
          </label>
        }
      >
        <input
          type="text"
          data-component="text-field"
          aria-label={text().profiles.secretName}
          placeholder={text().profiles.variableName}
          spellcheck={false}
          value={props.row.name}
          onInput={(event) => props.onName(event.currentTarget.value)}
        />
      </Show>
      <Show when={typed()}>
        <span data-slot="value">
          <Typed id={id} label={what()} disabled={props.disabled} missing={props.row.state === "missing"} field={props.field} />
          <Show when={props.row.state === "new"}>
            <Button size="small" variant="ghost" onClick={() => props.onState(before)}>
              {text().profiles.keepOld}
            </Button>
          </Show>
          <Show when={props.row.own && before === "none"}>
            <IconButton label={text().profiles.removeNamed(what())} onClick={() => props.onDrop()}>
              <X />
            </IconButton>
          </Show>
          <Show when={before === "missing"}>
            <Button size="small" variant="ghost" onClick={() => props.onState("removed")}>
              {text().common.remove}
            </Button>
          </Show>
        </span>
      </Show>
      <Show when={props.row.state === "kept"}>
        <span data-slot="value">
          <span data-slot="kept">{text().profiles.inKeyring}</span>
          <Button size="small" disabled={props.disabled} aria-label={text().profiles.replaceNamed(what())} onClick={() => props.onState("new")}>
            {text().profiles.replace}
          </Button>
          <Button size="small" variant="ghost" aria-label={text().profiles.removeNamed(what())} onClick={() => props.onState("removed")}>
            {text().common.remove}
          </Button>
        </span>
      </Show>
      <Show when={props.row.state === "removed"}>
        <span data-slot="value">
          <span data-slot="kept">{text().profiles.removedOnSave}</span>
          <Button size="small" aria-label={text().profiles.keepNamed(what())} onClick={() => props.onState(before)}>
            {text().common.keep}
          </Button>
        </span>
      </Show>
    </div>
  );
}

function Typed(props: {
  id: string;
  label: string;
  disabled: boolean;
  missing: boolean;
  field: (element: HTMLInputElement | null) => void;
}): JSX.Element {
  let input!: HTMLInputElement;
  // Anything that still references the field must not keep the secret.
  onCleanup(() => {
    input.value = "";
    props.field(null);
  });
  return (
    <input
      ref={(element) => {
        input = element;
        props.field(element);
      }}
      id={props.id}
      type="password"
      data-component="text-field"
      autocomplete="new-password"
      spellcheck={false}
      aria-label={props.label}
      disabled={props.disabled}
      aria-invalid={props.missing}
      placeholder={props.missing ? text().profiles.secretGone : text().profiles.secretKept}
    />
  );
}
