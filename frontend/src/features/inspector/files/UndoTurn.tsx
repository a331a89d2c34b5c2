import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { unwrap } from "solid-js/store";
import { text } from "../../../i18n";
import { toolKind } from "../../../lib/tools";
import { useApp } from "../../../store/context";
import type { Conversation } from "../../../store/state";
import { editsFiles } from "./model";
import { UndoDialog } from "./UndoDialog";
import "./undo-turn.css";

/** Offers to undo the file changes of the turn that ends with a message; renders nothing if its tools changed none. */
export function UndoTurn(props: { sessionId: string; messageId: string }): JSX.Element {
  const { state } = useApp();
  const [open, setOpen] = createSignal(false);
  const conversation = () => state.conversations[props.sessionId];
  const turn = createMemo(() => {
    const talk = conversation();
    return talk ? turnThatChanged(talk, props.messageId) : null;
  });
  return (
    <Show when={turn()}>
      {(found) => (
        <>
          <button type="button" data-component="undo-turn" onClick={() => setOpen(true)}>
            {text().inspector.undo.short}
          </button>
          <UndoDialog
            sessionId={props.sessionId}
            target={open() ? { turnId: found().id, last: found().last } : null}
            onClose={() => setOpen(false)}
          />
        </>
      )}
    </Show>
  );
}

/**
 * The prompt of a message's turn, if tools of that turn changed files. It tracks the messages of that turn, and of all
 * others only their number: each visible turn calls it, and the list of ids may be long.
 */
export function turnThatChanged(talk: Conversation, messageId: string): { id: string; last: boolean } | null {
  const count = talk.order.length;
  const order = unwrap(talk.order);
  const isPrompt = (id: string | undefined) => id !== undefined && talk.messages[id]?.role === "user";
  let changed = false;
  const at = order.lastIndexOf(messageId);
  for (let i = at; i >= 0; i--) {
    const id = order[i] ?? "";
    const message = talk.messages[id];
    if (!message) continue;
    if (message.role === "user" && !message.synthetic) {
      if (!changed) return null;
      let next = at + 1;
      while (next < count && !isPrompt(order[next])) next++;
      return { id, last: next === count };
    }
    changed ||= edited(talk, message.blockIds);
  }
  return null;
}

function edited(talk: Conversation, blockIds: readonly string[]): boolean {
  return blockIds.some((id) => {
    const tool = talk.blocks[id]?.tool;
    if (!tool) return false;
    if (tool.state === "done" && editsFiles(toolKind(tool.name))) return true;
    return (talk.nested[tool.toolUseId] ?? []).some((message) => edited(talk, talk.messages[message]?.blockIds ?? []));
  });
}
