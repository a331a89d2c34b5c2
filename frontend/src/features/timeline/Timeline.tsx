import { createEffect, createMemo, type JSX, Match, on, Show, Switch, untrack } from "solid-js";
import { text as words } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { isBusy } from "../../store/state";
import { Button } from "../../ui/button";
import { newest } from "./Announcer";
import { Messages } from "./Messages";
import "./timeline.css";

/** The conversation of a session. */
export function Timeline(props: { sessionId: string }): JSX.Element {
  return (
    <Show when={props.sessionId} keyed>
      {(sessionId) => <Conversations sessionId={sessionId} />}
    </Show>
  );
}

function Conversations(props: { sessionId: string }): JSX.Element {
  const { state, actions } = useApp();
  const conversation = () => state.conversations[props.sessionId];
  const jump = () => state.jumps[props.sessionId];
  /** A page loaded by a jump: it is far from the newest messages. */
  const far = createMemo(() => jump()?.page ?? null);

  // A conversation that doesn't run here may still grow: a terminal may be writing it.
  const size = () => {
    const session = state.sessions[props.sessionId];
    if (!session || session.pid > 0 || isBusy(session)) return "";
    return `${session.bytes} ${session.messages} ${session.lastActivityAt}`;
  };
  createEffect(
    on(size, (now, before) => {
      if (now && before && now !== before) actions.refresh(props.sessionId);
      return now;
    }),
  );
  // Scrolls to a prompt the user sends, wherever they are.
  const lastPrompt = createMemo(() => {
    const found = conversation();
    return found && newest(found, (message) => message.promptId);
  });
  createEffect(
    on(lastPrompt, (now, before) => {
      if (now && before && now !== before && far()) actions.leaveJump(props.sessionId);
    }),
  );

  // Merges the jump's page with the newest messages as soon as they meet.
  createEffect(() => {
    if (far() && !jump()?.busy && conversation()?.load === "ready") untrack(() => void actions.bridge(props.sessionId));
  });

  /** One list for both, so that the view does not move when they merge. */
  const shown = createMemo(() => far() ?? (conversation()?.load === "ready" ? conversation() : undefined));
  const lastShown = stable(shown);
  const comingBack = () => jump()?.quiet && jump()?.busy;
  return (
    <>
      <Show when={!jump()?.quiet && (jump()?.busy || jump()?.error)}>
        <div data-component="jump-line" role="status">
          <Show when={jump()?.error} fallback={<p data-slot="late">{words().timeline.looking}</p>}>
            {(error) => <p>{words().timeline.notShown(error())}</p>}
          </Show>
          <Show when={jump()?.error}>
            <Button size="small" variant="ghost" onClick={() => actions.leaveJump(props.sessionId)}>
              {words().timeline.dismiss}
            </Button>
          </Show>
        </div>
      </Show>
      <Switch>
        <Match when={shown() && !comingBack()}>
          <Messages sessionId={props.sessionId} conversation={lastShown()} far={far() !== null} />
        </Match>
        <Match when={conversation()?.load === "failed"}>
          <div data-component="timeline-blank">
            <h2>{words().timeline.notRead}</h2>
            <p>{conversation()?.error}</p>
            <Button onClick={() => void actions.reload(props.sessionId)}>{words().timeline.tryAgain}</Button>
          </div>
        </Match>
        <Match when={true}>
          <div data-component="timeline-blank" role="status">
            <p data-slot="late">{words().timeline.reading}</p>
          </div>
        </Match>
      </Switch>
    </>
  );
}
