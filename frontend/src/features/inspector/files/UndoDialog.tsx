import { createEffect, createMemo, createSignal, For, type JSX, on, Show, untrack } from "solid-js";
import type { ChangePreview, ChangeUndoResult } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { text, translated } from "../../../i18n";
import { useApp } from "../../../store/context";
import { Button } from "../../../ui/button";
import { Dialog } from "../../../ui/dialog";
import { isUndoable } from "./model";
import { UndoFileRow } from "./UndoFileRow";
import "./undo-dialog.css";

/** What to undo: a turn and everything after it, "" for all; or one file of that. */
export interface UndoTarget {
  turnId: string;
  only?: string;
  /** Whether it is the last turn. */
  last?: boolean;
}

/** Previews what undoing does to each file, and undoes it once the user confirms. */
export function UndoDialog(props: { sessionId: string; target: UndoTarget | null; onClose: () => void; onDone?: () => void }): JSX.Element {
  const { host, state } = useApp();
  const [preview, setPreview] = createSignal<ChangePreview>();
  const [chosen, setChosen] = createSignal<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const [result, setResult] = createSignal<ChangeUndoResult>();
  // Keeps the text while the dialog closes.
  const target = createMemo<UndoTarget>((last) => props.target ?? last, { turnId: "" });
  const words = () => text().inspector.undo;
  let reading = 0;

  async function read(): Promise<void> {
    const mine = ++reading;
    const { turnId, only } = target();
    try {
      const found = await host.call("change.preview", { sessionId: props.sessionId, turnId });
      if (mine !== reading) return;
      const files = only === undefined ? found.files : found.files.filter((file) => file.path === only);
      setPreview({ ...found, files });
      // Other people's changes are only undone if the user selects them.
      setChosen(new Set(files.filter((file) => isUndoable(file.action) && !file.foreign).map((file) => file.path)));
    } catch (failure) {
      if (mine === reading) setError(messageOf(failure));
    }
  }

  createEffect(
    on(
      () => props.target,
      (now) => {
        if (!now) return;
        setPreview(undefined);
        setResult(undefined);
        setError("");
        untrack(() => void read());
      },
    ),
  );

  const files = () => preview()?.files ?? [];
  const running = () => preview()?.busy === true && state.sessions[props.sessionId]?.state !== "idle";
  const title = () => {
    const { turnId, only, last } = target();
    if (only !== undefined) return words().titleFile;
    return turnId === "" ? words().titleAll : last ? words().titleTurn : words().titleFrom;
  };

  async function undo(): Promise<void> {
    setBusy(true);
    setError("");
    try {
      const wanted = files().filter((file) => chosen().has(file.path));
      const done = await host.call("change.undo", {
        sessionId: props.sessionId,
        turnId: target().turnId,
        files: wanted.map(({ path, stamp }) => ({ path, stamp })),
      });
      props.onDone?.();
      if (done.refused.length === 0) props.onClose();
      else setResult(done);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  function toggle(path: string): void {
    const next = new Set(chosen());
    if (!next.delete(path)) next.add(path);
    setChosen(next);
  }

  return (
    <Dialog
      open={props.target !== null}
      onOpenChange={(open) => !open && props.onClose()}
      title={title()}
      description={words().about}
      size="large"
      footer={
        <>
          <span data-slot="spacer" />
          <Button variant="ghost" onClick={() => props.onClose()}>
            {result() ? text().common.close : text().common.cancel}
          </Button>
          <Show when={!result()}>
            <Button variant="primary" data-autofocus disabled={busy() || running() || chosen().size === 0} onClick={() => void undo()}>
              {words().act(chosen().size)}
            </Button>
          </Show>
        </>
      }
    >
      <div data-component="undo-dialog">
        <Show when={error()}>
          <p data-slot="error" role="alert">
            {error()}
          </p>
        </Show>
        <Show when={running()}>
          <p data-slot="warning">{words().busy}</p>
        </Show>
        <Show
          when={!result()}
          fallback={
            <div role="alert">
              <p>{words().partly(result()?.done.length ?? 0)}</p>
              <ul data-slot="refused">
                <For each={result()?.refused}>
                  {(file) => (
                    <li>
                      <bdi>{file.path}</bdi>: {translated(file.reason)}
                    </li>
                  )}
                </For>
              </ul>
            </div>
          }
        >
          <Show
            when={preview()}
            fallback={
              <Show when={!error()}>
                <p role="status">{text().common.loading}</p>
              </Show>
            }
          >
            <Show when={files().length > 0} fallback={<p>{words().nothing}</p>}>
              <ul role="list" data-slot="files">
                <For each={files()}>
                  {(file) => (
                    <UndoFileRow
                      sessionId={props.sessionId}
                      turnId={target().turnId}
                      file={file}
                      chosen={chosen().has(file.path)}
                      open={files().length === 1}
                      onToggle={() => toggle(file.path)}
                    />
                  )}
                </For>
              </ul>
            </Show>
            <Show when={(preview()?.commands ?? 0) > 0}>
              <p data-slot="note">{words().commands(preview()?.commands ?? 0)}</p>
            </Show>
            <p data-slot="note">{words().kept}</p>
          </Show>
        </Show>
      </div>
    </Dialog>
  );
}
