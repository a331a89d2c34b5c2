import MessageSquareText from "lucide-solid/icons/message-square-text";
import { type JSX, Show } from "solid-js";
import type { Mirror, Session } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { isSetUp } from "./config";
import "./mirror.css";

/** Where a session is mirrored, and a button to change that. */
export function MirrorChip(props: { session: Session }): JSX.Element {
  const { state, layout } = useApp();
  const open = () => layout.setOverlay({ kind: "mirror", sessionId: props.session.id });
  const offered = () => state.chat !== null && isSetUp(state.chat.config) && !props.session.rehearsal;
  return (
    <Show
      when={props.session.mirror}
      fallback={
        <Show when={offered()}>
          <IconButton label={text().chat.mirror.menu} onClick={open}>
            <MessageSquareText />
          </IconButton>
        </Show>
      }
    >
      {(mirror) => (
        <button
          type="button"
          data-component="mirror-chip"
          data-state={mirror().problem ? "problem" : mirror().on ? "on" : "paused"}
          aria-label={mirrorWords(mirror())}
          title={mirrorWords(mirror())}
          onClick={open}
        >
          <MessageSquareText size={13} aria-hidden="true" />
          <bdi data-slot="name">
            <ExactText text={mirror().channel} />
          </bdi>
        </button>
      )}
    </Show>
  );
}

/** The state of a session's thread. */
function mirrorWords(mirror: Mirror): string {
  const words = text().chat.mirror;
  if (mirror.problem) return words.chipProblem(mirror.channel, mirror.problem);
  return mirror.on ? words.chip(mirror.channel) : words.chipPaused(mirror.channel);
}
