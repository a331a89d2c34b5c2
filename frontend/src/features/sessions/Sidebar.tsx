import ArrowLeft from "lucide-solid/icons/arrow-left";
import Clock from "lucide-solid/icons/clock";
import Folders from "lucide-solid/icons/folders";
import PanelLeft from "lucide-solid/icons/panel-left";
import Plus from "lucide-solid/icons/plus";
import Search from "lucide-solid/icons/search";
import TextSearch from "lucide-solid/icons/text-search";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { readingOffset } from "../../lib/direction";
import { sidebarWidth } from "../../store/arrangement";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Edge } from "../../ui/edge";
import { IconButton } from "../../ui/icon-button";
import { MattermostLine } from "../mattermost/MattermostLine";
import { HeartbeatsLine } from "../heartbeats/HeartbeatsLine";
import { RoomsLine } from "../rooms/RoomsLine";
import { WaitingButton } from "../permissions/WaitingButton";
import { DefaultsDialog } from "./DefaultsDialog";
import { LibraryLine, UndoBar } from "./SidebarFooter";
import type { SidebarModel } from "./model";
import { Questions } from "./Questions";
import { SessionList } from "./SessionList";
import "./sidebar.css";
import "./sessions.css";

interface Props {
  model: SidebarModel;
  newShortcut: string;
  onNew: () => void;
  /** Creates a session in a folder, without a dialog. */
  onNewHere: (path: string) => void;
  onHide: () => void;
  menu: JSX.Element;
}

/** All sessions: those with pending requests first, then by workspace or by time. */
export function Sidebar(props: Props): JSX.Element {
  const { layout } = useApp();
  const { model } = props;
  const [defaultsOf, setDefaultsOf] = createSignal<string | null>(null);
  return (
    <nav data-component="sidebar" aria-label={text().sessions.label} style={{ "--sidebar": `${layout.state.sidebar.width}px` }}>
      <Show when={model.place() === "list"} fallback={<PlaceHeader model={model} />}>
        <header data-slot="header">
          <span data-slot="brand">Parley</span>
          <IconButton label={text().sessions.search} shortcut="Mod+Shift+F" onClick={() => layout.setOverlay({ kind: "search", text: "" })}>
            <TextSearch />
          </IconButton>
          <IconButton label={text().sessions.hide} shortcut="Mod+B" onClick={() => props.onHide()}>
            <PanelLeft />
          </IconButton>
          <IconButton label={text().common.newSession} shortcut={props.newShortcut} onClick={() => props.onNew()}>
            <Plus />
          </IconButton>
        </header>
      </Show>
      <FilterBox model={model} />
      <Show when={model.rows().length > 0} fallback={<Nothing model={model} onNew={props.onNew} />}>
        <SessionList model={model} onNewHere={props.onNewHere} onDefaults={setDefaultsOf} />
      </Show>
      <ListTrouble model={model} />
      <WaitingButton />
      <UndoBar />
      <HeartbeatsLine />
      <RoomsLine />
      <MattermostLine />
      <LibraryLine />
      <footer data-slot="footer">
        {props.menu}
      </footer>
      <Edge
        label={text().sessions.width}
        side="start"
        width={layout.state.sidebar.width}
        range={sidebarWidth}
        widthAt={(at) => readingOffset(at, { left: 0, right: window.innerWidth })}
        onChange={(width) => layout.setSidebar({ width })}
      />
      <Questions model={model} />
      <DefaultsDialog workspaceId={defaultsOf()} onClose={() => setDefaultsOf(null)} />
    </nav>
  );
}

function PlaceHeader(props: { model: SidebarModel }): JSX.Element {
  return (
    <header data-slot="header" data-place>
      <IconButton label={text().sessions.back} onClick={() => props.model.show("list")}>
        <ArrowLeft />
      </IconButton>
      <span data-slot="brand">{props.model.place() === "archive" ? text().sessions.archived : text().sessions.trash}</span>
    </header>
  );
}

function FilterBox(props: { model: SidebarModel }): JSX.Element {
  const { actions } = useApp();
  const { model } = props;
  const byWorkspace = () => model.grouping() === "workspace";

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && model.filter() !== "") {
      event.preventDefault();
      model.setFilter("");
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      const first = model.step("", 1);
      if (!first) return;
      model.setMarked(first.key);
      model.focusMarked();
    }
    if (event.key === "Enter") {
      const first = model.order()[0];
      if (first !== undefined && model.filter() !== "") actions.open(first);
    }
  }

  return (
    <div data-slot="filter">
      <label>
        <Search />
        <input
          type="search"
          placeholder={text().sessions.filter}
          aria-label={text().sessions.filterLabel}
          spellcheck={false}
          autocomplete="off"
          value={model.filter()}
          onInput={(event) => model.setFilter(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <Show when={model.place() === "list"}>
        <IconButton
          label={byWorkspace() ? text().sessions.byTime : text().sessions.byWorkspace}
          onClick={() => model.setGrouping(byWorkspace() ? "time" : "workspace")}
        >
          <Show when={byWorkspace()} fallback={<Folders />}>
            <Clock />
          </Show>
        </IconButton>
      </Show>
    </div>
  );
}

/** The message and action for an empty list. */
function Nothing(props: { model: SidebarModel; onNew: () => void }): JSX.Element {
  const { state, layout, actions } = useApp();
  const { model } = props;
  const list = () => state.lists[model.place()];
  return (
    <div data-slot="nothing" role="status">
      <Switch>
        <Match when={model.filter() !== ""}>
          <p>{text().sessions.noMatch(model.filter())}</p>
          <Button size="small" onClick={() => model.setFilter("")}>
            {text().sessions.clearFilter}
          </Button>
          <Button size="small" variant="ghost" onClick={() => layout.setOverlay({ kind: "search", text: model.filter() })}>
            {text().sessions.searchSaid}
          </Button>
        </Match>
        <Match when={list().load === "failed"}>{null}</Match>
        <Match when={state.problem && !state.loaded}>
          <p>{text().sessions.notRead}</p>
        </Match>
        <Match when={!state.loaded || list().load === "reading"}>
          <p>{text().sessions.reading}</p>
        </Match>
        <Match when={model.place() === "archive"}>
          <p>{text().sessions.noArchive}</p>
        </Match>
        <Match when={model.place() === "trash"}>
          <p>{text().sessions.noTrash}</p>
        </Match>
        <Match when={state.library?.scanning}>
          <p>{text().sessions.looking}</p>
        </Match>
        <Match when={true}>
          <p>{text().sessions.none}</p>
          <Button size="small" onClick={() => props.onNew()}>
            {text().common.newSession}
          </Button>
        </Match>
      </Switch>
      <Show when={state.problem && !state.loaded}>
        <Button size="small" onClick={() => void actions.retry()}>
          {text().common.tryAgain}
        </Button>
      </Show>
    </div>
  );
}

/** Shown when the list could not be loaded completely. */
function ListTrouble(props: { model: SidebarModel }): JSX.Element {
  const { state, actions } = useApp();
  const place = () => props.model.place();
  return (
    <>
      <Show when={state.lists[place()].load === "failed"}>
        <p data-slot="trouble" role="alert">
          <span>
            {place() === "list" ? text().sessions.partlyRead : text().sessions.notRead}{" "}
            {state.lists[place()].error}
          </span>
          <Button size="small" onClick={() => void actions.readList(place())}>
            {text().common.tryAgain}
          </Button>
        </p>
      </Show>
      <Show when={place() === "list" && state.workspacesError !== ""}>
        <p data-slot="trouble" role="alert">
          <span>{text().sessions.workspacesNotRead(state.workspacesError)}</span>
          <Button size="small" onClick={() => void actions.readWorkspaces()}>
            {text().common.tryAgain}
          </Button>
        </p>
      </Show>
    </>
  );
}
