import Paperclip from "lucide-solid/icons/paperclip";
import { createEffect, createSignal, createUniqueId, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { text } from "../../i18n";
import { isInDialog } from "../../lib/keys";
import { modeName, nextMode } from "../../lib/names";
import { useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { isPasted } from "../../store/pasted";
import { emptyDraft, isBusy, questionsOf } from "../../store/state";
import { IconButton } from "../../ui/icon-button";
import type { Shown } from "../approval/answer-by-text";
import { createModels } from "../choices/model";
import { ModeChip } from "../choices/ModeChip";
import { ModelChip } from "../choices/ModelChip";
import { Attachments } from "./Attachments";
import { fit, replace } from "./box";
import { createDrop } from "./drop";
import { HistorySearch } from "./HistorySearch";
import { createKeys } from "./keys";
import { createLater } from "./later";
import { LaterList } from "./LaterList";
import { LaterMenu } from "./LaterMenu";
import { createMention } from "./mention";
import { MentionMenu } from "./MentionMenu";
import { OtherDraft } from "./OtherDraft";
import { provideComposerActions } from "./commands";
import { createQueue } from "./queue";
import { QueueList } from "./QueueList";
import { createRecall } from "./recall";
import { RepairNote } from "./RepairNote";
import { type Delivery, SendButtons } from "./SendButtons";
import { createComposerAnswer } from "./answer-in-composer";
import { createShellMode } from "./shellmode";
import { createSlash } from "./slash";
import { createSuggestion } from "./suggestion";
import { createAttaching } from "./attaching";
import { optionId, SlashMenu } from "./SlashMenu";
import "./composer.css";

export function Composer(props: {
  session: Session;
  /** The request above the composer. */
  shown?: Shown | null;
}): JSX.Element {
  const { state, host, actions } = useApp();
  const pane = usePane();
  let textarea!: HTMLTextAreaElement;
  let picker!: HTMLInputElement;
  let root!: HTMLDivElement;
  const noteId = createUniqueId();
  const menuId = createUniqueId();
  const [announced, setAnnounced] = createSignal("");
  const [caret, setCaret] = createSignal(0);
  const [searching, setSearching] = createSignal(false);
  const words = () => text().composer;
  const id = () => props.session.id;
  const draft = () => state.drafts[id()] ?? emptyDraft();
  const busy = () => isBusy(props.session);
  const online = () => host.status().kind === "open";
  /** What Enter does while a turn runs. */
  const first = (): Delivery => (state.info?.settings.whileBusy === "queue" ? "queue" : "now");
  const setText = (value: string) => actions.setDraftText(id(), value);
  const put = (from: number, to: number, value: string) => {
    replace(textarea, from, to, value, setText);
    setCaret(textarea.selectionStart);
  };
  const putAll = (value: string) => put(0, textarea.value.length, value);

  const models = createModels(host, () => ({ sessionId: id() }));
  const slash = createSlash(models, () => draft().text, putAll);
  const mention = createMention(host, id, models, { text: () => draft().text, caret, replace: put });
  const suggestion = createSuggestion(() => props.session, () => draft().text);
  const shell = createShellMode(host, state, id, () => draft().text, setText);
  const saying = createComposerAnswer({ state, actions }, id, () => props.shown ?? null);
  const recall = createRecall(host, state, id);
  const queue = createQueue(host, () => props.session, putBack);
  const later = createLater({ host, actions, state }, () => props.session, () => textarea.focus());
  const taking = createAttaching(actions, id, {
    attached: () => draft().attachments.length,
    plain: shell.on,
    insert: (value) => put(textarea.selectionStart, textarea.selectionEnd, value),
    focus: () => textarea.focus(),
  }, host.handing);
  pane.offer({ box: () => textarea });
  provideComposerActions(state, id, () => picker.click());
  const dropping = createDrop(() => pane.area() ?? root, { files: (files) => void taking.take(files), handed: (from, asked) => void taking.takeHanded(from, asked) }, host.handing);
  const sendable = () => {
    if (draft().sending || !online()) return false;
    if (shell.on()) return !shell.busy() && draft().text.slice(1).trim() !== "";
    return draft().text.trim() !== "" || draft().attachments.some(isPasted);
  };

  const laterable = () => sendable() && !shell.on() && !saying.kind();

  // For startup measurements.
  onMount(() => requestAnimationFrame(() => performance.mark("composer")));
  createEffect(
    on(id, (sessionId) => {
      setSearching(false);
      if (state.current === sessionId && !isInDialog()) textarea.focus();
    }),
  );
  // A draft may appear or vanish here or in another window; update for both.
  createEffect(
    on([id, () => props.session.hasDraft], ([sessionId]) => {
      actions.openDraft(sessionId);
      onCleanup(() => actions.leaveDraft(sessionId));
    }),
  );
  createEffect(
    on(
      () => draft().text,
      () => {
        fit(textarea);
        setCaret(textarea.selectionStart);
      },
    ),
  );
  // Announces the current values after a change from anywhere.
  createEffect(
    on([id, () => props.session.permissionMode], ([sessionId, mode], before) => {
      setAnnounced(before?.[0] === sessionId && before[1] !== mode ? words().modeIs(modeName(mode)) : "");
    }),
  );
  createEffect(on(shell.on, (is) => is && setAnnounced(words().shellMode), { defer: true }));
  createEffect(on(dropping, (is) => setAnnounced(is ? words().dropHere : ""), { defer: true }));

  function putBack(value: string, why: string): void {
    const { text: there } = draft();
    actions.setDraftText(id(), there.trim() === "" ? value : `${there}\n\n${value}`);
    setAnnounced(why);
    textarea.focus();
  }

  function send(delivery?: Delivery): void {
    if (!sendable()) return;
    if (shell.on()) void shell.run();
    else void actions.send(id(), busy() ? (delivery ?? first()) : undefined);
  }

  function say(): void {
    if (sendable()) saying.say();
  }

  /** Removing an attachment also removes the focused element. */
  function remove(attachment: string): void {
    actions.removeAttachment(id(), attachment);
    textarea.focus();
  }

  const onKeyDown = createKeys({
    menus: [slash, mention],
    text: () => draft().text,
    busy,
    first,
    send,
    shell,
    saying: () => saying.kind() !== null,
    say,
    asked: () => questionsOf(state, id()).length > 0,
    nextMode: () => void actions.setPermissionMode(id(), nextMode(props.session.permissionMode)),
    editNewest: () => queue.editNewest(),
    recall,
    putAll,
    suggestion,
    search: () => setSearching(true),
  });

  const problem = () => draft().error || shell.error();
  const note = () => {
    if (problem()) return problem();
    if (draft().sending) return words().sending;
    if (!online()) return words().offline;
    if (shell.on()) return words().shellMode;
    if (saying.note()) return saying.note();
    if (suggestion() && draft().text === "") return words().suggestionHint;
    if (!busy()) return "";
    return first() === "now" ? words().steers : words().queues;
  };
  const menu = () => (slash.open() ? slash : mention.open() ? mention : null);
  const placeholder = () => (saying.kind() ? saying.placeholder() : suggestion()) || (busy() ? words().placeholderBusy : words().placeholder);

  return (
    <div data-component="composer">
      <div
        ref={root}
        data-slot="inside"
        data-dropping={dropping() ? "" : undefined}
        onClick={(event) => event.target === event.currentTarget && textarea.focus()}
      >
        <RepairNote sessionId={id()} />
        <LaterList later={later} />
        <QueueList session={props.session} queue={queue} />
        <SlashMenu slash={slash} id={menuId} />
        <Show when={!slash.open()}>
          <MentionMenu mention={mention} id={menuId} />
        </Show>
        <Show when={searching()}>
          <HistorySearch
            id={menuId}
            find={(value) => recall.find(value)}
            authorOf={(prompt) => recall.authorOf(prompt)}
            onChoose={(prompt) => {
              setSearching(false);
              putAll(prompt);
            }}
            onClose={() => {
              setSearching(false);
              textarea.focus();
            }}
          />
        </Show>
        {/* A form: for a field outside a form, Chromium searches the whole page for other fields on every key. */}
        <form data-slot="box" data-mode={shell.on() ? "shell" : undefined} autocomplete="off" onSubmit={(event) => event.preventDefault()}>
          <Show when={dropping()}>
            <div data-slot="drop-here">
              <Paperclip size={16} aria-hidden="true" />
              <span>{words().dropHere}</span>
            </div>
          </Show>
          <OtherDraft draft={draft()} onChoose={(which) => actions.chooseDraft(id(), which)} />
          <Attachments items={draft().attachments} onRemove={remove} onUnfold={taking.unfold} />
          <span data-slot="hint" aria-hidden="true">
            {placeholder()}
          </span>
          <textarea
            ref={textarea}
            data-slot="text"
            rows={1}
            spellcheck={!shell.on()}
            autocapitalize={shell.on() ? "off" : "sentences"}
            aria-label={words().prompt}
            aria-describedby={noteId}
            aria-autocomplete="list"
            aria-controls={menu() ? menuId : undefined}
            aria-activedescendant={menu() && (menu()?.matches().length ?? 0) > 0 ? optionId(menuId, menu()?.at() ?? 0) : undefined}
            placeholder={placeholder()}
            value={draft().text}
            onInput={(event) => {
              setCaret(event.currentTarget.selectionStart);
              setText(event.currentTarget.value);
            }}
            onKeyDown={onKeyDown}
            onKeyUp={(event) => setCaret(event.currentTarget.selectionStart)}
            onClick={(event) => setCaret(event.currentTarget.selectionStart)}
            onPaste={taking.onPaste}
          />
          <div data-slot="row">
            <ModeChip
              mode={props.session.permissionMode}
              guard={props.session.guard}
              onChange={(mode, guard) => void actions.setPermissionMode(id(), mode, guard)}
            />
            <ModelChip
              session={props.session}
              models={models}
              onModel={(model) => void actions.setModel(id(), model)}
              onEffort={(effort) => void actions.setEffort(id(), effort)}
            />
            <IconButton label={words().attach} onClick={() => picker.click()}>
              <Paperclip />
            </IconButton>
            <input
              ref={picker}
              type="file"
              hidden
              multiple
              onChange={(event) => {
                void taking.take(event.currentTarget.files ?? []);
                event.currentTarget.value = "";
              }}
            />
            <span data-slot="space" />
            <Show when={laterable()}>
              <LaterMenu later={later} onClosed={() => textarea.focus()} />
            </Show>
            <SendButtons
              busy={busy()}
              stopping={props.session.state === "interrupting"}
              disabled={!sendable()}
              shell={shell.on()}
              saying={saying.kind() ? saying.label() : ""}
              onSay={say}
              first={first()}
              onSend={send}
              onStop={() => void actions.interrupt(id())}
            />
          </div>
        </form>
        <p data-slot="note" id={noteId} role="status" data-error={problem() ? "" : undefined}>
          {note()}
        </p>
        <span class="visually-hidden" aria-live="polite">
          {announced()}
        </span>
      </div>
    </div>
  );
}
