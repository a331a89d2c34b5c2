import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { rejectedContentOf } from "./rejected-content";
import "./repair-note.css";

/** Says that the API rejects a conversation because of something in it, and offers a fix. */
export function RepairNote(props: { sessionId: string }): JSX.Element {
  const { state, actions } = useApp();
  const [busy, setBusy] = createSignal(false);
  const poison = createMemo(() => rejectedContentOf(state, props.sessionId));
  const words = () => text().composer.repair;

  async function repair(): Promise<void> {
    const found = poison();
    const id = props.sessionId;
    if (!found || busy()) return;
    setBusy(true);
    try {
      await (found.before ? actions.fork(id, found.before) : actions.duplicate(id));
      // A failure is shown where all actions report theirs.
      if (state.current !== null && state.current !== id) actions.setDraftText(state.current, found.prompt);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Show when={poison()}>
      {(found) => (
        <section data-component="repair-note" role="status">
          <div>
            <h2>{words().title}</h2>
            <p>
              {found().kind === "image" ? words().image : words().empty} {words().how}
            </p>
          </div>
          <Button disabled={busy()} onClick={() => void repair()}>
            {busy() ? words().busy : words().action}
          </Button>
        </section>
      )}
    </Show>
  );
}
