import PanelLeft from "lucide-solid/icons/panel-left";
import Plus from "lucide-solid/icons/plus";
import { createMemo, For, type JSX, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { ago, createSlowClock } from "../../lib/ago";
import { stateName } from "../../lib/names";
import { baseName, tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { sortedSessions } from "../../store/state";
import { IconButton } from "../../ui/icon-button";
import { StateDot } from "./StateDot";
import "./sidebar.css";

export function Sidebar(props: {
  newShortcut: string;
  onNew: () => void;
  onHide: () => void;
  menu: JSX.Element;
}): JSX.Element {
  const { state } = useApp();
  const ids = createMemo(() => sortedSessions(state).map((s) => s.id));
  const now = createSlowClock(30_000);

  return (
    <nav data-component="sidebar" aria-label="Sessions">
      <header data-slot="header">
        <span data-slot="brand">Parley</span>
        <IconButton label="Hide sidebar" shortcut="Mod+B" onClick={() => props.onHide()}>
          <PanelLeft />
        </IconButton>
        <IconButton label="New session" shortcut={props.newShortcut} onClick={() => props.onNew()}>
          <Plus />
        </IconButton>
      </header>
      <Show
        when={ids().length > 0}
        fallback={
          <p data-slot="empty">
            {state.loaded ? "No sessions yet." : state.problem ? "The sessions could not be read." : "Reading sessions…"}
          </p>
        }
      >
        <ul data-slot="list" role="list">
          <For each={ids()}>
            {(id) => <Show when={state.sessions[id]}>{(session) => <Row session={session()} now={now()} />}</Show>}
          </For>
        </ul>
      </Show>
      <footer data-slot="footer">{props.menu}</footer>
    </nav>
  );
}

function Row(props: { session: Session; now: number }): JSX.Element {
  const { state, actions } = useApp();
  const home = () => state.info?.home ?? "";
  const title = () => props.session.title || "New session";
  const special = () => {
    if (props.session.openQuestions > 0 || props.session.state === "waiting") return "waiting";
    return props.session.state === "failed" ? "failed" : "";
  };
  return (
    <li>
      <button
        type="button"
        data-slot="row"
        data-state={special()}
        aria-current={state.current === props.session.id ? "page" : undefined}
        title={`${title()}\n${tilde(props.session.cwd, home())}`}
        onClick={() => actions.open(props.session.id)}
      >
        <StateDot session={props.session} />
        <span data-slot="title">{title()}</span>
        <span data-slot="time">{ago(props.session.lastActivityAt, props.now)}</span>
        <span data-slot="folder">
          {special() ? stateName(special()) : baseName(props.session.cwd)}
        </span>
      </button>
    </li>
  );
}
