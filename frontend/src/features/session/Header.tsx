import PanelRight from "lucide-solid/icons/panel-right";
import { type JSX, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { MirrorChip } from "../mattermost/MirrorChip";
import type { InspectorLayout } from "../inspector/layout";
import { Meter } from "../meter/Meter";
import "./header.css";

export function Header(props: { session: Session; inspector: InspectorLayout }): JSX.Element {
  const { state } = useApp();
  const title = () => props.session.title || text().common.newSession;
  const folder = () => tilde(props.session.cwd, state.info?.home ?? "");
  return (
    <header data-component="session-header">
      <h1 data-slot="title" title={`${title()}\n${folder()}`}>{title()}</h1>
      <span data-slot="folder" title={props.session.cwd}>
        <bdi>{folder()}</bdi>
      </span>
      <Show when={props.session.rehearsal}>
        <span data-slot="badge" title={text().sessions.scriptedAbout}>
          {text().sessions.scripted}
        </span>
      </Show>
      <Show when={props.session.profile}>
        <span data-slot="badge" title={text().sessions.profileAbout}>
          {text().sessions.profile}
        </span>
      </Show>
      <MirrorChip session={props.session} />
      <Meter sessionId={props.session.id} />
      <IconButton
        ref={(el) => props.inspector.button(el)}
        data-slot="inspector-toggle"
        label={props.inspector.shown() ? text().inspector.hide : text().inspector.show}
        shortcut="Mod+Shift+B"
        aria-expanded={props.inspector.shown()}
        onClick={() => props.inspector.toggle()}
      >
        <PanelRight />
      </IconButton>
    </header>
  );
}
