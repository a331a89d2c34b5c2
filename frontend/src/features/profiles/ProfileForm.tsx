import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createSignal, For, type JSX, Show } from "solid-js";
import { produce } from "solid-js/store";
import { text } from "../../i18n";
import type { Profile } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { newId } from "../../lib/id";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { Picker } from "../choices/Picker";
import { createProfileDraft, gitHubToken, toParams } from "./form";
import { GitHubToken } from "./GitHubToken";
import { Keyring } from "./Keyring";
import { kindOf, kinds } from "./kinds";
import { SecretField } from "./SecretField";

/** Creates or edits a profile. Secrets exist only in their fields. */
export function ProfileForm(props: {
  /** Null for a new one. */
  profile: Profile | null;
  /** Why secrets can't be stored, "" if they can. */
  keyring: string;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const { host } = useApp();
  const { draft, set, setKind } = createProfileDraft(props.profile);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const secretFields = new Map<string, HTMLInputElement>();
  const spec = () => kindOf(draft.kind);
  const addSecret = (name: string) =>
    set("secrets", produce((all) => all.push({ id: newId(), name, label: name, state: "none", own: true })));
  const forGitHub = () => draft.secrets.find((row) => row.name === gitHubToken);
  const typesGitHub = () => ["none", "new", "missing"].includes(forGitHub()?.state ?? "");

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    if (busy()) return;
    setBusy(true);
    setError("");
    try {
      const values = new Map([...secretFields].map(([id, field]) => [id, field.value]));
      await host.call("profile.set", toParams(draft, values));
      props.onSaved();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void save(event)} autocomplete="off" aria-label={props.profile ? props.profile.name : text().profiles.new}>
      <div data-slot="pair">
        <label data-slot="entry">
          <span>{text().profiles.name}</span>
          <input
            ref={(field) => queueMicrotask(() => field.focus())}
            type="text"
            data-component="text-field"
            required
            maxLength={80}
            value={draft.name}
            onInput={(event) => set("name", event.currentTarget.value)}
          />
        </label>
        <div data-slot="entry">
          <span>{text().profiles.kind}</span>
          <Picker
            look="field"
            label={text().profiles.kind}
            text={spec().name}
            groups={[{ choices: kinds, value: draft.kind, onChange: setKind }]}
          />
        </div>
      </div>
      <p data-slot="about">{spec().about}</p>
      <div data-slot="pair">
        <For each={spec().fields}>
          {(field) => (
            <label data-slot="entry">
              <span>
                {field.label} <code>{field.name}</code>
              </span>
              <input
                type="text"
                data-component="text-field"
                spellcheck={false}
                required={field.required}
                placeholder={field.placeholder}
                value={draft.fields[field.name] ?? ""}
                onInput={(event) => set("fields", field.name, event.currentTarget.value)}
              />
            </label>
          )}
        </For>
      </div>
      <Show when={props.keyring && draft.secrets.length > 0}>
        <Keyring why={props.keyring} />
      </Show>
      <For each={draft.secrets}>
        {(row, index) => (
          <SecretField
            row={row}
            disabled={props.keyring !== ""}
            onName={(name) => set("secrets", index(), "name", name)}
            onState={(state) => set("secrets", index(), "state", state)}
            onDrop={() => set("secrets", (all) => all.filter((r) => r.id !== row.id))}
            field={(element) => (element ? secretFields.set(row.id, element) : secretFields.delete(row.id))}
          />
        )}
      </For>
      <Show when={typesGitHub()}>
        <GitHubToken fromCLI={draft.gitHub} onFromCLI={(on) => set("gitHub", on)} />
      </Show>
      <Show when={spec().helper}>
        <label data-slot="entry">
          <span>{text().profiles.helper}</span>
          <input
            type="text"
            data-component="text-field"
            spellcheck={false}
            placeholder="pass show work/claude"
            value={draft.helper}
            onInput={(event) => set("helper", event.currentTarget.value)}
          />
          <small>{text().profiles.helperAbout}</small>
        </label>
      </Show>
      <fieldset>
        <legend>{text().profiles.moreVariables}</legend>
        <For each={draft.rows}>
          {(row, index) => (
            <div data-slot="variable">
              <input
                type="text"
                data-component="text-field"
                aria-label={text().profiles.variable}
                placeholder={text().profiles.variableName}
                spellcheck={false}
                value={row.name}
                onInput={(event) => set("rows", index(), "name", event.currentTarget.value)}
              />
              <input
                type="text"
                data-component="text-field"
                aria-label={text().profiles.valueOf(row.name || text().profiles.theVariable)}
                placeholder={text().profiles.value}
                spellcheck={false}
                value={row.value}
                onInput={(event) => set("rows", index(), "value", event.currentTarget.value)}
              />
              <IconButton
                label={text().profiles.removeNamed(row.name || text().profiles.theVariable)}
                onClick={() => set("rows", (all) => all.filter((r) => r.id !== row.id))}
              >
                <X />
              </IconButton>
            </div>
          )}
        </For>
        <div data-slot="buttons">
          <Button size="small" variant="ghost" onClick={() => set("rows", produce((all) => all.push({ id: newId(), name: "", value: "" })))}>
            <Plus size={14} />
            {text().profiles.variable}
          </Button>
          <Button size="small" variant="ghost" onClick={() => addSecret("")}>
            <Plus size={14} />
            {text().profiles.secret}
          </Button>
          <Show when={!forGitHub()}>
            <Button size="small" variant="ghost" onClick={() => addSecret(gitHubToken)}>
              <Plus size={14} />
              {text().profiles.gitHub}
            </Button>
          </Show>
        </div>
      </fieldset>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <div data-slot="buttons">
        <Button type="submit" variant="primary" disabled={busy() || draft.name.trim() === ""}>
          {busy() ? text().common.saving : text().common.save}
        </Button>
        <Button variant="ghost" onClick={() => props.onClose()}>
          {text().common.cancel}
        </Button>
      </div>
    </form>
  );
}
