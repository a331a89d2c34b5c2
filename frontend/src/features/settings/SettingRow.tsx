import RotateCcw from "lucide-solid/icons/rotate-ccw";
import { createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import type { Settings } from "../../host/border.gen";
import { useApp } from "../../store/context";
import { RadioItems } from "../../ui/radios";
import "../../ui/icon-button.css";
import { type Entry, pieces } from "./registry";
import { createChange, NumberField, Segmented } from "./Setting";

/** A text with the words of the query highlighted. */
export function Marked(props: { text: string; query: string | undefined }): JSX.Element {
  return <For each={pieces(props.text, props.query ?? "")}>{(piece, i) => (i() % 2 === 1 ? <mark>{piece}</mark> : piece)}</For>;
}

export interface Defaults {
  (): Settings | null;
}

/** One setting of the registry: its label, its control, and a button to reset it. */
export function SettingRow(props: { entry: Entry; defaults: Defaults; query?: string; children?: JSX.Element }): JSX.Element {
  const { state } = useApp();
  const { change, error } = createChange();
  const [invalid, setInvalid] = createSignal("");
  const uid = createUniqueId();
  const ids = { label: `${uid}-label`, about: `${uid}-about` };
  const words = () => text().settings.fields[props.entry.id];
  const value = () => state.info?.settings[props.entry.id];
  const set = (next: unknown) => {
    setInvalid("");
    return change({ [props.entry.id]: next });
  };
  const changed = () => {
    const usual = props.defaults()?.[props.entry.id];
    return usual !== undefined && JSON.stringify(usual) !== JSON.stringify(value());
  };
  const control = () => props.entry.control;
  /** The control if it is of this kind. */
  const of = <K extends ReturnType<typeof control>["kind"]>(kind: K) => {
    const found = control();
    return found.kind === kind ? (found as Extract<typeof found, { kind: K }>) : undefined;
  };

  return (
    <div data-slot="setting" id={`setting-${props.entry.id}`}>
      <div data-slot="words">
        <span data-slot="label" id={ids.label}>
          <Marked text={words().label} query={props.query} />
        </span>
        <p data-slot="about" id={ids.about}>
          <Marked text={words().about} query={props.query} />
        </p>
        <Show when={invalid() || error()}>
          {(why) => (
            <p data-slot="error" role="alert">
              {why()}
            </p>
          )}
        </Show>
      </div>
      <div data-slot="control">
        <Show when={changed()}>
          <button
            type="button"
            data-component="icon-button"
            data-variant="ghost"
            aria-label={text().settings.resetTo(words().label)}
            title={text().settings.reset}
            onClick={(event) => {
              // The button is removed; keep the focus in the setting.
              const row = event.currentTarget.closest('[data-slot="setting"]');
              void set(props.defaults()?.[props.entry.id]).then(() => row?.querySelector<HTMLElement>("input")?.focus());
            }}
          >
            <RotateCcw />
          </button>
        </Show>
        {props.children}
        <Switch>
          <Match when={of("choice")}>
            {(own) => <Segmented labelledBy={ids.label} choices={own().options()} value={String(value() ?? "")} onChange={(id) => void set(id)} />}
          </Match>
          <Match when={of("toggle")}>
            <input
              type="checkbox"
              role="switch"
              data-component="switch"
              aria-labelledby={ids.label}
              aria-describedby={ids.about}
              checked={value() === true}
              onChange={(event) => void set(event.currentTarget.checked)}
            />
          </Match>
          <Match when={of("number")}>
            {(own) => (
              <NumberField
                ids={ids}
                value={Number(value() ?? 0)}
                min={own().least}
                max={own().most}
                step={own().step ?? 1}
                unit={text().settings.units[own().unit]}
                onChange={(next) => void set(next)}
                onInvalid={setInvalid}
              />
            )}
          </Match>
          <Match when={of("text")}>
            {(own) => (
              <input
                type="text"
                data-component="text-field"
                aria-labelledby={ids.label}
                aria-describedby={ids.about}
                spellcheck={false}
                placeholder={own().placeholder()}
                value={String(value() ?? "")}
                onChange={(event) => void set(event.currentTarget.value.trim())}
              />
            )}
          </Match>
        </Switch>
      </div>
      <Show when={of("swatches")}>
        {(own) => (
          <div data-component="swatches" role="radiogroup" aria-labelledby={ids.label}>
            <RadioItems choices={own().options()} value={String(value())} onChange={(id) => void set(id)}>
              {(option) => (
                <>
                  <Sample kind={props.entry.id} id={option.id} />
                  <span>{option.name}</span>
                </>
              )}
            </RadioItems>
          </div>
        )}
      </Show>
    </div>
  );
}

/** A preview of a scheme or an accent. */
function Sample(props: { kind: string; id: string }): JSX.Element {
  return (
    <span data-slot="sample" data-kind={props.kind} data-sample={props.id} aria-hidden="true">
      <Show when={props.kind === "scheme"}>
        <i data-part="side" />
        <i data-part="text" />
        <i data-part="accent" />
      </Show>
    </span>
  );
}
