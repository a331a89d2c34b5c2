import { batch, createUniqueId, For, type JSX, Show } from "solid-js";
import type { ChatCalls } from "../../host/border.gen";
import { text } from "../../i18n";
import { Faults, Field } from "../../ui/field";
import { callsFault } from "./config";
import type { Editor } from "./editor";

const whose = ["first", "all", "none"] as const;
const minutes = ["remind", "handOver"] as const;

/** How people are notified of pending requests, and what follows an answer. */
export function CallsFields(props: { editor: Editor }): JSX.Element {
  const words = () => text().chat.people.calls;
  const calls = (): ChatCalls => props.editor.config.calls ?? {};
  const fixesId = createUniqueId();
  function set(next: Partial<ChatCalls>): void {
    const kept = Object.fromEntries(Object.entries({ ...calls(), ...next }).filter(([, value]) => value !== "" && value !== 0));
    batch(() => {
      props.editor.setConfig("calls", undefined); // the store would merge the two
      if (Object.keys(kept).length > 0) props.editor.setConfig("calls", kept);
    });
  }
  const quiet = () => Boolean(calls().quietFrom ?? calls().quietTo);

  return (
    <div data-slot="form">
      <fieldset data-slot="section">
        <legend>{words().title}</legend>
        <p data-slot="aside">{words().about}</p>
        <div data-slot="fields">
          <Field label={words().who} faults={[]}>
            {(field) => (
              <select id={field().id} data-component="text-field" onChange={(event) => set({ who: event.currentTarget.value === "first" ? "" : event.currentTarget.value })}>
                <For each={whose}>
                  {(id) => (
                    <option value={id} selected={(calls().who || "first") === id}>
                      {words().whose[id]}
                    </option>
                  )}
                </For>
              </select>
            )}
          </Field>
          <For each={minutes}>
            {(what) => (
              <Field label={words()[what]} hint={words().never} faults={[]}>
                {(field) => (
                  <input
                    id={field().id}
                    type="number"
                    min="1"
                    max="1440"
                    data-component="text-field"
                    aria-describedby={field().describedBy}
                    value={calls()[`${what}Minutes`] ?? ""}
                    onInput={(event) => set({ [`${what}Minutes`]: Number(event.currentTarget.value) })}
                  />
                )}
              </Field>
            )}
          </For>
        </div>
        <label data-slot="check">
          <input type="checkbox" checked={quiet()} onChange={(event) => set(event.currentTarget.checked ? { quietFrom: "22:00", quietTo: "07:00" } : { quietFrom: "", quietTo: "" })} />
          {words().quiet}
        </label>
        <Show when={quiet()}>
          <div data-slot="fields">
            <For each={["quietFrom", "quietTo"] as const}>
              {(what) => (
                <Field label={words()[what]} faults={[]}>
                  {(field) => <input id={field().id} type="time" data-component="text-field" value={calls()[what] ?? ""} onChange={(event) => set({ [what]: event.currentTarget.value })} />}
                </Field>
              )}
            </For>
          </div>
          <p data-slot="aside">{words().quietAbout}</p>
        </Show>
        <Faults faults={callsFault(props.editor.config) ? [{ message: callsFault(props.editor.config) }] : []} />
      </fieldset>
      <label data-slot="check">
        <input type="checkbox" checked={props.editor.config.suggestFixes ?? false} aria-describedby={fixesId} onChange={(event) => props.editor.setConfig("suggestFixes", event.currentTarget.checked || undefined)} />
        {words().fixes}
      </label>
      <p data-slot="aside" id={fixesId}>
        {words().fixesAbout}
      </p>
    </div>
  );
}
