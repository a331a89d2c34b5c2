import ChevronDown from "lucide-solid/icons/chevron-down";
import Ellipsis from "lucide-solid/icons/ellipsis";
import GitBranch from "lucide-solid/icons/git-branch";
import Pin from "lucide-solid/icons/pin";
import Plus from "lucide-solid/icons/plus";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { openMenuAt } from "./menu";
import type { SidebarModel } from "./model";
import { Rename } from "./Rename";
import type { Row } from "./rows";

type Props = { row: Extract<Row, { kind: "group" }>; model: SidebarModel; onNewHere: (path: string) => void };

/** A workspace's header: its name and branch, and its menu. */
export function GroupRow(props: Props): JSX.Element {
  const { state, actions } = useApp();
  return (
    <Show when={props.model.renaming() === props.row.key} fallback={<Line {...props} />}>
      <div data-slot="group">
        <Rename
          label={text().sessions.workspaceName}
          placeholder={props.row.title}
          value={state.workspaces[props.row.group]?.name ?? ""}
          onSave={(name) => void actions.renameWorkspace(props.row.group, name)}
          onDone={(byKey) => props.model.endRenaming(byKey)}
        />
      </div>
    </Show>
  );
}

function Line(props: Props): JSX.Element {
  const { state } = useApp();
  const workspace = () => state.workspaces[props.row.group];
  const trouble = () => {
    const folder = workspace()?.folder;
    return folder === "gone" ? text().sessions.folderGone : folder === "denied" ? text().sessions.folderDenied : "";
  };
  const branch = () => {
    const name = workspace()?.branch ?? "";
    if (name === "") return "";
    return workspace()?.worktree ? text().sessions.worktree(name) : text().sessions.branch(name);
  };
  const tooltip = () =>
    [
      tilde(workspace()?.path ?? "", state.info?.home ?? ""),
      trouble(),
      branch(),
      text().sessions.count(props.row.count),
    ]
      .filter((line) => line !== "")
      .join("\n");

  return (
    <div data-slot="group" data-trouble={trouble() ? "" : undefined}>
      <button
        type="button"
        data-slot="row"
        data-key={props.row.key}
        aria-expanded={props.row.open}
        tabindex={props.model.marked() === props.row.key ? 0 : -1}
        title={tooltip()}
        onFocus={() => props.model.setMarked(props.row.key)}
        onClick={() => props.model.fold(props.row.group)}
      >
        <ChevronDown data-slot="chevron" />
        <span data-slot="title">{props.row.title}</span>
        <Show when={workspace()?.pinned}>
          <Pin data-slot="pin" aria-label={text().sessions.pinned} />
        </Show>
        <Show when={trouble()} fallback={
          <Show when={workspace()?.branch}>
            <span data-slot="branch">
              <GitBranch />
              <span>{workspace()?.branch}</span>
            </span>
          </Show>
        }>
          <span data-slot="branch">{text().sessions.folderGoneShort}</span>
        </Show>
        <span data-slot="count">{props.row.open ? "" : props.row.count}</span>
      </button>
      <Show when={workspace()}>
        {(found) => (
          <span data-slot="buttons">
            <IconButton label={text().sessions.newIn(props.row.title)} tabindex="-1" onClick={() => props.onNewHere(found().path)}>
              <Plus />
            </IconButton>
            <button
              type="button"
              data-component="icon-button"
              data-variant="ghost"
              aria-label={text().common.more}
              title={text().common.more}
              tabindex="-1"
              onClick={(event) => openMenuAt(event.currentTarget)}
            >
              <Ellipsis />
            </button>
          </span>
        )}
      </Show>
    </div>
  );
}
