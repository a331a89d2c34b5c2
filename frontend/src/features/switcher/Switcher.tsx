import { Dialog } from "@kobalte/core/dialog";
import File from "lucide-solid/icons/file";
import Folder from "lucide-solid/icons/folder";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createEffect, For, type JSX, Match, Show, Switch } from "solid-js";
import { showOption } from "../../lib/into-view";
import { isComposing, isMod } from "../../lib/keys";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Kbd } from "../../ui/kbd";
import { StateDot } from "../session/StateDot";
import { shownKeys } from "../../desk/shortcuts";
import type { Command } from "./commands";
import { createSwitcherModel, groupOf, type Match as Found, noteUsed } from "./model";
import "../../ui/dialog.css";
import "./switcher.css";

/** The palette: runs a command, goes to a session, workspace or setting, or opens a file, by a few letters of its name. */
export function Switcher(props: { open: boolean; commands: () => Command[]; onClose: () => void }): JSX.Element {
  return (
    <Dialog open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay data-component="dialog-overlay" data-clear />
        <Dialog.Content
          data-component="switcher"
          aria-label={text().switcher.title}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            (event.currentTarget as HTMLElement).querySelector("input")?.focus();
          }}
        >
          <Box commands={props.commands} onClose={() => props.onClose()} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  );
}

function Box(props: { commands: () => Command[]; onClose: () => void }): JSX.Element {
  const app = useApp();
  const model = createSwitcherModel(app, props.commands);
  const optionId = (index: number) => `switcher-option-${index}`;

  function take(found: Found | undefined, beside: boolean): void {
    if (!found) return;
    const { target } = found;
    // What it opens must not fight the switcher for the focus.
    props.onClose();
    queueMicrotask(() => {
      if (target.kind === "command") {
        noteUsed(target.id);
        target.command.run();
      } else if (target.kind === "file") {
        const sessionId = app.state.current;
        if (sessionId !== null) app.host.call("editor.open", { sessionId, path: target.about }).catch((failure: unknown) => app.actions.report(failure));
      } else if (target.kind === "session") {
        const id = target.id.slice(2);
        if (beside) app.layout.openBeside(id);
        else app.actions.open(id);
      } else {
        const path = app.state.workspaces[target.id.slice(2)]?.path;
        if (path !== undefined) app.actions.create(path).catch((failure: unknown) => app.actions.report(failure));
      }
    });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => model.move(1),
      ArrowUp: () => model.move(-1),
      PageDown: () => model.setActive(Math.min(model.active() + 8, model.matches().length - 1)),
      PageUp: () => model.setActive(Math.max(model.active() - 8, 0)),
      Enter: () => take(model.matches()[model.active()], isMod(event)),
    };
    const act = event.ctrlKey && event.key.toLowerCase() === "k" ? () => model.move(event.shiftKey ? -1 : 1) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  let list: HTMLElement | undefined;
  createEffect(() => showOption(list, optionId(model.active())));

  const heading = (index: number) => {
    const groupAt = (i: number) => {
      const target = model.matches()[i]?.target;
      return target && groupOf(target);
    };
    const group = groupAt(index);
    if (model.text() !== "" || !group || group === groupAt(index - 1)) return "";
    const { sessions, workspaces, commands, here, more } = text().switcher;
    return { session: sessions, workspace: workspaces, program: commands, view: index === 0 ? here : more, file: "", setting: "" }[group];
  };

  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={text().switcher.label}
        aria-expanded="true"
        aria-controls="switcher-options"
        aria-activedescendant={model.matches().length > 0 ? optionId(model.active()) : undefined}
        placeholder={text().switcher.placeholder}
        spellcheck={false}
        autocomplete="off"
        value={model.text()}
        onInput={(event) => model.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ul ref={(el) => (list = el)} id="switcher-options" role="listbox" aria-label={text().switcher.options}>
        <For each={model.matches()}>
          {(found, index) => (
            <>
              <Show when={heading(index())}>
                <li data-slot="heading" role="presentation">
                  {heading(index())}
                </li>
              </Show>
              <li
                id={optionId(index())}
                role="option"
                data-kind={found.target.kind}
                aria-selected={index() === model.active()}
                onPointerMove={() => model.setActive(index())}
                onClick={(event) => take(found, isModClick(event))}
              >
                <Icon found={found} session={(id) => model.session(id)} />
                <span data-slot="title">
                  <For each={found.pieces}>{(piece, i) => (i() % 2 === 1 ? <mark>{piece}</mark> : piece)}</For>
                </span>
                <Show when={found.target.kind === "command" && found.target.command.keys} fallback={<span data-slot="about">{found.target.about}</span>}>
                  {(keys) => <Kbd keys={keys()} />}
                </Show>
              </li>
            </>
          )}
        </For>
      </ul>
      <Show when={model.matches().length === 0}>
        <p data-slot="none">
          {text().switcher.none} <Kbd keys={shownKeys("search", app.host.kind)} /> {text().switcher.searchInstead}
        </p>
      </Show>
    </>
  );
}

const isModClick = (event: MouseEvent) => event.ctrlKey || event.metaKey;

function Icon(props: { found: Found; session: (id: string) => Parameters<typeof StateDot>[0]["session"] | undefined }): JSX.Element {
  return (
    <span data-slot="icon">
      <Switch>
        <Match when={props.found.target.kind === "session" && props.session(props.found.target.id.slice(2))}>
          {(session) => <StateDot session={session()} />}
        </Match>
        <Match when={props.found.target.kind === "workspace"}>
          <Folder />
        </Match>
        <Match when={props.found.target.kind === "file"}>
          <File />
        </Match>
        <Match when={props.found.target.kind === "command"}>
          <ChevronRight />
        </Match>
      </Switch>
    </span>
  );
}
