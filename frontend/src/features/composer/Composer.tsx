import ArrowUp from "lucide-solid/icons/arrow-up";
import ImagePlus from "lucide-solid/icons/image-plus";
import Square from "lucide-solid/icons/square";
import { createEffect, createSignal, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { isComposing } from "../../lib/keys";
import { nextMode } from "../../lib/names";
import { useApp } from "../../store/context";
import { emptyDraft, isBusy } from "../../store/state";
import { IconButton } from "../../ui/icon-button";
import { accept, attach } from "./attach";
import { Attachments } from "./Attachments";
import { ModeChip } from "./ModeChip";
import { Queue } from "./Queue";
import "./composer.css";

export function Composer(props: { session: Session }): JSX.Element {
  const { state, host, actions } = useApp();
  let textarea!: HTMLTextAreaElement;
  let picker!: HTMLInputElement;
  let root!: HTMLDivElement;
  const [dropping, setDropping] = createSignal(false);
  const id = () => props.session.id;
  const draft = () => state.drafts[id()] ?? emptyDraft();
  const busy = () => isBusy(props.session);
  const online = () => host.status().kind === "open";
  const sendable = () => draft().text.trim() !== "" && !draft().sending && online();

  createEffect(on(id, () => textarea.focus()));
  // The height follows the text, whoever changed it; the largest one is in the stylesheet.
  createEffect(
    on(
      () => draft().text,
      () => {
        textarea.style.height = "auto";
        textarea.style.height = `${textarea.scrollHeight}px`;
      },
    ),
  );

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (sendable()) void actions.send(id());
    } else if (event.key === "Tab" && event.shiftKey) {
      event.preventDefault();
      void actions.setPermissionMode(id(), nextMode(props.session.permissionMode));
    }
  }

  async function take(files: Iterable<File>): Promise<void> {
    const sessionId = id();
    const { attachments, error } = await attach([...files], draft().attachments.length);
    actions.addAttachments(sessionId, attachments, error);
    textarea.focus();
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    // A copied table or page comes as text and as a picture of it: the text is what was meant.
    if (files.length === 0 || event.clipboardData?.types.includes("text/plain")) return;
    event.preventDefault();
    void take(files);
  }

  // The whole session takes what is dropped. Nothing says when a drag has ended
  // outside, so the mark goes when no more is heard of it.
  onMount(() => {
    const pane = root.closest<HTMLElement>('[data-component="session-pane"]') ?? root;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      setDropping(true);
      clearTimeout(timer);
      timer = setTimeout(() => setDropping(false), 200);
    };
    const onDrop = (event: DragEvent) => {
      setDropping(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) void take(files);
    };
    pane.addEventListener("dragover", onDragOver);
    pane.addEventListener("drop", onDrop);
    onCleanup(() => {
      clearTimeout(timer);
      pane.removeEventListener("dragover", onDragOver);
      pane.removeEventListener("drop", onDrop);
    });
  });

  return (
    <div
      ref={root}
      data-component="composer"
      data-dropping={dropping() ? "" : undefined}
      onClick={(event) => event.target === event.currentTarget && textarea.focus()}
    >
      <Queue prompts={props.session.queued} />
      <div data-slot="box">
        <Attachments items={draft().attachments} onRemove={(a) => actions.removeAttachment(id(), a)} />
        <textarea
          ref={textarea}
          data-slot="text"
          rows={1}
          aria-label="Prompt"
          aria-describedby="composer-error"
          placeholder={busy() ? "Say more; it is queued behind the running turn" : "Ask, or describe what to do"}
          value={draft().text}
          onInput={(event) => actions.setDraftText(id(), event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div data-slot="row">
          <ModeChip
            mode={props.session.permissionMode}
            onChange={(mode) => void actions.setPermissionMode(id(), mode)}
          />
          <IconButton label="Attach images" onClick={() => picker.click()}>
            <ImagePlus />
          </IconButton>
          <input
            ref={picker}
            type="file"
            hidden
            multiple
            accept={accept}
            onChange={(event) => {
              void take(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
            }}
          />
          <span data-slot="note" id="composer-error" role="status" data-error={draft().error ? "" : undefined}>
            {draft().error || (draft().sending ? "Sending…" : online() ? "" : "Offline: your text is kept")}
          </span>
          <Show when={busy()}>
            <IconButton
              label={props.session.state === "interrupting" ? "Stopping" : "Interrupt"}
              shortcut="Esc"
              variant="secondary"
              data-slot="stop"
              disabled={props.session.state === "interrupting"}
              onClick={() => void actions.interrupt(id())}
            >
              <Square fill="currentColor" />
            </IconButton>
          </Show>
          <IconButton
            label={busy() ? "Queue" : "Send"}
            shortcut="Enter"
            variant="primary"
            disabled={!sendable()}
            onClick={() => void actions.send(id())}
          >
            <ArrowUp />
          </IconButton>
        </div>
      </div>
    </div>
  );
}
