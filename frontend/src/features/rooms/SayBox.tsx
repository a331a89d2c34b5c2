import Send from "lucide-solid/icons/arrow-up";
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, onMount, Show } from "solid-js";
import type { Room } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { newId } from "../../lib/id";
import { isComposing } from "../../lib/keys";
import { formatBytes } from "../../lib/time";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { fit, replace } from "../composer/box";
import type { Conversation } from "./conversation";
import type { RoomsModel } from "./model";
import { createNicks } from "./nicks";
import { memberState, plain, roomName } from "./words";

const mostBytes = 65_536;
/** The size is shown from this many bytes on. */
const nearly = 60_000;

const bytesOf = (what: string): number => new TextEncoder().encode(what).length;

/** The room's composer. Enter sends; text that could not be sent stays. */
export function SayBox(props: { model: RoomsModel; room: Room; conversation: Conversation; replyTo?: number; focused?: boolean; ref?: (box: HTMLElement) => void }): JSX.Element {
  const { host } = useApp();
  let box!: HTMLTextAreaElement;
  const key = () => `${props.room.id}/${props.replyTo ?? 0}`;
  const [value, setValue] = createSignal(props.model.drafts.get(key()) ?? "");
  const [caret, setCaret] = createSignal(0);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const listId = createUniqueId();
  const noteId = createUniqueId();
  const words = () => text().rooms.say;
  const bytes = createMemo(() => (value().length * 3 < nearly ? 0 : bytesOf(value())));
  const tooLong = () => bytes() > mostBytes;
  const online = () => host.status().kind === "open";
  const sendable = () => value().trim() !== "" && !tooLong() && !busy() && online();
  const me = () => props.model.me();
  const nicks = createNicks(
    { text: value, caret, replace: (from, to, what) => { replace(box, from, to, what, write); setCaret(box.selectionStart); } },
    () => props.room.members.filter((m) => m.id !== me()),
  );
  /** The id of the failed message: a retry with the same text is the same message. */
  let tried = { text: "", id: "" };

  function write(now: string): void {
    setValue(now);
    setError("");
    if (now) props.model.drafts.set(key(), now);
    else props.model.drafts.delete(key());
  }
  async function send(): Promise<void> {
    if (!sendable()) return;
    const what = value();
    if (tried.text !== what) tried = { text: what, id: newId() };
    setBusy(true);
    setError("");
    try {
      const { message } = await host.call("room.post", { roomId: props.room.id, text: what, messageId: tried.id, ...(props.replyTo ? { replyTo: props.replyTo } : {}) });
      tried = { text: "", id: "" };
      if (value() === what) write("");
      if (props.conversation.newer()) await props.conversation.newest();
      props.conversation.take(message);
      props.model.rooms.again();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (nicks.onKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void send();
  }
  const note = () => {
    if (error()) return error();
    if (tooLong()) return words().tooLong(formatBytes(bytes()), formatBytes(mostBytes));
    return bytes() >= nearly ? words().size(formatBytes(bytes()), formatBytes(mostBytes)) : "";
  };

  createEffect(on(value, () => queueMicrotask(() => fit(box))));
  onMount(() => props.ref?.(box));
  onMount(() => props.focused && setTimeout(() => box.focus()));

  return (
    <div data-slot="say">
      <Show when={nicks.matches().length > 0}>
        <ul role="listbox" id={listId} data-slot="nicks" aria-label={words().mentions} onMouseDown={(event) => event.preventDefault()}>
          <For each={nicks.matches()}>
            {(entry, index) => (
              <li role="option" id={`${listId}-${index()}`} aria-selected={nicks.at() === index()} onMouseMove={() => nicks.setAt(index())} onClick={() => nicks.accept(entry)}>
                <bdi>@{plain(entry.nick)}</bdi>
                <span data-slot="aside">{entry.member ? memberState(entry.member) : words().everybody}</span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <div data-slot="box" data-bad={tooLong() || error() !== "" || undefined}>
        <textarea
          ref={box}
          data-autofocus={props.focused ? "" : undefined}
          rows={1}
          dir="auto"
          aria-label={props.replyTo ? words().placeholderThread : words().to(roomName(props.room, me()))}
          aria-describedby={note() ? noteId : undefined}
          aria-invalid={tooLong() || undefined}
          aria-autocomplete="list"
          aria-controls={nicks.matches().length > 0 ? listId : undefined}
          aria-activedescendant={nicks.matches().length > 0 ? `${listId}-${nicks.at()}` : undefined}
          placeholder={props.replyTo ? words().placeholderThread : props.room.kind === "direct" ? words().placeholderDirect(roomName(props.room, me())) : words().placeholder(roomName(props.room, me()))}
          value={value()}
          onInput={(event) => {
            write(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
          }}
          onKeyDown={onKeyDown}
          onKeyUp={(event) => setCaret(event.currentTarget.selectionStart)}
          onClick={(event) => setCaret(event.currentTarget.selectionStart)}
        />
        <IconButton label={words().send} shortcut="Enter" variant="primary" disabled={!sendable()} onClick={() => void send()}>
          <Send size={16} />
        </IconButton>
      </div>
      <p id={noteId} data-slot={error() || tooLong() ? "invalid" : "aside"} role={error() ? "alert" : "status"} dir="auto">
        {note()}
      </p>
    </div>
  );
}
