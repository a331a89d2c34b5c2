import { createEffect, createMemo, createUniqueId, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { text, translated } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { createEditor, indentOf, offsetOf } from "./editor";
import { whereIs } from "./FileProblems";
import type { HeartbeatsModel } from "./model";
import "./file.css";

/** The file itself, with its problems. */
export function FileTab(props: { model: HeartbeatsModel }): JSX.Element {
  const { host } = useApp();
  const list = () => props.model.reading.answer();
  const editor = createEditor(host, () => list()?.revision);
  const words = () => text().heartbeats.file;
  const id = createUniqueId();
  let field: HTMLTextAreaElement | undefined;
  let gutter: HTMLDivElement | undefined;
  onMount(() => void editor.read());
  createEffect(() => props.model.setUnsaved("file", editor.changed()));
  onCleanup(() => props.model.setUnsaved("file", false));

  const lines = createMemo(() => editor.text().split("\n").length);
  const marked = createMemo(() => new Set(editor.problems().map(({ line }) => line)));

  function goTo(line: number, column: number): void {
    if (!field || line < 1) return;
    const at = offsetOf(field.value, line, column);
    field.focus();
    field.setSelectionRange(at, at);
    const height = Number.parseFloat(getComputedStyle(field).lineHeight) || 20;
    field.scrollTop = Math.max(0, (line - 1) * height - field.clientHeight / 3);
  }
  createEffect(
    on([props.model.line, editor.base], ([where, base], before) => {
      // Once per navigation, when there is a target.
      if (where && base && (before?.[0] !== where || before[1] === null)) queueMicrotask(() => goTo(where.line, where.column));
    }),
  );

  async function save(): Promise<void> {
    if (await editor.save()) props.model.reading.again();
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    if (isComposing(event)) return;
    if (isMod(event) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      if (editor.changed()) void save();
      return;
    }
    if (event.key !== "Enter" || event.shiftKey || isMod(event)) return;
    const { value, selectionStart } = event.currentTarget;
    const indent = indentOf(value, selectionStart);
    // If undo is not available, insert a plain line break.
    if (indent !== "" && document.execCommand?.("insertText", false, `\n${indent}`)) event.preventDefault();
  }

  return (
    <Show
      when={editor.base()}
      fallback={
        <Show when={editor.error()} fallback={<p data-slot="aside">{text().common.loading}</p>}>
          <div data-slot="empty" role="alert">
            <strong>{words().unread}</strong>
            <p>{editor.error()}</p>
            <Button size="small" onClick={() => void editor.read()}>
              {text().common.tryAgain}
            </Button>
          </div>
        </Show>
      }
    >
      <p data-slot="aside">{words().at(list()?.file ?? "heartbeats.yaml")}</p>
      <Show when={editor.conflict()}>
        <div data-slot="notice" data-bad="" role="alert">
          <div>
            <strong>{words().changed}</strong>
          </div>
          <Button size="small" onClick={() => void editor.read()}>
            {words().reload}
          </Button>
          <Button size="small" onClick={() => void editor.keepMine().then((done) => void (done && props.model.reading.again()))}>
            {words().mine}
          </Button>
        </div>
      </Show>
      <div data-slot="editor" data-bad={editor.problems().length > 0 || undefined} aria-busy={editor.checking()}>
        <div data-slot="gutter" aria-hidden="true">
          <div ref={(el) => (gutter = el)}>
            <For each={Array.from({ length: lines() }, (_, i) => i + 1)}>{(line) => <span data-bad={marked().has(line) || undefined}>{line}</span>}</For>
          </div>
        </div>
        <textarea
          ref={(el) => (field = el)}
          data-autofocus=""
          aria-label={words().label}
          aria-describedby={id}
          aria-invalid={editor.problems().length > 0 || undefined}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={editor.text()}
          onInput={(event) => editor.setText(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter) gutter.style.transform = `translateY(${-event.currentTarget.scrollTop}px)`;
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div data-slot="problems" id={id} role="status">
        <Show when={editor.problems().length > 0} fallback={<p data-slot="aside">{editor.checking() ? words().checking : editor.saved() && !editor.changed() ? words().saved : words().fine}</p>}>
          <h3>{words().problems}</h3>
          <ul role="list">
            <For each={editor.problems()}>
              {(problem) => (
                <li>
                  <button type="button" data-slot="link" onClick={() => goTo(problem.line, problem.column)}>
                    {whereIs(problem) || problem.name}
                  </button>{" "}
                  <span>{translated(problem.message)}</span>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
      <Show when={editor.error()}>
        <p data-slot="invalid" role="alert">
          {editor.error()}
        </p>
      </Show>
      <footer data-slot="actions">
        <Button variant="ghost" disabled={!editor.changed()} onClick={() => editor.revert()}>
          {words().revert}
        </Button>
        <Button variant="primary" disabled={!editor.changed() || editor.busy()} onClick={() => void save()}>
          {editor.busy() ? words().saving : words().save}
        </Button>
      </footer>
    </Show>
  );
}
