import Keyboard from "lucide-solid/icons/keyboard";
import { createEffect, createMemo, createSignal, type JSX, Show } from "solid-js";
import { FolderDialog } from "./features/folder/FolderDialog";
import { SessionPane } from "./features/session/SessionPane";
import { Sidebar } from "./features/session/Sidebar";
import { GlobalBanners } from "./features/shell/Banners";
import { createShortcuts, newSessionKeys } from "./features/shell/shortcuts";
import { ShortcutsDialog } from "./features/shell/ShortcutsDialog";
import { ThemeMenu } from "./features/shell/ThemeMenu";
import { Unauthorized } from "./features/shell/Unauthorized";
import { obstacle } from "./features/start/model";
import { StartPage } from "./features/start/StartPage";
import { type App as AppModel, AppProvider } from "./store/context";
import { isBusy, sortedSessions } from "./store/state";
import { IconButton } from "./ui/icon-button";
import "./app.css";

export function App(props: { app: AppModel }): JSX.Element {
  return (
    <AppProvider app={props.app}>
      <Show when={props.app.host.status().kind !== "unauthorized"} fallback={<Unauthorized />}>
        <Shell app={props.app} />
      </Show>
    </AppProvider>
  );
}

function Shell(props: { app: AppModel }): JSX.Element {
  const { state, host, actions } = props.app;
  const [sidebar, setSidebar] = createSignal(true);
  const [folderDialog, setFolderDialog] = createSignal(false);
  const [shortcuts, setShortcuts] = createSignal(false);
  const newShortcut = newSessionKeys(host.kind);
  const session = createMemo(() => (state.current === null ? undefined : state.sessions[state.current]));
  const waiting = createMemo(() => Object.values(state.sessions).filter((s) => s.openQuestions > 0).length);

  createEffect(() => {
    const title = session() ? `${session()?.title || "New session"} – Parley` : "Parley";
    document.title = waiting() > 0 ? `(${waiting()}) ${title}` : title;
  });

  function newSession(): void {
    if (obstacle(state.info)) actions.open(null);
    else setFolderDialog(true);
  }

  createShortcuts({
    newSession,
    neighbour(by) {
      const ids = sortedSessions(state).map((s) => s.id);
      const at = ids.indexOf(state.current ?? "");
      const next = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by];
      if (next !== undefined) actions.open(next);
    },
    toggleSidebar: () => setSidebar(!sidebar()),
    interrupt() {
      const current = session();
      if (current && isBusy(current) && current.state !== "interrupting") void actions.interrupt(current.id);
    },
    showList: () => setShortcuts(true),
  });

  return (
    <div data-component="shell">
      <GlobalBanners />
      <div data-slot="panes">
        <Show when={sidebar()}>
          <Sidebar
            newShortcut={newShortcut}
            onNew={newSession}
            onHide={() => setSidebar(false)}
            menu={
              <>
                <ThemeMenu />
                <IconButton label="Keyboard shortcuts" shortcut="Mod+/" onClick={() => setShortcuts(true)}>
                  <Keyboard />
                </IconButton>
                <span data-slot="version">{state.info ? `Parley ${state.info.version}` : ""}</span>
              </>
            }
          />
        </Show>
        <main data-slot="main">
          <Show
            when={session()}
            fallback={
              <StartPage
                sidebarHidden={!sidebar()}
                onShowSidebar={() => setSidebar(true)}
                onChooseFolder={() => setFolderDialog(true)}
              />
            }
          >
            {(current) => (
              <SessionPane
                session={current()}
                sidebarHidden={!sidebar()}
                onShowSidebar={() => setSidebar(true)}
              />
            )}
          </Show>
        </main>
      </div>
      <FolderDialog open={folderDialog()} onOpenChange={setFolderDialog} />
      <ShortcutsDialog kind={host.kind} open={shortcuts()} onOpenChange={setShortcuts} />
    </div>
  );
}
