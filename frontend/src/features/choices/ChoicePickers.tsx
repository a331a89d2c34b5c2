import { createSignal, createUniqueId, type JSX, onMount, Show } from "solid-js";
import type { Profile } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { modeName } from "../../lib/names";
import { useApp } from "../../store/context";
import { BypassDialog } from "./BypassDialog";
import { modelChoices } from "./ModelChip";
import { type Choices, createModels, createProfiles, effortName, effortsOf, modelText } from "./model";
import { allModes, engineName, engines, kindName } from "./names";
import { Picker, type PickerChoice } from "./Picker";
import "./choice-pickers.css";

export type ChoiceField = keyof Choices;

export const noChoices: Choices = { model: "", effort: "", permissionMode: "", engine: "", profile: "" };

const allFields: readonly ChoiceField[] = ["model", "effort", "permissionMode", "engine", "profile"];

export interface ChoicePickersProps {
  value: Choices;
  onChange: (value: Choices) => void;
  /** Set for an existing session: its own CLI lists the models, and its engine and profile are read-only. */
  sessionId?: string;
  /** The fields to show; defaults to all. */
  fields?: readonly ChoiceField[];
  /** The value behind "", if known. */
  inherited?: Partial<Choices>;
  /** The fields without an inherit option. */
  required?: readonly ChoiceField[];
}

/** The choices of a new session, or the defaults of a folder or the settings. */
export function ChoicePickers(props: ChoicePickersProps): JSX.Element {
  const { host } = useApp();
  const models = createModels(host, () => ({
    ...(props.sessionId ? { sessionId: props.sessionId } : {}),
    ...(props.value.profile ? { profile: props.value.profile } : {}),
  }));
  const profiles = createProfiles(host);
  onMount(() => {
    // Its name is shown before the menu is opened.
    if (shows("profile")) void profiles.ask();
  });
  const [asking, setAsking] = createSignal(false);

  const shows = (field: ChoiceField) => (props.fields ?? allFields).includes(field);
  const change = (field: ChoiceField, value: string) => props.onChange({ ...props.value, [field]: value });
  const inherited = (field: ChoiceField) => props.inherited?.[field] ?? "";

  /** The choices, with "no choice" first. */
  function optional(field: ChoiceField, choices: PickerChoice[], behind: string): PickerChoice[] {
    if (props.required?.includes(field)) return choices;
    return [{ id: "", name: behind ? words().choices.defaultIs(behind) : words().choices.default, about: behind ? "" : words().choices.cliChooses }, ...choices];
  }

  function text(field: ChoiceField, name: (value: string) => string): string {
    const value = props.value[field];
    if (value !== "") return name(value);
    const behind = inherited(field);
    return behind === "" ? words().choices.default : words().choices.defaultIs(name(behind));
  }

  const modelName = (model: string) => modelText(models.list(), model);
  const effective = () => props.value.model || inherited("model");
  const efforts = () => effortsOf(models.list(), effective()).map((id) => ({ id, name: effortName(id) }));
  const profileName = (id: string) => profiles.list()?.profiles.find((p) => p.id === id)?.name ?? id;
  const profileChoices = (): PickerChoice[] => [
    inherited("profile")
      ? { id: "", name: words().choices.defaultIs(profileName(inherited("profile"))) }
      : { id: "", name: words().choices.none, about: words().choices.noProfile },
    ...(profiles.list()?.profiles ?? []).map((p) => ({ id: p.id, name: p.name, about: profileAbout(p) })),
  ];
  const asked = { busy: () => models.busy(), problem: () => models.problem() };

  return (
    <div data-component="choice-pickers">
      <Show when={shows("model")}>
        <Field label={words().choices.model}>
          <Picker
            look="field"
            label={words().choices.model}
            text={text("model", modelName)}
            groups={[
              {
                choices: optional("model", modelChoices(models, props.value.model), inherited("model") && modelName(inherited("model"))),
                value: props.value.model,
                onChange: (id) => change("model", id),
              },
            ]}
            busy={asked.busy()}
            problem={asked.problem()}
            onOpen={() => models.ask()}
            onRetry={() => models.ask(true)}
          />
        </Field>
      </Show>
      <Show when={shows("effort")}>
        <Field label={words().choices.effort}>
          <Picker
            look="field"
            label={words().choices.effort}
            text={text("effort", effortName)}
            groups={[
              {
                choices: optional("effort", efforts(), inherited("effort") && effortName(inherited("effort"))),
                value: props.value.effort,
                onChange: (id) => change("effort", id),
              },
            ]}
            busy={asked.busy()}
            problem={asked.problem()}
            onOpen={() => models.ask()}
            onRetry={() => models.ask(true)}
          />
        </Field>
      </Show>
      <Show when={shows("permissionMode")}>
        <Field label={words().choices.modeLabel}>
          <Picker
            look="field"
            label={words().choices.modeLabel}
            text={text("permissionMode", modeName)}
            state={props.value.permissionMode}
            groups={[
              {
                choices: optional(
                  "permissionMode",
                  allModes(),
                  inherited("permissionMode") && modeName(inherited("permissionMode")),
                ),
                value: props.value.permissionMode,
                onChange: (id) => (id === "bypassPermissions" ? setAsking(true) : change("permissionMode", id)),
              },
            ]}
          />
        </Field>
      </Show>
      <Show when={shows("engine")}>
        <Field label={words().choices.engine}>
          <Show when={!props.sessionId} fallback={<p data-slot="fixed">{engineName(props.value.engine)}</p>}>
            <Picker
              look="field"
              label={words().choices.engine}
              text={text("engine", engineName)}
              groups={[
                {
                  choices: optional("engine", engines(), inherited("engine") && engineName(inherited("engine"))),
                  value: props.value.engine,
                  onChange: (id) => change("engine", id),
                },
              ]}
            />
          </Show>
        </Field>
      </Show>
      <Show when={shows("profile")}>
        <Field label={words().choices.profile}>
          <Show
            when={!props.sessionId}
            fallback={<p data-slot="fixed">{props.value.profile ? profileName(props.value.profile) : words().choices.none}</p>}
          >
            <Picker
              look="field"
              label={words().choices.profile}
              text={props.value.profile ? profileName(props.value.profile) : inherited("profile") ? words().choices.defaultIs(profileName(inherited("profile"))) : words().choices.none}
              groups={[{ choices: profileChoices(), value: props.value.profile, onChange: (id) => change("profile", id) }]}
              busy={profiles.busy()}
              problem={profiles.problem()}
              onRetry={() => void profiles.ask()}
            />
          </Show>
        </Field>
      </Show>
      <BypassDialog
        open={asking()}
        onOpenChange={setAsking}
        onAccept={() => change("permissionMode", "bypassPermissions")}
      />
    </div>
  );
}

function profileAbout(profile: Profile): string {
  const kind = kindName(profile.kind);
  return profile.missing.length > 0 ? words().choices.secretMissing(kind, profile.missing.join(", ")) : kind;
}

function Field(props: { label: string; children: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  return (
    <div data-slot="field" role="group" aria-labelledby={id}>
      <span data-slot="label" id={id}>
        {props.label}
      </span>
      {props.children}
    </div>
  );
}
