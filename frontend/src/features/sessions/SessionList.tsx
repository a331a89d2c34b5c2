import { ContextMenu } from "@kobalte/core/context-menu";
import HeartPulse from "lucide-solid/icons/heart-pulse";
import { createEffect, createMemo, createSignal, type JSX, Match, on, onMount, Show, Switch } from "solid-js";
import { Virtualizer, type VirtualizerHandle } from "virtua/solid";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { SteadyRow, SteadyRows } from "../../ui/steady-rows";
import { GroupRow } from "./GroupRow";
import { createListKeys } from "./keys";
import type { SidebarModel } from "./model";
import { SessionMenu, WorkspaceMenu } from "./RowMenu";
import type { Row } from "./rows";
import { dragType, SessionRow } from "./SessionRow";

interface Props {
  model: SidebarModel;
  onNewHere: (path: string) => void;
  onDefaults: (workspaceId: string) => void;
}

/** The virtual list of rows, with one shared menu. */
export function SessionList(props: Props): JSX.Element {
  const app = useApp();
  const { state } = app;
  const { model } = props;
  const [target, setTarget] = createSignal<Row | null>(null);
  let box!: HTMLElement;
  let virtual: VirtualizerHandle | undefined;
  let afterMenu: (() => void) | null = null;

  // A row's elements survive as long as its key, with their focus or rename field.
  const keys = createMemo(() => model.rows().map((row) => row.key));

  /** The focused row stays rendered, however far away it is scrolled. */
  const kept = createMemo(() => {
    const at = model.indexOf(model.marked() || (model.rows()[0]?.key ?? ""));
    return at < 0 ? [] : [at];
  });

  function rowAt(element: EventTarget | null): Row | null {
    if (!(element instanceof HTMLElement)) return null;
    const line = element.closest('[data-slot="session"], [data-slot="group"]');
    const key = line?.querySelector<HTMLElement>("[data-key]")?.dataset["key"] ?? "";
    return model.rowOf(key) ?? null;
  }

  function focusMarked(): void {
    const key = model.marked();
    const at = model.indexOf(key);
    if (at < 0) return;
    virtual?.scrollToIndex(at, { align: "nearest" });
    for (const row of box.querySelectorAll<HTMLElement>("[data-key]")) {
      if (row.dataset["key"] === key) row.focus({ preventScroll: true });
    }
  }
  onMount(() => model.onFocusMarked(focusMarked));

  // Scrolls the current session into view once per navigation, not when the list changes.
  let revealed: string | null = null;
  createEffect(
    on([() => state.current, model.rows], ([current, rows]) => {
      if (current === revealed) return;
      const row = rows.findIndex((row) => row.kind === "session" && row.id === current);
      if (row < 0 && current !== null) return;
      revealed = current;
      if (row >= 0) queueMicrotask(() => virtual?.scrollToIndex(row, { align: "nearest" }));
    }),
  );

  // When the focused row moves, the focus moves with it; when it is removed, the focus goes to the row that takes its
  // place.
  let focused = false;
  let at = -1;
  createEffect(
    on([model.rows, model.marked], ([rows, key]) => {
      if (model.indexOf(key) >= 0 || key === "") {
        at = model.indexOf(key);
        return;
      }
      const id = key.slice(key.lastIndexOf(":") + 1);
      const moved = rows.find((row) => row.kind === "session" && row.id === id);
      const next = moved ?? rows.slice(Math.max(0, at)).find((row) => row.kind !== "heading") ?? model.step("", -1);
      if (next) model.setMarked(next.key);
      if (focused) queueMicrotask(focusMarked);
    }),
  );

  function onFocusOut(event: FocusEvent & { target: Element }): void {
    const { target, relatedTarget } = event;
    if (relatedTarget instanceof Node && box.contains(relatedTarget)) return;
    // Removing a row loses the focus within the list only.
    queueMicrotask(() => {
      if (target.isConnected && !box.contains(document.activeElement)) focused = false;
    });
  }

  const onKeyDown = createListKeys(app, model, focusMarked);

  function onContextMenu(event: MouseEvent): void {
    const row = rowAt(event.target);
    setTarget(row);
    if (row?.kind === "session" || (row?.kind === "group" && state.workspaces[row.group])) {
      model.setMarked(row.key);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function onCloseMenu(event: Event): void {
    event.preventDefault();
    const act = afterMenu;
    afterMenu = null;
    focusMarked();
    act?.();
  }

  return (
    <ContextMenu>
      <ContextMenu.Trigger as="div" data-slot="rows">
        <div
          ref={(el) => (box = el)}
          data-slot="list"
          // Tab reaches the list itself while no row is marked.
          tabindex={model.indexOf(model.marked()) < 0 ? 0 : -1}
          onFocusIn={() => (focused = true)}
          onFocusOut={onFocusOut}
          onFocus={(event) => {
            if (event.target !== event.currentTarget) return;
            const first = model.step("", 1);
            if (first) model.setMarked(first.key);
            focusMarked();
          }}
          onKeyDown={onKeyDown}
          onContextMenu={onContextMenu}
        >
          <Virtualizer
            ref={(handle) => (virtual = handle)}
            as={SteadyRows}
            item={SteadyRow}
            data={keys()}
            keepMounted={kept()}
            itemSize={32}
          >
            {(key) => <RowView rowKey={key} model={model} onNewHere={props.onNewHere} />}
          </Virtualizer>
        </div>
        <Show when={model.dragging()}>{(id) => <DropPlace model={model} sessionId={id()} />}</Show>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content data-component="menu" data-wide onCloseAutoFocus={onCloseMenu}>
          <Switch>
            <Match when={sessionOf(target())}>
              {(found) => (
                <SessionMenu
                  session={found().session}
                  row={found().row}
                  model={model}
                  after={(act) => (afterMenu = act)}
                  onNewLike={(cwd) => props.onNewHere(cwd)}
                />
              )}
            </Match>
            <Match when={workspaceOf(target())}>
              {(found) => (
                <WorkspaceMenu
                  workspace={found().workspace}
                  row={found().row}
                  model={model}
                  after={(act) => (afterMenu = act)}
                  onNewHere={props.onNewHere}
                  onDefaults={props.onDefaults}
                />
              )}
            </Match>
          </Switch>
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu>
  );

  function sessionOf(row: Row | null) {
    const session = row?.kind === "session" ? state.sessions[row.id] : undefined;
    return row && session ? { row, session } : null;
  }

  function workspaceOf(row: Row | null) {
    const workspace = row?.kind === "group" ? state.workspaces[row.group] : undefined;
    return row && workspace ? { row, workspace } : null;
  }
}

function RowView(props: { rowKey: string; model: SidebarModel; onNewHere: (path: string) => void }): JSX.Element {
  const { state } = useApp();
  const { model } = props;
  // A removed row keeps its content until it is unmounted.
  const row = createMemo<Row | undefined>((last) => model.rowOf(props.rowKey) ?? last);
  const of = <K extends Row["kind"]>(kind: K) => {
    const found = row();
    return found?.kind === kind ? (found as Extract<Row, { kind: K }>) : null;
  };
  const session = () => {
    const found = of("session");
    const record = found ? state.sessions[found.id] : undefined;
    return found && record ? { row: found, session: record } : null;
  };
  const lastSession = stable(session);
  return (
    <Switch>
      <Match when={session()}>
        <SessionRow session={lastSession().session} row={lastSession().row} model={model} />
      </Match>
      <Match when={of("group")}>{(found) => <GroupRow row={found()} model={model} onNewHere={props.onNewHere} />}</Match>
      <Match when={of("heading")}>
        {(found) => (
          <h2 data-slot="heading" data-section={found().section}>
            {found().title}
          </h2>
        )}
      </Match>
      <Match when={of("more")}>
        {(found) => (
          <div data-slot="group">
            <button
              type="button"
              data-slot="rest"
              data-key={found().key}
              tabindex={model.marked() === found().key ? 0 : -1}
              onFocus={() => model.setMarked(found().key)}
              onClick={() => model.showWhole(found().group)}
            >
              {text().sessions.moreRows(found().hidden)}
            </button>
          </div>
        )}
      </Match>
      <Match when={of("quiet")}>
        {(found) => (
          <div data-slot="group">
            <button
              type="button"
              data-slot="rest"
              data-key={found().key}
              aria-expanded={found().open}
              tabindex={model.marked() === found().key ? 0 : -1}
              onFocus={() => model.setMarked(found().key)}
              onClick={() => model.hush(found().group)}
            >
              <HeartPulse aria-hidden="true" />
              {text().heartbeats.session.quiet(found().count)}
            </button>
          </div>
        )}
      </Match>
    </Switch>
  );
}

/** Covers the top of the list while a session is dragged, so that it can be pinned at any scroll position. */
function DropPlace(props: { model: SidebarModel; sessionId: string }): JSX.Element {
  const { state, actions } = useApp();
  const [over, setOver] = createSignal(false);
  const pinned = () => state.sessions[props.sessionId]?.pinned ?? false;
  return (
    <div
      data-slot="drop"
      data-over={over() || undefined}
      onDragEnter={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        const id = event.dataTransfer?.getData(dragType) || props.sessionId;
        props.model.setDragging(null);
        void actions.pin(id, !pinned());
      }}
    >
      {pinned() ? text().sessions.dropToUnpin : text().sessions.dropToPin}
    </div>
  );
}
