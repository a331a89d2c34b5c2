import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { ago, createSlowClock } from "../../lib/ago";
import { placeOf, placeTab } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { createPane, type Pane, PaneProvider } from "../../store/pane";
import { StateDot } from "../session/StateDot";
import { Guard } from "./Guard";
import { TabBar } from "./TabBar";

/** One pane: its tabs, and the current session. */
export function PaneView(props: {
  index: number;
  /** Receives a function that focuses the pane's input. */
  onReady: (pane: Pane, enter: () => void) => void;
  /** The sessions whose crash mark was set by this page. */
  ours: Set<string>;
  /** Shows the sidebar; undefined if there is no button for it. */
  showSidebar: (() => void) | undefined;
  start: (bar: boolean) => JSX.Element;
}): JSX.Element {
  const { state, layout } = useApp();
  const focused = () => layout.state.focused === props.index;
  const place = () => layout.state.panes[props.index];
  const active = () => place()?.active ?? null;
  const places = createMemo(() => (place()?.tabs ?? []).flatMap((tab) => placeOf(tab) ?? []));
  const split = () => layout.state.panes.length > 1;
  const bar = createMemo(() => split() || (place()?.tabs.length ?? 0) > 0);
  let byKey = false;
  let root!: HTMLDivElement;
  const pane = createPane(focused);
  // A clicked element inside keeps the focus.
  props.onReady(pane, () => root.contains(document.activeElement) || (pane.box() ?? inSight(root) ?? root).focus());

  return (
    <div
      ref={root}
      data-slot="pane"
      data-pane={props.index}
      data-focused={focused() || undefined}
      role="group"
      aria-label={split() ? (props.index === 0 ? text().panes.leftSide : text().panes.rightSide) : undefined}
      tabindex="-1"
      onPointerDown={() => layout.focus(props.index)}
      onKeyDown={() => (byKey = true)}
      onKeyUp={() => (byKey = false)}
      // A composer takes the focus when it is rendered; that is not a user action.
      onFocusIn={(event) => {
        const from = event.relatedTarget;
        if (byKey || (from instanceof HTMLElement && from.matches('[data-slot="divider"]'))) layout.focus(props.index);
      }}
    >
      <Show when={bar()}>
        <TabBar index={props.index} showSidebar={props.showSidebar} />
      </Show>
      <For each={places()}>
        {(kind) => {
          const shown = () => active() === placeTab(kind);
          return (
            <div
              data-slot="panel"
              role="tabpanel"
              id={shown() ? `panel-${props.index}` : undefined}
              aria-labelledby={`tab-${placeTab(kind)}`}
              hidden={!shown()}
            >
              {layout.panel(kind)}
            </div>
          );
        }}
      </For>
      <PaneProvider value={pane}>
        <Switch>
          <Match when={placeOf(active())}>{""}</Match>
          <Match when={active()} keyed>
            {(sessionId) => (
              <div data-slot="panel" role={bar() ? "tabpanel" : undefined} id={`panel-${props.index}`} aria-labelledby={`tab-${sessionId}`}>
                <Show
                  when={state.sessions[sessionId]}
                  fallback={
                    <p data-slot="late" role="status">
                      {state.loaded ? text().panes.gone : text().panes.reading}
                    </p>
                  }
                >
                  <Guard sessionId={sessionId} ours={props.ours} />
                </Show>
              </div>
            )}
          </Match>
          <Match when={split()}>
            <Choose index={props.index} />
          </Match>
          <Match when={true}>{props.start(bar())}</Match>
        </Switch>
      </PaneProvider>
    </div>
  );
}

/** The element to focus in a pane. */
const inSight = (root: HTMLElement) =>
  ["[data-autofocus]", '[data-component="page"]'].flatMap((what) => [...root.querySelectorAll<HTMLElement>(what)]).find((element) => !element.closest("[hidden]"));

const mostOffered = 8;

/** A pane without a session: a choice of what to open. */
function Choose(props: { index: number }): JSX.Element {
  const { state, listing, layout, actions } = useApp();
  const now = createSlowClock(30_000);
  const offered = createMemo(() => {
    const other = layout.state.panes[1 - props.index]?.active;
    return listing.of("list").filter((entry) => entry.id !== other).slice(0, mostOffered);
  });
  const take = (id: string) => {
    layout.focus(props.index);
    if (layout.paneOf(id) >= 0) {
      layout.move(id, props.index, 0);
      void actions.read(id);
    } else actions.open(id);
  };
  return (
    <div data-component="choose-session">
      <h2>{text().panes.second}</h2>
      <p>{text().panes.secondAbout}</p>
      <ul role="list">
        <For each={offered()}>
          {(entry, at) => (
            <li>
              <button type="button" data-autofocus={at() === 0 || undefined} onClick={() => take(entry.id)}>
                <Show when={state.sessions[entry.id]}>{(session) => <StateDot session={session()} />}</Show>
                <span data-slot="title">{entry.title || text().common.newSession}</span>
                <span data-slot="time">{ago(entry.at, now())}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
