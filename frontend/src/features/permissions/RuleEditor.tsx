import { createSignal, createUniqueId, For, type JSX, onMount, Show } from "solid-js";
import type { Rule } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { dayAndTime } from "../../lib/dates";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Radios } from "../../ui/radios";
import { titleOf, workspaceName } from "../../store/names";
import { placeOf, scopeOf } from "./rules";

const effects = ["allow", "ask", "deny"] as const;
const expiries = ["never", "hour", "today"] as const;

/** Creates or edits a rule. The program's errors are shown beside the field. */
export function RuleEditor(props: { rule?: Rule; onDone: () => void }): JSX.Element {
  const app = useApp();
  const { latest } = app.layout;
  const { host, state } = app;
  const before = props.rule;
  const [effect, setEffect] = createSignal(before?.effect ?? "allow");
  const [rule, setRule] = createSignal(before?.text ?? "");
  const [place, setPlace] = createSignal(before ? placeOf(before) : "global");
  const [expiry, setExpiry] = createSignal(before && before.expiresAt > 0 ? "" : "never");
  const [note, setNote] = createSignal(before?.note ?? "");
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const words = () => text().permission.editor;
  const faultId = createUniqueId();
  const hintId = createUniqueId();
  let field!: HTMLInputElement;
  onMount(() => field.focus());

  const places = () => {
    const sessions = new Set([...(before?.scope === "session" ? [before.scopeId] : []), ...[latest() ?? []].flat()]);
    return [
      { id: "global", name: text().permission.rules.everywhere },
      ...state.workspaceOrder.map((id) => ({ id: `workspace:${id}`, name: words().whereWorkspace(workspaceName(app, id)) })),
      ...[...sessions].map((id) => ({ id: `session:${id}`, name: words().whereSession(titleOf(app, id)) })),
    ];
  };

  async function save(): Promise<void> {
    if (rule().trim() === "" || busy()) return;
    setBusy(true);
    const what = { effect: effect(), text: rule().trim(), ...scopeOf(place()), note: note(), ...(expiry() === "" ? {} : { expiry: expiry() }) };
    try {
      await (before ? host.call("rule.set", { id: before.id, ...what }) : host.call("rule.add", what));
      props.onDone();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const enter = event.key === "Enter" && (isMod(event) || (event.target as HTMLElement).matches("input[type=text]"));
    if (event.key === "Escape") props.onDone();
    else if (enter) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div data-slot="editor" role="group" aria-label={before ? words().change : words().new} onKeyDown={onKeyDown}>
      <Radios inline legend={words().effect} choices={effects.map((id) => ({ id, name: words().effects[id] }))} value={effect()} onChange={setEffect} />
      <label data-slot="field">
        <span>{words().text}</span>
        <input
          ref={(el) => (field = el)}
          type="text"
          data-component="text-field"
          data-code=""
          spellcheck={false}
          autocomplete="off"
          placeholder={words().placeholder}
          value={rule()}
          aria-invalid={error() !== ""}
          aria-describedby={`${faultId} ${hintId}`}
          onInput={(event) => {
            setRule(event.currentTarget.value);
            setError("");
          }}
        />
      </label>
      <p data-slot="invalid" role="alert" id={faultId}>
        {error()}
      </p>
      <p data-slot="aside" id={hintId}>
        {words().hint}
      </p>
      <div data-slot="sides">
        <label data-slot="field">
          <span>{words().where}</span>
          <select data-component="text-field" onChange={(event) => setPlace(event.currentTarget.value)}>
            <For each={places()}>{(one) => <option value={one.id} selected={one.id === place()}>{one.name}</option>}</For>
          </select>
        </label>
        <label data-slot="field">
          <span>{words().expiry}</span>
          <select data-component="text-field" onChange={(event) => setExpiry(event.currentTarget.value)}>
            <Show when={before && before.expiresAt > 0}>
              <option value="" selected={expiry() === ""}>{words().asItIs(dayAndTime(before?.expiresAt ?? 0))}</option>
            </Show>
            <For each={expiries}>{(id) => <option value={id} selected={id === expiry()}>{text().approval.rule.expiries[id]}</option>}</For>
          </select>
        </label>
        <label data-slot="field">
          <span>{words().note}</span>
          <input type="text" data-component="text-field" value={note()} onInput={(event) => setNote(event.currentTarget.value)} />
        </label>
      </div>
      <div data-slot="actions">
        <Button variant="primary" disabled={rule().trim() === "" || busy()} onClick={() => void save()}>
          {before ? words().save : words().make}
        </Button>
        <Button variant="ghost" onClick={() => props.onDone()}>
          {text().common.cancel}
        </Button>
      </div>
    </div>
  );
}
