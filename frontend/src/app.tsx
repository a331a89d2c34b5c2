import Activity from "lucide-solid/icons/activity";
import Brain from "lucide-solid/icons/brain";
import Keyboard from "lucide-solid/icons/keyboard";
import SettingsIcon from "lucide-solid/icons/settings";
import { createEffect, createMemo, createSignal, type JSX, lazy, on, Show, Suspense } from "solid-js";
import { FolderDialog } from "./features/folder/FolderDialog";
import { ArchiveQuestion } from "./features/inspector/tasks/ArchiveQuestion";
import { NewSession } from "./features/newsession/NewSession";
import { Panes } from "./features/panes/Panes";
import { createSidebarModel } from "./features/sessions/model";
import { Sidebar } from "./features/sessions/Sidebar";
import { keepFocus } from "./lib/keep-focus";
import { settingsAskedFor } from "./lib/settings-ask";
import { GlobalBanners } from "./features/shell/Banners";
import { followAddress } from "./features/shell/address";
import { followDesk } from "./features/shell/desk";
import { createShortcuts, usualKeys } from "./features/shell/shortcuts";
import { ShortcutsDialog } from "./features/shell/ShortcutsDialog";
import { ClosingQuestion } from "./features/shell/ClosingQuestion";
import { QuietMenu } from "./features/shell/QuietMenu";
import { StatusLine } from "./features/shell/StatusLine";
import { ThemeMenu } from "./features/shell/ThemeMenu";
import { createNarrow } from "./features/shell/narrow";
import { Unauthorized } from "./features/shell/Unauthorized";
import { folderHere, obstacle } from "./features/start/model";
import { StartPage } from "./features/start/StartPage";
import { createActions, createCommands } from "./features/switcher/commands";
import { Switcher } from "./features/switcher/Switcher";
import { createWarmUp } from "./features/timeline/warm";
import { text } from "./i18n";
import { BudgetBanner } from "./features/usage/BudgetBanner";
import { type App as AppModel, AppProvider } from "./store/context";
import { isBusy } from "./store/state";
import { IconButton } from "./ui/icon-button";
import "./app.css";

// As large as the rest of the page, and seldom wanted.
const SettingsDialog = lazy(async () => ({ default: (await import("./features/settings/SettingsDialog")).SettingsDialog }));

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
  const { state, listing, layout, host, actions } = props.app;
  const model = createSidebarModel(props.app);
  /** The dialog that is open; for a new session, with the folder that it begins with. */
  const [dialog, setDialog] = createSignal<"" | "folder" | "settings" | "shortcuts" | "switcher" | { folder: string }>("");
  /** What the settings are opened at: a page or a setting. */
  const [where, setWhere] = createSignal("");
  const beenToSettings = createMemo<boolean>((been) => been || dialog() === "settings", false);
  /** As the tooltips take them, which know what the person chose instead. */
  const keys = (id: string) => usualKeys(id, host.kind);
  const session = createMemo(() => (state.current === null ? undefined : state.sessions[state.current]));
  const waiting = createMemo(() => listing.of("list").filter((entry) => entry.waiting).length);
  const narrow = createNarrow(() => state.info?.settings.zoom ?? 100);
  /** Where there is no room beside it, the sidebar lies over the panes while it is looked at. */
  const [over, setOver] = createSignal(false);
  const hidden = () => (narrow() ? !over() : layout.state.sidebar.collapsed);
  createEffect(on(() => [narrow(), state.current], () => setOver(false), { defer: true }));
  const close = () => setDialog("");

  followDesk(props.app, waiting);
  followAddress(props.app, (folder) => newSession(folder));
  createWarmUp();
  keepFocus(() => document.querySelector<HTMLElement>('[data-pane][data-focused] [data-component="composer"] textarea'));
  createEffect(() => {
    const title = session() ? `${session()?.title || text().shell.newSession} – Parley` : "Parley";
    document.title = waiting() > 0 ? `(${waiting()}) ${title}` : title;
  });

  /** The start page says what is in the way of a session. */
  function blocked(): boolean {
    if (!obstacle(state.info)) return false;
    actions.open(null);
    return true;
  }

  const newSession = (folder = folderHere(state)) => blocked() || setDialog({ folder });

  /** A session at once, in this folder or in that of the session on the page. */
  function newHere(path = folderHere(state)): void {
    if (blocked()) return;
    if (path === "") newSession();
    else actions.create(path).catch((failure: unknown) => actions.report(failure));
  }

  const toggleSidebar = () => (narrow() ? setOver(!over()) : layout.setSidebar({ collapsed: !hidden() }));
  const interrupt = () => {
    const current = session();
    if (current && isBusy(current) && current.state !== "interrupting") void actions.interrupt(current.id);
  };

  function showSettings(at = ""): void {
    setWhere(at);
    setDialog("settings");
  }

  createEffect(on(settingsAskedFor, (asked) => asked && showSettings(asked.at), { defer: true }));

  const acts = createActions(props.app, model, {
    newSession: () => newSession(),
    newHere: () => newHere(),
    neighbour(by) {
      const ids = model.order();
      const at = ids.indexOf(state.current ?? "");
      const next = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by];
      if (next !== undefined) actions.open(next);
    },
    toggleSidebar,
    interrupt,
    showSettings,
    showSwitcher: () => setDialog("switcher"),
    showShortcuts: () => setDialog("shortcuts"),
  });
  createShortcuts(host.kind, acts);
  const commands = createCommands(props.app, acts);

  return (
    <div data-component="shell">
      <GlobalBanners />
      <BudgetBanner />
      <div data-slot="panes" data-over={narrow() && over() ? "" : undefined}>
        <Show when={!hidden()}>
          <Sidebar
            model={model}
            newShortcut={keys("newSession")}
            onNew={() => newSession()}
            onNewHere={newHere}
            onHide={toggleSidebar}
            menu={
              <>
                <IconButton label={text().shell.actions.settings} shortcut={keys("settings")} onClick={() => showSettings()}>
                  <SettingsIcon />
                </IconButton>
                <ThemeMenu />
                <QuietMenu />
                <IconButton label={text().shell.actions.shortcuts} shortcut={keys("shortcuts")} onClick={() => setDialog("shortcuts")}>
                  <Keyboard />
                </IconButton>
                <IconButton label={text().memory.title} shortcut={keys("memory")} onClick={() => layout.setOverlay({ kind: "memory" })}>
                  <Brain />
                </IconButton>
                <IconButton label={text().shell.actions.processes} shortcut={keys("processes")} onClick={() => layout.setOverlay({ kind: "processes" })}>
                  <Activity />
                </IconButton>
              </>
            }
          />
        </Show>
        <main data-slot="main">
          <Panes
            sidebarHidden={hidden()}
            onShowSidebar={toggleSidebar}
            start={(bar) => (
              <StartPage
                sidebarHidden={hidden() && !bar}
                onShowSidebar={toggleSidebar}
                onChooseFolder={() => setDialog("folder")}
              />
            )}
          />
        </main>
      </div>
      <StatusLine />
      <FolderDialog
        open={dialog() === "folder"}
        onOpenChange={close}
        title={text().shell.newSession}
        description={text().shell.chooseFolder}
        onChoose={(path) => actions.create(path)}
      />
      <NewSession folder={newFolder()} onClose={close} />
      <Switcher open={dialog() === "switcher"} commands={commands} onClose={close} />
      <ArchiveQuestion />
      <ClosingQuestion />
      <Show when={beenToSettings()}>
        <Suspense>
          <SettingsDialog open={dialog() === "settings"} onOpenChange={close} where={where()} actions={acts} />
        </Suspense>
      </Show>
      <ShortcutsDialog
        kind={host.kind}
        actions={acts}
        version={state.info?.version ?? ""}
        onChange={() => showSettings("shortcuts")}
        open={dialog() === "shortcuts"}
        onOpenChange={close}
      />
    </div>
  );

  function newFolder(): string | null {
    const open = dialog();
    return typeof open === "string" ? null : open.folder;
  }
}
