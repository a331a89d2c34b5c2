import { For, type JSX, Match, Show, Switch } from "solid-js";
import { locale, text } from "../../i18n";
import { createClock } from "../../lib/time";
import { moment, relative } from "../../lib/dates";
import { Faults, Field } from "../../ui/field";
import type { FormModel } from "./form";
import { presets, scheduleOf, type Unit, units, type When, zoneGroups } from "./schedule";
import { scheduleWords } from "./words";

const most = 5;
const cronFields = ["schedule.cron"];

/** The schedule: presets or a custom one, in words, with the next runs. */
export function ScheduleFields(props: { form: FormModel; machineZone: string }): JSX.Element {
  const words = () => text().heartbeats.schedule;
  const when = () => props.form.draft.when;
  const change = (what: Partial<When>) => {
    props.form.set("when", what);
    props.form.touch("schedule");
  };
  return (
    <fieldset data-slot="section">
      <legend>{words().title}</legend>
      <div data-slot="fields">
        <Field label={words().kind} faults={[]}>
          {(ids) => (
            <select id={ids().id} data-component="text-field" onChange={(event) => change({ preset: presets.find((p) => p === event.currentTarget.value) ?? "cron" })}>
              <For each={presets}>{(id) => <option value={id} selected={id === when().preset}>{words().presets[id]}</option>}</For>
            </select>
          )}
        </Field>
        <Switch>
          <Match when={when().preset === "every"}>
            <Every when={when()} onChange={change} />
          </Match>
          <Match when={when().preset === "once"}>
            <Field label={words().moment} faults={[]}>
              {(ids) => <input id={ids().id} type="datetime-local" data-component="text-field" value={when().moment} onInput={(event) => change({ moment: event.currentTarget.value })} />}
            </Field>
          </Match>
          <Match when={when().preset === "cron"}>
            <Field label={words().cron} hint={words().cronHint} faults={[]}>
              {(ids) => (
                <input
                  id={ids().id}
                  type="text"
                  data-component="text-field"
                  data-code=""
                  spellcheck={false}
                  autocomplete="off"
                  aria-describedby={ids().describedBy}
                  aria-invalid={cronFields.some((field) => props.form.faults(field).length > 0) || undefined}
                  value={when().cron}
                  onInput={(event) => change({ cron: event.currentTarget.value })}
                />
              )}
            </Field>
          </Match>
          <Match when={true}>
            <Show when={when().preset === "monthly"}>
              <Field label={words().day} faults={[]} {...(when().day > 28 ? { hint: words().shortMonth(String(when().day)) } : {})}>
                {(ids) => (
                  <input
                    id={ids().id}
                    type="number"
                    min="1"
                    max="31"
                    data-component="text-field"
                    aria-describedby={ids().describedBy}
                    value={when().day}
                    onInput={(event) => change({ day: Math.trunc(Number(event.currentTarget.value)) || 0 })}
                  />
                )}
              </Field>
            </Show>
            <Field label={words().at} faults={[]}>
              {(ids) => <input id={ids().id} type="time" data-component="text-field" value={when().time} onInput={(event) => change({ time: event.currentTarget.value })} />}
            </Field>
          </Match>
        </Switch>
        <Show when={when().preset !== "every"}>
          <Zone when={when()} machineZone={props.machineZone} onChange={change} />
        </Show>
      </div>
      <Show when={when().preset === "weekly"}>
        <Days label={words().days} days={when().days} onChange={(days) => change({ days })} />
      </Show>
      <Show when={when().preset !== "once"}>
        <label data-slot="check">
          <input type="checkbox" checked={when().once} onChange={(event) => change({ once: event.currentTarget.checked })} />
          {words().only}
        </label>
      </Show>
      <Faults faults={props.form.faults("schedule")} />
      <NextRuns form={props.form} machineZone={props.machineZone} />
    </fieldset>
  );
}

function Every(props: { when: When; onChange: (what: Partial<When>) => void }): JSX.Element {
  const words = () => text().heartbeats;
  const span = () => props.when.span;
  return (
    <Field label={words().schedule.every} faults={[]}>
      {(ids) => (
        <div data-slot="span">
          <Show
            when={span().raw === ""}
            fallback={<input id={ids().id} type="text" data-component="text-field" value={span().raw} onInput={(event) => props.onChange({ span: { ...span(), raw: event.currentTarget.value } })} />}
          >
            <input id={ids().id} type="number" min="1" step="1" data-component="text-field" value={span().n} onInput={(event) => props.onChange({ span: { ...span(), n: event.currentTarget.value } })} />
            <select
              data-component="text-field"
              aria-label={words().form.unit}
              onChange={(event) => props.onChange({ span: { ...span(), unit: units.find((u): u is Unit => u === event.currentTarget.value) ?? "m" } })}
            >
              <For each={units}>{(unit) => <option value={unit} selected={unit === span().unit}>{words().form.units[unit]}</option>}</For>
            </select>
          </Show>
        </div>
      )}
    </Field>
  );
}

function Zone(props: { when: When; machineZone: string; onChange: (what: Partial<When>) => void }): JSX.Element {
  const words = () => text().heartbeats.schedule;
  return (
    <Field label={words().zone} faults={[]}>
      {(ids) => (
        <select id={ids().id} data-component="text-field" onChange={(event) => props.onChange({ zone: event.currentTarget.value })}>
          <option value="" selected={props.when.zone === ""}>
            {words().machine(props.machineZone)}
          </option>
          <For each={zoneGroups(props.when.zone)}>
            {({ area, zones }) => (
              <optgroup label={area || words().otherZones}>
                <For each={zones}>{(zone) => <option value={zone} selected={zone === props.when.zone}>{zone.slice(area ? area.length + 1 : 0).replaceAll("_", " ")}</option>}</For>
              </optgroup>
            )}
          </For>
        </select>
      )}
    </Field>
  );
}

/** Days of the week; 1 is Monday. */
export function Days(props: { label: string; days: readonly number[]; onChange: (days: number[]) => void }): JSX.Element {
  // January 1, 2024 was a Monday.
  const name = (day: number, form: "short" | "long") => new Date(2024, 0, day).toLocaleDateString(locale(), { weekday: form });
  return (
    <fieldset data-slot="days">
      <legend>{props.label}</legend>
      <div>
        <For each={[1, 2, 3, 4, 5, 6, 7]}>
          {(day) => (
            <label title={name(day, "long")}>
              <input
                type="checkbox"
                aria-label={name(day, "long")}
                checked={props.days.includes(day)}
                onChange={(event) => {
                  const others = props.days.filter((d) => d !== day);
                  props.onChange(event.currentTarget.checked ? [...others, day].toSorted((a, b) => a - b) : others);
                }}
              />
              <span aria-hidden="true">{name(day, "short")}</span>
            </label>
          )}
        </For>
      </div>
    </fieldset>
  );
}

/** The schedule as a sentence, and the next runs as computed by the program. */
function NextRuns(props: { form: FormModel; machineZone: string }): JSX.Element {
  const now = createClock(10_000);
  const words = () => text().heartbeats.schedule;
  const check = () => props.form.check();
  const schedule = () => scheduleOf(props.form.draft.when);
  const said = () => scheduleWords(schedule(), check()?.words ?? "");
  const zone = () => props.form.draft.when.zone || check()?.zone || props.machineZone;
  const wrong = () => (check()?.problems ?? []).some((problem) => problem.field.startsWith("schedule"));
  return (
    <div data-slot="next-runs" aria-live="polite" aria-busy={props.form.checking()}>
      <Show when={check()} fallback={<p data-slot="aside">{props.form.unchecked() ? text().heartbeats.form.unchecked(props.form.unchecked()) : words().checking}</p>}>
        <Show when={!wrong()}>
          <p data-slot="sentence">{said() && words().inWords(said())}</p>
          <Show when={(check()?.next.length ?? 0) > 0} fallback={<p data-slot="aside">{words().noNext}</p>}>
            <h4>{words().next}</h4>
            <ol role="list">
              <For each={check()?.next.slice(0, most)}>
                {(at) => (
                  <li>
                    <time datetime={new Date(at).toISOString()}>{moment(at, zone())}</time> <span>{relative(at, now())}</span>
                  </li>
                )}
              </For>
            </ol>
          </Show>
        </Show>
      </Show>
    </div>
  );
}
