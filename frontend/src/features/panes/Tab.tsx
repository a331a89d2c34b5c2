import { ContextMenu } from "@kobalte/core/context-menu";
import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Session } from "../../host/border.gen";
import { stateName } from "../../lib/names";
import { placeOf } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { Kbd } from "../../ui/kbd";
import { StateDot } from "../session/StateDot";
import { useTabDrag } from "./drag-context";
import { closeKeys } from "./keys";
import { placeName } from "./place";
import "../../ui/menu.css";

export function tabName(session: Session | undefined): string {
  return session ? session.title || text().common.newSession : "…";
}

/** The tab of a session or a place. */
export function Tab(props: {
  sessionId: string;
  pane: number;
  active: boolean;
  /** The side on which a dragged tab would be dropped. */
  marked: "" | "before" | "after";
  tabindex: number;
}): JSX.Element {
  const { state, layout, host, actions } = useApp();
  const drag = useTabDrag();
  const session = () => state.sessions[props.sessionId];
  const place = () => placeOf(props.sessionId);
  const name = () => {
    const kind = place();
    if (kind !== null) return placeName(kind);
    return !session() && state.loaded ? text().panes.notFound : tabName(session());
  };
  const waiting = () => (session()?.openQuestions ?? 0) > 0 || session()?.state === "waiting";
  const unread = () => !props.active && session()?.unread === true;
  /** No dot for idle and closed sessions. */
  const dot = () => waiting() || !["idle", "closed"].includes(session()?.state ?? "idle");
  const spoken = () => {
    const what = waiting() ? stateName("waiting") : dot() ? stateName(session()?.state ?? "") : unread() ? text().panes.notRead : "";
    return what ? `${name()}, ${what}` : name();
  };
  const close = () => layout.close(props.sessionId);
  const show = () => {
    const kind = place();
    if (kind === null) actions.open(props.sessionId);
    else layout.go({ kind });
  };

  return (
    <ContextMenu>
      <ContextMenu.Trigger
        as="div"
        data-slot="tab"
        data-tab={props.sessionId}
        data-active={props.active || undefined}
        data-unread={unread() || undefined}
        data-dragged={drag.dragged() === props.sessionId || undefined}
        data-mark={props.marked || undefined}
        role="presentation"
        onPointerDown={(event: PointerEvent) => {
          if (event.target instanceof Element && event.target.closest('[data-slot="close"]')) return;
          // The middle button would start autoscroll.
          if (event.button === 1) event.preventDefault();
          drag.start(event, props.sessionId);
        }}
        onAuxClick={(event: MouseEvent) => {
          if (event.button === 1) close();
        }}
      >
        <button
          type="button"
          role="tab"
          id={`tab-${props.sessionId}`}
          aria-selected={props.active}
          aria-controls={props.active ? `panel-${props.pane}` : undefined}
          aria-label={spoken()}
          title={session() ? `${name()}\n${session()?.cwd}` : undefined}
          tabindex={props.tabindex}
          onClick={() => show()}
        >
          <Show when={dot()} fallback={<Show when={unread()}><span data-slot="unread" aria-hidden="true" /></Show>}>
            <Show when={session()}>{(found) => <StateDot session={found()} />}</Show>
          </Show>
          <span data-slot="name">{name()}</span>
        </button>
        <button type="button" data-slot="close" aria-label={text().panes.closeNamed(name())} title={text().panes.closeAbout} tabindex="-1" onClick={close}>
          <X size={14} />
        </button>
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content data-component="menu" data-wide>
          <Item keys={closeKeys(host.kind)} onSelect={close}>
            {text().panes.closeTab}
          </Item>
          <Item onSelect={() => layout.closeOthers(props.sessionId)}>{text().panes.closeOthers}</Item>
          <Item onSelect={() => layout.openBeside(props.sessionId)}>
            {layout.state.panes.length > 1 ? text().panes.toOther : text().panes.toSecond}
          </Item>
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu>
  );
}

function Item(props: { keys?: string; children: JSX.Element; onSelect: () => void }): JSX.Element {
  return (
    <ContextMenu.Item data-slot="item" onSelect={() => props.onSelect()}>
      <ContextMenu.ItemLabel data-slot="text">{props.children}</ContextMenu.ItemLabel>
      <Show when={props.keys}>{(keys) => <Kbd keys={keys()} />}</Show>
    </ContextMenu.Item>
  );
}
