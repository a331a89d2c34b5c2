import PanelLeft from "lucide-solid/icons/panel-left";
import { type JSX, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { modelName } from "../../lib/names";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { Meter } from "../meter/Meter";
import "./header.css";

export function Header(props: { session: Session; sidebarHidden: boolean; onShowSidebar: () => void }): JSX.Element {
  const { state } = useApp();
  const folder = () => tilde(props.session.cwd, state.info?.home ?? "");
  return (
    <header data-component="session-header">
      <Show when={props.sidebarHidden}>
        <IconButton label="Show sidebar" shortcut="Mod+B" onClick={() => props.onShowSidebar()}>
          <PanelLeft />
        </IconButton>
      </Show>
      <h1 data-slot="title" title={`${props.session.title || "New session"}\n${folder()}`}>{props.session.title || "New session"}</h1>
      <span data-slot="folder" title={props.session.cwd}>
        <bdi>{folder()}</bdi>
      </span>
      <Show when={props.session.rehearsal}>
        <span data-slot="badge" title="A scripted model answers. Nothing is sent to anyone.">
          Rehearsal
        </span>
      </Show>
      <span data-slot="model" title={props.session.model || "The CLI chooses the model"}>
        {modelName(props.session.model)}
      </span>
      <Meter sessionId={props.session.id} />
    </header>
  );
}
