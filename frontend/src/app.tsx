import SettingsIcon from "lucide-solid/icons/settings";
import { createEffect, createMemo, createSignal, type JSX, lazy, on, Show, Suspense } from "solid-js";
import { FolderDialog } from "./features/folder/FolderDialog";
import { ArchiveQuestion } from "./features/inspector/tasks/ArchiveQuestion";
import { NewSession } from "./features/newsession/NewSession";
import { Panes } from "./features/panes/Panes";
import { placeName } from "./features/panes/place";
import { createSidebarModel } from "./features/sessions/model";
import { Sidebar } from "./features/sessions/Sidebar";
import { OutsideNotice } from "./features/outside/OutsideNotice";
import { GlobalBanners } from "./features/shell/Banners";
import { followAddress } from "./features/shell/address";
import { followDesk } from "./desk/desktop";
import { createShortcuts, usualKeys } from "./desk/shortcuts";
import { ShortcutsDialog } from "./features/shell/ShortcutsDialog";
import { ClosingQuestion } from "./features/shell/ClosingQuestion";
import { MainMenu } from "./features/shell/MainMenu";
import { QuietMenu } from "./features/shell/QuietMenu";
import { StatusLine } from "./features/shell/StatusLine";
import { ThemeMenu } from "./features/shell/ThemeMenu";
import { createMenus } from "./features/menus/start";
import { createNarrow } from "./features/shell/narrow";
import { Unauthorized } from "./features/start/Unauthorized";
import { folderHere, obstacle } from "./features/start/model";
import { StartPage } from "./features/start/StartPage";
import { createActions, createCommands } from "./features/switcher/commands";
import { Switcher } from "./features/switcher/Switcher";
import { createPrerender } from "./features/timeline/prerender";
import { text } from "./i18n";
import { BudgetBanner } from "./features/usage/BudgetBanner";
import { placeOf } from "./store/arrangement";
import { type App as AppModel, AppProvider } from "./store/context";
import { isBusy } from "./store/state";
import { IconButton } from "./ui/icon-button";
import "./app.css";

// Loaded lazily: it is as large as the rest of the page and seldom opened.
const SettingsPlace = lazy(async () => ({ default: (await import("./features/settings/SettingsPlace")).SettingsPlace }));

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
  /** The open dialog; for a new session, with its initial folder. */
  const [dialog, setDialog] = createSignal<"" | "folder" | "shortcuts" | "switcher" | { folder: string }>("");
  const beenToSettings = createMemo<boolean>((been) => been || layout.shows("settings"), false);
  /** The default keys; tooltips apply the user's own keys themselves. */
  const keys = (id: string) => usualKeys(id, host.kind);
  const session = createMemo(() => (state.current === null ? undefined : state.sessions[state.current]));
  const waiting = createMemo(() => listing.of("list").filter((entry) => entry.waiting).length);
  const narrow = createNarrow(() => state.info?.settings.zoom ?? 100);
  /** Where there is no room beside the panes, the sidebar opens over them. */
  const [over, setOver] = createSignal(false);
  const hidden = () => (narrow() ? !over() : layout.state.sidebar.collapsed);
  createEffect(on(() => [narrow(), layout.active()], () => setOver(false), { defer: true }));
  const close = () => setDialog("");

  followDesk(props.app, waiting, (folder) => newSession(folder));
  followAddress(props.app, (folder) => newSession(folder));
  createPrerender();
  createEffect(() => {
    const place = placeOf(layout.active());
    const name = place === null ? session() && (session()?.title || text().shell.newSession) : placeName(place);
    const title = name ? `${name} – Parley` : "Parley";
    document.title = waiting() > 0 ? `(${waiting()}) ${title}` : title;
  });

  /** The start page explains what prevents a session. */
  function blocked(): boolean {
    if (!obstacle(state.info)) return false;
    actions.open(null);
    return true;
  }

  const newSession = (folder = folderHere(props.app)) => blocked() || setDialog({ folder });

  /** Starts a session immediately, in this folder or in that of the current session. */
  function newHere(path = folderHere(props.app)): void {
    if (blocked()) return;
    if (path === "") newSession();
    else actions.create(path).catch((failure: unknown) => actions.report(failure));
  }

  const toggleSidebar = () => (narrow() ? setOver(!over()) : layout.setSidebar({ collapsed: !hidden() }));
  const interrupt = () => {
    const current = session();
    if (current && isBusy(current) && current.state !== "interrupting") void actions.interrupt(current.id);
  };

  const showSettings = (tab?: string) => layout.go({ kind: "settings", ...(tab ? { tab } : {}) });

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
  const commands = createCommands(props.app, acts, showSettings);
  createMenus(props.app, acts);

  return (
    <div data-component="shell">
      <GlobalBanners />
      <OutsideNotice />
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
                <MainMenu actions={acts} />
                <span data-slot="spacer" />
                <ThemeMenu />
                <QuietMenu />
                <IconButton label={text().shell.actions.settings} shortcut={keys("settings")} onClick={() => showSettings()}>
                  <SettingsIcon />
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
          <SettingsPlace actions={acts} />
        </Suspense>
      </Show>
      <ShortcutsDialog
        kind={host.kind}
        actions={acts}
        version={state.info?.version ?? ""}
        onChange={() => {
          close();
          showSettings("shortcuts");
        }}
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
