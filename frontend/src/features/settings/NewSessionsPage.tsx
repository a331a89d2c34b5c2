import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ChoicePickers, type ChoiceField, noChoices } from "../choices/ChoicePickers";
import type { Choices } from "../choices/model";
import { ToolSets } from "../toolsets/ToolSets";
import { entriesOf } from "./registry";
import { createChange, Setting } from "./Setting";
import { type Defaults, SettingRow } from "./SettingRow";

const fields: readonly ChoiceField[] = ["model", "permissionMode", "engine"];

/** The defaults for new sessions, unless their folder has its own. */
export function NewSessionsPage(props: { defaults: Defaults }): JSX.Element {
  const { state, layout } = useApp();
  const { change, error } = createChange();
  const value = (): Choices => {
    const { model = "", permissionMode = "", engine = "cli" } = state.info?.settings ?? {};
    return { ...noChoices, model, permissionMode, engine };
  };
  return (
    <div data-slot="stack" id="setting-model">
      <p data-slot="about">{text().settings.newAbout}</p>
      <ChoicePickers
        value={value()}
        onChange={({ model, permissionMode, engine }) => void change({ model, permissionMode, engine })}
        fields={fields}
        required={["engine"]}
      />
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <For each={entriesOf("new").filter(({ control }) => control.kind !== "own")}>
        {(entry) => <SettingRow entry={entry} defaults={props.defaults} />}
      </For>
      <div id="setting-toolsOff">
        <ToolSets workspaceId="" />
      </div>
      <div id="setting-permissions">
        <Setting label={text().permission.title} about={text().permission.about}>
          {() => <Button onClick={() => layout.go({ kind: "permissions" })}>{text().common.open}</Button>}
        </Setting>
      </div>
    </div>
  );
}
