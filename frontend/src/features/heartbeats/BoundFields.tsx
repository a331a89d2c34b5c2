import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { limitKinds, periods, weekdays } from "./draft";
import { Faults, Field } from "../../ui/field";
import type { FormModel } from "./form";
import { Days } from "./ScheduleFields";
import { SpanField } from "./SpanField";

/** Budgets for runs. */
export function BudgetFields(props: { form: FormModel }): JSX.Element {
  const words = () => text().heartbeats.form;
  return (
    <fieldset data-slot="section">
      <legend>{words().limits}</legend>
      <p data-slot="aside">{words().limitsAbout}</p>
      <table data-slot="budgets">
        <thead>
          <tr>
            <td />
            <For each={limitKinds}>{(kind) => <th scope="col">{words().kinds[kind]}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={periods}>
            {(period) => (
              <tr>
                <th scope="row">{words().budgets[period]}</th>
                <For each={limitKinds}>
                  {(kind) => (
                    <td>
                      <input
                        type="number"
                        min="0"
                        step={kind === "usd" ? "0.01" : "1"}
                        data-component="text-field"
                        aria-label={words().budget(words().kinds[kind], words().budgets[period])}
                        aria-invalid={props.form.faults(`budgets.${period}.${kind}`).length > 0 || undefined}
                        value={props.form.draft.budgets[period][kind]}
                        onInput={(event) => props.form.set("budgets", period, kind, event.currentTarget.value)}
                        onBlur={() => props.form.touch("budgets")}
                      />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Faults faults={props.form.faults("budgets")} />
    </fieldset>
  );
}

const missed = ["once", "skip", "all"] as const;
const overlap = ["skip", "queue", "cancel"] as const;
const fields = ["quiet", "missed", "overlap", "again", "startDeadline", "timeout", "idlePause"] as const;

/** When it may not run, and what happens then. Folded while everything is at its default. */
export function BoundFields(props: { form: FormModel }): JSX.Element {
  const words = () => text().heartbeats.form;
  const draft = () => props.form.draft;
  const { quiet, missed: m, overlap: o, again, startDeadline, timeout, idlePause } = props.form.spec();
  const open = [quiet, m, o, again, startDeadline, timeout, idlePause].some(Boolean);
  const wrong = () => fields.some((field) => props.form.faults(field).length > 0);
  return (
    <details data-slot="section" open={open || wrong()}>
      <summary>{words().more}</summary>
      <label data-slot="check">
        <input type="checkbox" checked={draft().quiet} onChange={(event) => props.form.set("quiet", event.currentTarget.checked)} />
        {words().quiet}
      </label>
      <Show when={draft().quiet}>
        <div data-slot="fields" data-inset="">
          <Field label={words().quietFrom} faults={[]}>
            {(ids) => <input id={ids().id} type="time" data-component="text-field" value={draft().quietFrom} onInput={(event) => props.form.set("quietFrom", event.currentTarget.value)} onBlur={() => props.form.touch("quiet")} />}
          </Field>
          <Field label={words().quietTo} faults={[]}>
            {(ids) => <input id={ids().id} type="time" data-component="text-field" value={draft().quietTo} onInput={(event) => props.form.set("quietTo", event.currentTarget.value)} onBlur={() => props.form.touch("quiet")} />}
          </Field>
          <div data-slot="field" data-wide="">
            <Days
              label={words().quietDays}
              days={weekdays.flatMap((day, i) => (draft().quietDays.includes(day) ? [i + 1] : []))}
              onChange={(days) => props.form.set("quietDays", days.map((day) => weekdays[day - 1] ?? ""))}
            />
            <p data-slot="aside">{words().quietAll}</p>
          </div>
        </div>
      </Show>
      <Faults faults={props.form.faults("quiet")} />
      <div data-slot="fields">
        <Field label={words().missed} hint={words().missedHint} faults={props.form.faults("missed")}>
          {(ids) => (
            <select id={ids().id} data-component="text-field" aria-describedby={ids().describedBy} onChange={(event) => props.form.set("missed", event.currentTarget.value === "once" ? "" : event.currentTarget.value)}>
              <For each={missed}>{(id) => <option value={id} selected={id === (draft().missed || "once")}>{words().missedChoices[id]}</option>}</For>
            </select>
          )}
        </Field>
        <Field label={words().overlap} faults={props.form.faults("overlap")}>
          {(ids) => (
            <select id={ids().id} data-component="text-field" onChange={(event) => props.form.set("overlap", event.currentTarget.value === "skip" ? "" : event.currentTarget.value)}>
              <For each={overlap}>{(id) => <option value={id} selected={id === (draft().overlap || "skip")}>{words().overlapChoices[id]}</option>}</For>
            </select>
          )}
        </Field>
        <Show when={draft().when.preset === "once"}>
          <Field label={words().again} hint={words().againHint} faults={props.form.faults("again")}>
            {(ids) => (
              <input
                id={ids().id} type="number" min="0" max="20" data-component="text-field" aria-describedby={ids().describedBy} aria-invalid={ids().invalid} value={draft().again}
                onInput={(event) => props.form.set("again", Math.trunc(event.currentTarget.valueAsNumber || 0))} onBlur={() => props.form.touch("again")}
              />
            )}
          </Field>
        </Show>
        <SpanField label={words().timeout} empty="10" units={["s", "m", "h"]} value={draft().timeout} faults={props.form.faults("timeout")} onChange={(span) => props.form.set("timeout", span)} onTouch={() => props.form.touch("timeout")} />
        <SpanField label={words().startDeadline} empty={words().any} value={draft().startDeadline} faults={props.form.faults("startDeadline")} onChange={(span) => props.form.set("startDeadline", span)} onTouch={() => props.form.touch("startDeadline")} />
        <SpanField
          label={words().idlePause}
          hint={words().idlePauseHint}
          empty={words().never}
          units={["h", "d"]}
          value={draft().idlePause}
          faults={props.form.faults("idlePause")}
          onChange={(span) => props.form.set("idlePause", span)}
          onTouch={() => props.form.touch("idlePause")}
        />
      </div>
    </details>
  );
}
