import ArrowLeft from "lucide-solid/icons/arrow-left";
import { createEffect, createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { Spec } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { BoundFields, BudgetFields } from "./BoundFields";
import { Faults, Field } from "../../ui/field";
import { FolderField } from "../folder/FolderField";
import { createForm } from "./form";
import { HowFields } from "./HowFields";
import type { HeartbeatsModel } from "./model";
import { PromptField } from "./PromptField";
import { ScheduleFields } from "./ScheduleFields";
import "./form.css";

/** Fields that show their own problems. */
const known = [
  "name", "description", "prompt", "schedule", "folder", "model", "effort", "permissionMode", "guard", "session", "destination.session",
  "quiet", "missed", "overlap", "again", "startDeadline", "timeout", "idlePause", "budgets",
];

/** Creates or edits a heartbeat. */
export function Form(props: { model: HeartbeatsModel; name: string; spec: Spec }): JSX.Element {
  const { host } = useApp();
  const machineZone = () => props.model.reading.answer()?.zone ?? "";
  const form = createForm(host, props.spec, machineZone());
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const words = () => text().heartbeats.form;
  let root!: HTMLFormElement;
  createEffect(() => props.model.setUnsaved("form", form.changed()));
  onCleanup(() => props.model.setUnsaved("form", false));

  const back = () => props.model.leave("form", () => props.model.list());

  async function save(): Promise<void> {
    if (busy()) return;
    setBusy(true);
    setError("");
    try {
      if (!(await form.ready())) {
        queueMicrotask(() => root.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.scrollIntoView({ block: "center" }));
        root.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        return;
      }
      setError(await props.model.save(props.name, form.spec()));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      ref={root}
      data-slot="form"
      aria-label={props.name ? words().edit(props.name) : words().create}
      novalidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <header data-slot="back">
        <IconButton label={words().back} onClick={back}>
          <ArrowLeft />
        </IconButton>
        <h3>{props.name ? words().edit(props.name) : words().create}</h3>
      </header>
      <fieldset data-slot="section">
        <legend>{words().what}</legend>
        <div data-slot="fields">
          <Field label={words().name} hint={words().nameHint} faults={form.faults("name")}>
            {(ids) => (
              <input
                type="text"
                id={ids().id}
                data-component="text-field"
                data-autofocus=""
                spellcheck={false}
                autocomplete="off"
                maxLength={64}
                aria-describedby={ids().describedBy}
                aria-invalid={ids().invalid}
                value={form.draft.name}
                onInput={(event) => form.set("name", event.currentTarget.value)}
                onBlur={() => form.touch("name")}
              />
            )}
          </Field>
          <Field label={words().description} hint={words().descriptionHint} faults={form.faults("description")}>
            {(ids) => (
              <input
                type="text"
                id={ids().id}
                data-component="text-field"
                aria-describedby={ids().describedBy}
                aria-invalid={ids().invalid}
                value={form.draft.description}
                onInput={(event) => form.set("description", event.currentTarget.value)}
                onBlur={() => form.touch("description")}
              />
            )}
          </Field>
        </div>
        <PromptField value={form.draft.prompt} faults={form.faults("prompt")} onChange={(prompt) => form.set("prompt", prompt)} onTouch={() => form.touch("prompt")} />
        <FolderField
          about={words().chooseFolderAbout}
          value={form.draft.folder}
          faults={form.faults("folder")}
          onChange={(folder) => {
            form.set("folder", folder);
            form.touch("folder");
          }}
        />
      </fieldset>
      <ScheduleFields form={form} machineZone={machineZone()} />
      <HowFields form={form} />
      <BudgetFields form={form} />
      <BoundFields form={form} />
      <label data-slot="check">
        <input type="checkbox" checked={form.draft.enabled} onChange={(event) => form.set("enabled", event.currentTarget.checked)} />
        {words().enabled}
      </label>
      <footer data-slot="actions">
        <div data-slot="said">
          <Faults faults={form.others(known)} />
          <Show when={error()}>
            <p data-slot="invalid" role="alert">
              {error()}
            </p>
          </Show>
        </div>
        <Show when={props.name}>
          <Button variant="ghost" disabled={form.changed()} title={form.changed() ? words().dryRunFirst : undefined} onClick={() => props.model.preview(props.name)}>
            {words().dryRun}
          </Button>
        </Show>
        <Button variant="ghost" onClick={back}>
          {text().common.cancel}
        </Button>
        <Button variant="primary" type="submit" disabled={busy()}>
          {busy() ? words().saving : words().save}
        </Button>
      </footer>
    </form>
  );
}
