import { createEffect, createMemo, createSignal, ErrorBoundary, type JSX, Match, on, onCleanup, Show, Switch, untrack } from "solid-js";
import { useApp } from "../../store/context";
import { SessionPane } from "../session/SessionPane";
import { afterPaint, createTrouble, type Trouble } from "./trouble";
import { TroublePage } from "./TroublePage";

type Mode = "usual" | "safe";

/** Shows a session, or a fallback if that fails or failed the last time. */
export function Guard(props: { sessionId: string; ours: Set<string> }): JSX.Element {
  const { state, layout } = useApp();
  // A page that is rendering the session right now, or closing, has also set the mark, and soon clears it.
  const suspect = createMemo(
    (before: boolean) => before && !!state.sessions[props.sessionId]?.trouble,
    untrack(() => !props.ours.has(props.sessionId)),
  );
  const [chosen, setMode] = createSignal<Mode | null>(null);
  const mode = () => chosen() ?? (suspect() ? "ask" : state.info?.safeMode ? "safe" : "usual");
  const close = () => layout.close(props.sessionId);

  return (
    <ErrorBoundary
      fallback={(error: unknown, reset) => (
        <TroublePage detail={detailOf(error)} onUsual={reset} onClose={close} />
      )}
    >
      <Switch>
        <Match when={mode() === "ask"}>
          <TroublePage
            onSafe={() => setMode("safe")}
            onUsual={() => setMode("usual")}
            onClose={close}
          />
        </Match>
        <Match when={mode() === "safe"}>
          <Show when={state.sessions[props.sessionId]}>
            {(session) => <SessionPane session={session()} view="safe" onUsual={() => setMode("usual")} />}
          </Show>
        </Match>
        <Match when={mode() === "usual"}>
          <Watched sessionId={props.sessionId} ours={props.ours} onSafe={() => setMode("safe")} onClose={close} />
        </Match>
      </Switch>
    </ErrorBoundary>
  );
}

function Watched(props: {
  sessionId: string;
  ours: Set<string>;
  onSafe: () => void;
  onClose: () => void;
}): JSX.Element {
  const { state, host, actions } = useApp();
  const trouble: Trouble = untrack(() => createTrouble(host, props.sessionId, props.ours));
  const [noted, setNoted] = createSignal(false);
  void trouble.noted.then(() => setNoted(true));
  void actions.read(untrack(() => props.sessionId));

  // It survived once it was loaded, rendered and painted, or if there was nothing to render.
  const drawn = () => {
    const load = state.conversations[props.sessionId]?.load;
    return noted() && (load === "ready" || load === "failed");
  };
  createEffect(
    on(drawn, (is) => {
      if (is) onCleanup(afterPaint(trouble.survived));
    }),
  );

  return (
    <ErrorBoundary
      fallback={(error: unknown, reset) => {
        trouble.crashed();
        return <TroublePage detail={detailOf(error)} onSafe={props.onSafe} onUsual={reset} onClose={props.onClose} />;
      }}
    >
      <Show when={state.sessions[props.sessionId]}>
        {(session) => <SessionPane session={session()} view={noted() ? "usual" : "waiting"} />}
      </Show>
    </ErrorBoundary>
  );
}

function detailOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
