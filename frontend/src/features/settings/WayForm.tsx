import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { Way } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { Segmented } from "./Setting";

const kinds = ["webhook", "ntfy"] as const;
const events = ["question", "done", "failed", "limit"] as const;
type Kind = (typeof kinds)[number];

/** Adds or edits an address for notifications. Its secret is write-only. */
export function WayForm(props: { way: Way | null; onClose: () => void; onSaved: () => void }): JSX.Element {
  const { host } = useApp();
  const was = props.way;
  const [kind, setKind] = createSignal<Kind>(was?.kind === "ntfy" ? "ntfy" : "webhook");
  const [url, setUrl] = createSignal(was?.url ?? "");
  const [secret, setSecret] = createSignal("");
  const [unkeep, setUnkeep] = createSignal(false);
  const [template, setTemplate] = createSignal(was?.template ?? "");
  const [chosen, setChosen] = createSignal<readonly string[]>(was?.events ?? events);
  const [folder, setFolder] = createSignal(was?.folder ?? "");
  const [from, setFrom] = createSignal(was?.quietFrom ?? "");
  const [to, setTo] = createSignal(was?.quietTo ?? "");
  const [away, setAway] = createSignal(was?.away ?? true);
  const [problem, setProblem] = createSignal("");
  const words = () => text().ways;
  const kindId = createUniqueId();

  async function save(): Promise<void> {
    setProblem("");
    try {
      await host.call("way.set", {
        ...(was ? { id: was.id } : {}),
        kind: kind(),
        url: url().trim(),
        template: kind() === "webhook" ? template() : "",
        events: [...chosen()],
        folder: folder().trim(),
        quietFrom: from(),
        quietTo: to(),
        away: away(),
        ...(secret() || unkeep() ? { secret: secret() } : {}),
      });
      props.onSaved();
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }
  const toggle = (event: string, on: boolean) => setChosen(events.filter((one) => (one === event ? on : chosen().includes(one))));
  const line = (label: string, hint: string, value: () => string, set: (value: string) => void, extra: JSX.InputHTMLAttributes<HTMLInputElement> = {}) => (
    <Field label={label} hint={hint} faults={[]}>
      {(ids) => <input data-component="text-field" id={ids().id} aria-describedby={ids().describedBy} value={value()} onInput={(event) => set(event.currentTarget.value)} {...extra} />}
    </Field>
  );
  const check = (label: string, checked: () => boolean, set: (on: boolean) => void) => (
    <label data-slot="check">
      <input type="checkbox" checked={checked()} onChange={(event) => set(event.currentTarget.checked)} />
      {label}
    </label>
  );

  return (
    <form
      data-slot="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div data-slot="field">
        <span id={kindId}>{words().kind}</span>
        <Segmented labelledBy={kindId} choices={kinds.map((id) => ({ id, name: words().kinds[id] }))} value={kind()} onChange={(id) => setKind(id === "ntfy" ? "ntfy" : "webhook")} />
      </div>
      {line(words().url, "", url, setUrl, { required: true, maxLength: 2000, get placeholder() { return words().urlHint[kind()]; }, ref: (el) => queueMicrotask(() => el.focus()) })}
      <Field label={words().secret[kind()]} hint={was?.secret ? words().kept : words().secretAbout[kind()]} faults={[]}>
        {(ids) => <input data-component="text-field" type="password" autocomplete="off" maxLength={500} id={ids().id} aria-describedby={ids().describedBy} value={secret()} onInput={(event) => setSecret(event.currentTarget.value)} />}
      </Field>
      <Show when={was?.secret}>{check(words().unkeep, unkeep, setUnkeep)}</Show>
      <fieldset>
        <legend>{words().events}</legend>
        <For each={events}>{(event) => check(words().event[event], () => chosen().includes(event), (on) => toggle(event, on))}</For>
      </fieldset>
      {check(words().away, away, setAway)}
      {line(words().folder, words().folderAbout, folder, setFolder, { maxLength: 4096 })}
      <div data-slot="times">
        {line(words().quietFrom, words().quietAbout, from, setFrom, { type: "time" })}
        {line(words().quietTo, "", to, setTo, { type: "time" })}
      </div>
      <Show when={kind() === "webhook"}>
        <Field label={words().template} hint={words().templateAbout} faults={[]}>
          {(ids) => <textarea data-component="text-field" rows={3} maxLength={4000} id={ids().id} aria-describedby={ids().describedBy} value={template()} onInput={(event) => setTemplate(event.currentTarget.value)} />}
        </Field>
      </Show>
      <Show when={problem()}>
        <p data-slot="error" role="alert">
          {problem()}
        </p>
      </Show>
      <div data-slot="buttons">
        <Button type="submit" variant="primary">
          {words().save}
        </Button>
        <Button onClick={() => props.onClose()}>{text().common.cancel}</Button>
      </div>
    </form>
  );
}
