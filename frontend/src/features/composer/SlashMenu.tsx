import { createEffect, For, type JSX, on, Show } from "solid-js";
import { text } from "../../i18n";
import { showOption } from "../../lib/into-view";
import { Button } from "../../ui/button";
import { kindOf, type Slash } from "./slash";
import "./slash-menu.css";

export const optionId = (menu: string, index: number) => `${menu}-${index}`;

/** Commands matching the name being typed, above the box. The box keeps the focus. */
export function SlashMenu(props: { slash: Slash; id: string }): JSX.Element {
  let list: HTMLUListElement | undefined;
  createEffect(
    on(
      () => props.slash.at(),
      (at) => showOption(list, optionId(props.id, at)),
    ),
  );
  const models = () => props.slash.models;
  const words = () => text().composer;
  const heading = (index: number) => {
    const all = props.slash.matches();
    const command = all[index];
    if (!command || all.every((c) => kindOf(c) === kindOf(command))) return "";
    const before = all[index - 1];
    if (before && kindOf(before) === kindOf(command)) return "";
    const groups: Record<string, string> = words().groups;
    return groups[kindOf(command)] ?? "";
  };
  return (
    <>
      <Show when={props.slash.hint()}>
        {(command) => (
          <p data-component="slash-hint">
            <b>/{command().name}</b> {command().argumentHint}
          </p>
        )}
      </Show>
      <Show when={props.slash.open()}>
        {/* A click must not take the focus out of the box. */}
        <div data-component="slash-menu" onMouseDown={(event) => event.preventDefault()}>
          <Show when={props.slash.matches().length > 0}>
            <ul ref={(el) => (list = el)} role="listbox" id={props.id} aria-label={words().commands}>
              <For each={props.slash.matches()}>
                {(command, index) => (
                  <>
                    <Show when={heading(index())}>
                      <li role="presentation" data-slot="group">
                        {heading(index())}
                      </li>
                    </Show>
                    <li
                      role="option"
                      id={optionId(props.id, index())}
                      aria-selected={props.slash.at() === index()}
                      onMouseMove={() => props.slash.setAt(index())}
                      onClick={() => props.slash.accept(command)}
                    >
                      <span data-slot="name">
                        {kindOf(command) === "agent" ? "@agent-" : "/"}
                        {command.name} <span data-slot="arguments">{command.argumentHint}</span>
                      </span>
                      <span data-slot="about">{command.description}</span>
                    </li>
                  </>
                )}
              </For>
            </ul>
          </Show>
          <Show when={models().problem()}>
            <p data-slot="problem" role="alert">
              {models().problem()}
              <Button size="small" disabled={models().busy()} onClick={() => models().ask(true)}>
                {models().busy() ? words().asking : words().askAgain}
              </Button>
            </p>
          </Show>
          <Show when={!models().problem() && props.slash.matches().length === 0}>
            <p data-slot="wait" role="status">
              {words().askingCommands}
            </p>
          </Show>
        </div>
      </Show>
    </>
  );
}
