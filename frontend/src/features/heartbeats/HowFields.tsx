import { createUniqueId, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { RadioItems } from "../../ui/radios";
import { ChoicePickers, noChoices } from "../choices/ChoicePickers";
import { guards } from "../choices/names";
import { Picker } from "../choices/Picker";
import { Faults, Field } from "../../ui/field";
import type { FormModel } from "./form";

const sessions = ["fresh", "persistent", "existing"] as const;
const mostSessions = 100;

/** The session a run uses, and its settings. */
export function HowFields(props: { form: FormModel }): JSX.Element {
  const { state, listing } = useApp();
  const words = () => text().heartbeats.form;
  const draft = () => props.form.draft;
  const guardId = createUniqueId();
  const defaults = () => {
    const own = Object.values(state.workspaces).find((w) => w.path === draft().folder)?.defaults;
    const settings = state.info?.settings;
    return { model: own?.model || settings?.model || "", effort: own?.effort ?? "", permissionMode: own?.permissionMode || settings?.permissionMode || "" };
  };
  const guardName = (id: string) => guards().find((guard) => guard.id === id)?.name ?? id;
  const usualGuard = () => words().defaultIs(guardName(state.info?.settings.guard || "off"));
  /** The newest sessions, always including the chosen one. */
  const choices = () => {
    const ids = listing.of("list").slice(0, mostSessions).map(({ id }) => id);
    return draft().sessionId && !ids.includes(draft().sessionId) ? [draft().sessionId, ...ids] : ids;
  };
  return (
    <fieldset data-slot="section">
      <legend>{words().how}</legend>
      <fieldset data-slot="radios">
        <legend>{words().session}</legend>
        <RadioItems
          choices={sessions.map((id) => ({ id, ...words().sessions[id] }))}
          value={draft().session}
          onChange={(id) => {
            props.form.set("session", id);
            props.form.touch("destination");
          }}
        />
      </fieldset>
      <Show when={draft().session === "existing"}>
        <Field label={words().existing} faults={props.form.faults("destination.session")}>
          {(ids) => (
            <select
              id={ids().id}
              data-component="text-field"
              aria-describedby={ids().describedBy}
              aria-invalid={ids().invalid}
              onChange={(event) => props.form.set("sessionId", event.currentTarget.value)}
            >
              <option value="" selected={draft().sessionId === ""}>
                {words().noSession}
              </option>
              <For each={choices()}>
                {(id) => (
                  <option value={id} selected={id === draft().sessionId}>
                    {state.sessions[id]?.title || text().common.newSession}
                  </option>
                )}
              </For>
            </select>
          )}
        </Field>
      </Show>
      <ChoicePickers
        value={{ ...noChoices, model: draft().model, effort: draft().effort, permissionMode: draft().permissionMode }}
        fields={["model", "effort", "permissionMode"]}
        inherited={defaults()}
        onChange={({ model, effort, permissionMode }) => props.form.set({ model, effort, permissionMode })}
      />
      <div data-slot="fields" data-one="">
        <div data-slot="field" role="group" aria-labelledby={guardId}>
          <span data-slot="label" id={guardId}>
            {words().guard}
          </span>
          <Picker
            look="field"
            label={words().guard}
            text={draft().guard ? guardName(draft().guard) : usualGuard()}
            groups={[{ choices: [{ id: "", name: usualGuard() }, ...guards()], value: draft().guard, onChange: (id) => props.form.set("guard", id) }]}
          />
        </div>
      </div>
      <Faults faults={["model", "effort", "permissionMode", "guard", "session"].flatMap((field) => props.form.faults(field))} />
    </fieldset>
  );
}
