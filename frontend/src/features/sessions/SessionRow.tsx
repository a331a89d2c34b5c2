import Ellipsis from "lucide-solid/icons/ellipsis";
import HeartPulse from "lucide-solid/icons/heart-pulse";
import MessageSquareText from "lucide-solid/icons/message-square-text";
import Pin from "lucide-solid/icons/pin";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Session } from "../../host/border.gen";
import { ago } from "../../lib/ago";
import { stateName } from "../../lib/names";
import { baseName, tilde } from "../../lib/path";
import { formatClock } from "../../lib/time";
import { useApp } from "../../store/context";
import { StateDot } from "../session/StateDot";
import { openMenuAt } from "./menu";
import type { SidebarModel } from "./model";
import { Rename } from "./Rename";
import type { Row } from "./rows";

/** The data type of a dragged session: its id. */
export const dragType = "application/x-parley-session";

type Props = { session: Session; row: Extract<Row, { kind: "session" }>; model: SidebarModel };

export function SessionRow(props: Props): JSX.Element {
  const { actions } = useApp();
  return (
    <Show when={props.model.renaming() === props.row.key} fallback={<Line {...props} />}>
      <div data-slot="session">
        <Rename
          label={text().sessions.title}
          placeholder={text().sessions.titleHint}
          value={props.session.title}
          onSave={(title) => void actions.rename(props.session.id, title)}
          onDone={(byKey) => props.model.endRenaming(byKey)}
        />
      </div>
    </Show>
  );
}

function Line(props: Props): JSX.Element {
  const { state, actions } = useApp();
  const title = () => props.session.title || text().common.newSession;
  const folder = () => {
    const workspace = state.workspaces[props.session.workspaceId];
    return workspace?.title || baseName(props.session.cwd);
  };
  const special = () => {
    if (props.session.openQuestions > 0 || props.session.state === "waiting") return "waiting";
    if (props.session.state === "failed") return "failed";
    if (props.session.retry) return "retrying";
    return props.session.interrupted ? "interrupted" : "";
  };
  const tooltip = () =>
    [
      title(),
      tilde(props.session.cwd, state.info?.home ?? ""),
      special() === "interrupted" ? text().sessions.cutOff : stateName(special() || props.session.state),
      props.session.heartbeat ? text().heartbeats.session.mark(props.session.heartbeat) : "",
      props.session.mirror?.began ? text().chat.mirror.mark(props.session.mirror.channel) : "",
      props.session.origin === "cli" ? text().sessions.fromTerminal : "",
      props.session.deletedAt > 0 ? text().sessions.deletedAt(formatClock(props.session.deletedAt)) : "",
    ]
      .filter((line) => line !== "")
      .join("\n");
  /** The second line: its folder, or its problem. */
  const second = () => {
    if (special() === "failed") return text().sessions.failed;
    if (special() === "retrying") return stateName("retrying");
    if (special() === "interrupted") return text().sessions.interrupted;
    if (props.session.state === "closed") return text().sessions.closed;
    return props.row.section === "group" ? "" : folder();
  };

  function onDragStart(event: DragEvent & { currentTarget: HTMLElement }): void {
    event.dataTransfer?.setData(dragType, props.session.id);
    event.dataTransfer?.setData("text/plain", title());
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "copyMove";
    // In some browsers, changing the page during dragstart cancels the drag.
    setTimeout(() => props.model.setDragging(props.session.id));
  }

  return (
    <div data-slot="session" data-special={special() || undefined}>
      <button
        type="button"
        data-slot="row"
        data-key={props.row.key}
        data-unread={(props.session.unread && props.session.deletedAt === 0) || undefined}
        data-shown={state.shown.includes(props.session.id) || undefined}
        aria-current={state.current === props.session.id ? "page" : undefined}
        tabindex={props.model.marked() === props.row.key ? 0 : -1}
        title={tooltip()}
        draggable={props.model.place() === "list"}
        onDragStart={onDragStart}
        onDragEnd={() => props.model.setDragging(null)}
        onFocus={() => props.model.setMarked(props.row.key)}
        onClick={() => actions.open(props.session.id)}
      >
        <StateDot session={props.session} />
        <span data-slot="title">{title()}</span>
        {/* There is room for one mark. */}
        <Show
          when={props.session.heartbeat}
          fallback={
            <Show
              when={props.session.mirror?.began && props.session.mirror}
              fallback={
                <Show when={props.session.pinned && props.row.section !== "pinned"}>
                  <Pin data-slot="pin" aria-label={text().sessions.pinned} />
                </Show>
              }
            >
              {(mirror) => <MessageSquareText data-slot="pin" role="img" aria-label={text().chat.mirror.mark(mirror().channel)} />}
            </Show>
          }
        >
          {(name) => <HeartPulse data-slot="pin" role="img" aria-label={text().heartbeats.session.mark(name())} />}
        </Show>
        <span data-slot="time">{ago(props.session.deletedAt || props.session.lastActivityAt, props.model.now())}</span>
        <Show when={second()}>
          <span data-slot="folder">{second()}</span>
        </Show>
      </button>
      <button
        type="button"
        data-slot="more"
        data-component="icon-button"
        data-variant="ghost"
        aria-label={text().common.more}
        title={text().common.more}
        tabindex="-1"
        onClick={(event) => openMenuAt(event.currentTarget)}
      >
        <Ellipsis />
      </button>
    </div>
  );
}
