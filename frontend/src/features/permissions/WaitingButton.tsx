import Hand from "lucide-solid/icons/hand";
import { createMemo, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { allQuestions } from "../../store/state";
import "./waiting.css";

/** The number of pending requests, linked to all of them. Hidden while there are none. */
export function WaitingButton(): JSX.Element {
  const { state, layout } = useApp();
  const count = createMemo(() => allQuestions(state).length);
  return (
    <Show when={count() > 0}>
      <button type="button" data-component="waiting-button" onClick={() => layout.setOverlay({ kind: "waiting" })}>
        <Hand size={14} />
        <span>{text().permission.waiting.button(count())}</span>
      </button>
    </Show>
  );
}
