import RotateCcw from "lucide-solid/icons/rotate-ccw";
import { createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { chordsOf, isBrowsers, isForTyping } from "../../lib/chord";
import { isComposing, keyLabel } from "../../lib/keys";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { Kbd } from "../../ui/kbd";
import { type Action, keysOf, partKeys, shownKeys, usualKeys } from "../../desk/shortcuts";
import { createChange } from "./Setting";

/** Why an action can't have a shortcut, and the action to take it from, if that is possible. */
interface Conflict {
  action: string;
  keys: string;
  why: string;
  owner?: string;
}

/** All actions with their keys, which can be changed. */
export function KeysPage(props: { actions: () => readonly Action[] }): JSX.Element {
  const { state, host } = useApp();
  const { change, error } = createChange();
  /** The action whose new keys are being recorded. */
  const [recording, setRecording] = createSignal("");
  const [conflict, setConflict] = createSignal<Conflict | null>(null);
  const words = () => text().settings.keys;
  const chosen = () => state.info?.settings.shortcuts ?? {};
  const actions = () => {
    const seen = new Set<string>();
    return props.actions().filter(({ id }) => !seen.has(id) && seen.add(id));
  };

  /** The label of an action's button. */
  const said = (id: string) => {
    if (recording() === id) return words().press;
    const keys = shownKeys(id, host.kind);
    return keys ? keyLabel(keys) : words().none;
  };

  function set(keys: Record<string, string>): void {
    setRecording("");
    setConflict(null);
    // Keys equal to the default are not stored.
    const kept = Object.entries({ ...chosen(), ...keys }).filter(([id, own]) => own !== usualKeys(id, host.kind));
    void change({ shortcuts: Object.fromEntries(kept) });
  }

  function problem(action: string, keys: string): Conflict | null {
    const label = keyLabel(keys);
    if (isForTyping(keys) && keys !== usualKeys(action, host.kind)) return { action, keys, why: words().typing(label) };
    if (host.kind !== "window" && isBrowsers(keys)) return { action, keys, why: words().browsers(label) };
    const part = partKeys(host.kind).find((fixed) => fixed.keys === keys);
    if (part) return { action, keys, why: words().fixed(label, part.about) };
    const owner = actions().find(({ id }) => id !== action && keysOf(id, host.kind).includes(keys));
    return owner ? { action, keys, why: words().taken(label, owner.name), owner: owner.id } : null;
  }

  function onKeyDown(event: KeyboardEvent, action: string): void {
    if (recording() !== action || isComposing(event)) return;
    const keys = chordsOf(event)[0];
    if (keys === undefined || keys === "Tab" || keys === "Shift+Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (keys === "Esc" && usualKeys(action, host.kind) !== "Esc") {
      setRecording("");
      return;
    }
    if (keys === "Backspace" || keys === "Delete") {
      set({ [action]: "" });
      return;
    }
    const found = problem(action, keys);
    setConflict(found);
    if (!found) set({ [action]: keys });
    else setRecording("");
  }

  return (
    <div data-slot="keys" id="setting-shortcuts">
      <p data-slot="about">{text().settings.fields.shortcuts.about}</p>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <ul role="list">
        <For each={actions().map(({ id }) => id)}>
          {(id) => {
            const name = () => actions().find((action) => action.id === id)?.name ?? "";
            return (
              <li>
                <span>{name()}</span>
                <Show when={chosen()[id] !== undefined}>
                  <IconButton label={text().settings.resetTo(name())} onClick={() => set({ [id]: usualKeys(id, host.kind) })}>
                    <RotateCcw />
                  </IconButton>
                </Show>
                <button
                  type="button"
                  data-slot="record"
                  aria-label={`${words().change(name())}: ${said(id)}`}
                  data-recording={recording() === id ? "" : undefined}
                  onClick={() => {
                    setConflict(null);
                    setRecording(recording() === id ? "" : id);
                  }}
                  onKeyDown={(event) => onKeyDown(event, id)}
                  onBlur={() => recording() === id && setRecording("")}
                >
                  <Show when={recording() !== id} fallback={words().press}>
                    <Show when={shownKeys(id, host.kind)} fallback={<span data-slot="none">{words().none}</span>}>
                      {(keys) => <Kbd keys={keys()} />}
                    </Show>
                  </Show>
                </button>
                <Show when={conflict()?.action === id && conflict()}>
                  {(found) => (
                    <div data-slot="conflict" role="alert">
                      {found().why}
                      <Show when={found().owner}>
                        {(owner) => (
                          <Button size="small" onClick={() => set({ [owner()]: "", [id]: found().keys })}>
                            {words().takeOver}
                          </Button>
                        )}
                      </Show>
                    </div>
                  )}
                </Show>
              </li>
            );
          }}
        </For>
      </ul>
      <div data-slot="buttons">
        <Button disabled={Object.keys(chosen()).length === 0} onClick={() => void change({ shortcuts: {} })}>
          {words().resetAll}
        </Button>
      </div>
      <h3>{words().parts}</h3>
      <ul role="list">
        <For each={partKeys(host.kind)}>
          {(part) => (
            <li>
              <span>{part.about}</span>
              <Kbd keys={part.keys} />
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
