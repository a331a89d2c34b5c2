import { ContextMenu } from "@kobalte/core/context-menu";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Session, Workspace } from "../../host/border.gen";
import { useApp } from "../../store/context";
import { Kbd } from "../../ui/kbd";
import "../../ui/menu.css";
import { abilitiesOf } from "./allowed-actions";
import type { SidebarModel } from "./model";
import type { Row } from "./rows";

interface MenuProps {
  model: SidebarModel;
  /** Runs an action once the menu has closed, so that they don't compete for the focus. */
  after: (act: () => void) => void;
}

function Item(props: { keys?: string; disabled?: boolean; why?: string; hint?: string; onSelect: () => void; children: JSX.Element }): JSX.Element {
  return (
    <ContextMenu.Item data-slot="item" title={props.hint} disabled={props.disabled} onSelect={props.onSelect}>
      <ContextMenu.ItemLabel data-slot="text">{props.children}</ContextMenu.ItemLabel>
      <Show when={props.keys}>{(keys) => <Kbd keys={keys()} />}</Show>
      <Show when={props.disabled && props.why}>
        <ContextMenu.ItemDescription data-slot="about">{props.why}</ContextMenu.ItemDescription>
      </Show>
    </ContextMenu.Item>
  );
}

const Line = () => <ContextMenu.Separator data-slot="separator" />;

export function SessionMenu(props: MenuProps & { session: Session; row: Row; onNewLike: (cwd: string) => void }): JSX.Element {
  const { layout, actions } = useApp();
  const id = () => props.session.id;
  const can = () => abilitiesOf(props.session);
  return (
    <Show when={props.session.deletedAt === 0} fallback={<TrashMenu {...props} />}>
      <Item keys="Enter" onSelect={() => actions.open(id())}>
        {text().sessions.menu.open}
      </Item>
      <Item keys="Mod+Enter" onSelect={() => layout.openBeside(id())}>
        {text().sessions.menu.openBeside}
      </Item>
      <Line />
      <Item keys="F2" onSelect={() => props.after(() => props.model.setRenaming(props.row.key))}>
        {text().sessions.menu.rename}
      </Item>
      <Show when={props.session.archivedAt === 0}>
        <Item keys="P" onSelect={() => void actions.pin(id(), !props.session.pinned)}>
          {props.session.pinned ? text().sessions.menu.unpin : text().sessions.menu.pin}
        </Item>
      </Show>
      <Line />
      <Item hint={text().sessions.menu.forkHint} onSelect={() => void actions.fork(id())}>
        {text().sessions.menu.fork}
      </Item>
      <Item hint={text().sessions.menu.duplicateHint} onSelect={() => void actions.duplicate(id())}>
        {text().sessions.menu.duplicate}
      </Item>
      <Item onSelect={() => props.onNewLike(props.session.cwd)}>{text().sessions.menu.newLike}</Item>
      <Show when={!props.session.rehearsal}>
        <Item onSelect={() => props.after(() => layout.setOverlay({ kind: "mirror", sessionId: id() }))}>
          {props.session.mirror ? text().chat.mirror.menuOn : text().chat.mirror.menu}
        </Item>
      </Show>
      <Item
        disabled={!can().fresh}
        hint={text().sessions.menu.freshHint}
        why={can().busy ? text().sessions.menu.busy : text().sessions.menu.nothingToLeave}
        onSelect={() => props.after(() => props.model.setQuestion({ kind: "fresh", sessionId: id() }))}
      >
        {text().sessions.menu.fresh}
      </Item>
      <Line />
      <Show when={can().reopen}>
        <Item onSelect={() => void actions.reopen(id())}>{text().sessions.menu.reopen}</Item>
      </Show>
      <Show when={can().suspend}>
        <Item hint={text().sessions.menu.suspendHint} onSelect={() => void actions.suspend(id())}>
          {text().sessions.menu.suspend}
        </Item>
      </Show>
      <Show when={can().close}>
        <Item hint={text().sessions.menu.closeHint} onSelect={() => void actions.closeSession(id())}>
          {text().sessions.menu.close}
        </Item>
      </Show>
      <Show
        when={props.session.archivedAt === 0}
        fallback={<Item onSelect={() => void actions.unarchive(id())}>{text().sessions.menu.unarchive}</Item>}
      >
        <Item keys="A" hint={text().sessions.menu.archiveHint} disabled={can().busy} why={text().sessions.menu.busy} onSelect={() => void actions.archive(id())}>
          {text().sessions.menu.archive}
        </Item>
      </Show>
      <Item keys="Del" onSelect={() => props.after(() => props.model.setQuestion({ kind: "delete", sessionId: id() }))}>
        {text().sessions.menu.delete}
      </Item>
    </Show>
  );
}

function TrashMenu(props: MenuProps & { session: Session }): JSX.Element {
  const { actions } = useApp();
  const id = () => props.session.id;
  return (
    <>
      <Item onSelect={() => actions.open(id())}>{text().sessions.menu.look}</Item>
      <Item onSelect={() => void actions.restore(id())}>{text().sessions.menu.restore}</Item>
      <Line />
      <Item onSelect={() => props.after(() => props.model.setQuestion({ kind: "purge", sessionId: id() }))}>
        {text().sessions.menu.purge}
      </Item>
    </>
  );
}

export function WorkspaceMenu(
  props: MenuProps & { workspace: Workspace; row: Row; onNewHere: (path: string) => void; onDefaults: (id: string) => void },
): JSX.Element {
  const { actions } = useApp();
  const id = () => props.workspace.id;
  return (
    <>
      <Item onSelect={() => props.onNewHere(props.workspace.path)}>{text().sessions.menu.newHere}</Item>
      <Line />
      <Item keys="F2" onSelect={() => props.after(() => props.model.setRenaming(props.row.key))}>
        {text().sessions.menu.rename}
      </Item>
      <Item keys="P" onSelect={() => void actions.pinWorkspace(id(), !props.workspace.pinned)}>
        {props.workspace.pinned ? text().sessions.menu.unpin : text().sessions.menu.pin}
      </Item>
      <Item onSelect={() => props.after(() => props.onDefaults(id()))}>{text().sessions.menu.defaults}</Item>
      <Show when={!props.workspace.general}>
        <Item hint={text().sessions.menu.generalHint} onSelect={() => void actions.setGeneralWorkspace(id())}>
          {text().sessions.menu.general}
        </Item>
      </Show>
      <Line />
      <Item
        keys="Del"
        onSelect={() => props.after(() => props.model.setQuestion({ kind: "removeWorkspace", workspaceId: id() }))}
      >
        {text().sessions.menu.removeWorkspace}
      </Item>
    </>
  );
}
