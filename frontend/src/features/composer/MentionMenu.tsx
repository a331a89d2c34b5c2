import Bot from "lucide-solid/icons/bot";
import File from "lucide-solid/icons/file";
import Folder from "lucide-solid/icons/folder";
import { createEffect, For, type JSX, Match, on, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import type { Mention, Mentionable } from "./mention";
import { optionId } from "./SlashMenu";
import "./slash-menu.css";

const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
/** Shows a line break in a name as a symbol. */
const inLine = (name: string) => name.replaceAll("\n", "⏎");

/** Files, folders and agents to mention, above the box. The box keeps the focus. */
export function MentionMenu(props: { mention: Mention; id: string }): JSX.Element {
  let list: HTMLUListElement | undefined;
  createEffect(
    on(
      () => props.mention.at(),
      (at) => list?.children[at]?.scrollIntoView({ block: "nearest" }),
    ),
  );
  const words = () => text().composer;
  const name = (what: Mentionable) => (what.kind === "agent" ? `agent-${what.path}` : `${baseOf(what.path)}${what.kind === "folder" ? "/" : ""}`);
  return (
    <Show when={props.mention.open()}>
      <div data-component="slash-menu" data-kind="mention" onMouseDown={(event) => event.preventDefault()}>
        <Show when={props.mention.matches().length > 0}>
          <ul ref={(el) => (list = el)} role="listbox" id={props.id} aria-label={words().mentions}>
            <For each={props.mention.matches()}>
              {(what, index) => (
                <li
                  role="option"
                  id={optionId(props.id, index())}
                  aria-selected={props.mention.at() === index()}
                  onMouseMove={() => props.mention.setAt(index())}
                  onClick={() => props.mention.accept(what)}
                >
                  <span data-slot="icon" aria-hidden="true">
                    <Switch fallback={<File size={14} />}>
                      <Match when={what.kind === "folder"}>
                        <Folder size={14} />
                      </Match>
                      <Match when={what.kind === "agent"}>
                        <Bot size={14} />
                      </Match>
                    </Switch>
                  </span>
                  <span data-slot="name">
                    <ExactText text={inLine(name(what))} />
                  </span>
                  <span data-slot="about">
                    <ExactText text={what.kind === "agent" ? what.about : inLine(folderOf(what.path))} />
                  </span>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Show when={props.mention.problem()}>
          <p data-slot="problem" role="alert">
            {props.mention.problem()}
          </p>
        </Show>
        <Show when={!props.mention.problem() && (props.mention.scanning() || props.mention.matches().length === 0)}>
          <p data-slot="wait" role="status">
            {props.mention.scanning() ? words().readingFolder : words().noFiles}
          </p>
        </Show>
        <Show when={props.mention.truncated()}>
          <p data-slot="wait">{words().folderTruncated}</p>
        </Show>
      </div>
    </Show>
  );
}
