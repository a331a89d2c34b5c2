import Clock from "lucide-solid/icons/clock";
import FolderOpen from "lucide-solid/icons/folder-open";
import PanelLeft from "lucide-solid/icons/panel-left";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { messageOf } from "../../host/host";
import { baseName, tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { FolderName } from "../../ui/folder-name";
import { IconButton } from "../../ui/icon-button";
import { FirstPrompt } from "./FirstPrompt";
import { FirstRun } from "./FirstRun";
import { obstacle } from "./model";
import "./start-page.css";

/** Shown while no session is open. */
export function StartPage(props: {
  sidebarHidden: boolean;
  onShowSidebar: () => void;
  onChooseFolder: () => void;
}): JSX.Element {
  const { state, host, actions } = useApp();
  const [anyway, setAnyway] = createSignal(false);
  const inTheWay = () => (anyway() ? "" : obstacle(state.info));
  return (
    <section data-component="start-page">
      <header data-slot="bar">
        <Show when={props.sidebarHidden}>
          <IconButton label={text().sessions.show} shortcut="Mod+B" onClick={() => props.onShowSidebar()}>
            <PanelLeft />
          </IconButton>
        </Show>
      </header>
      <div data-slot="page">
        <Switch fallback={<Welcome onChooseFolder={props.onChooseFolder} />}>
          <Match when={!state.info}>
            <h1 class="visually-hidden">Parley</h1>
            <Show
              when={state.problem}
              fallback={
                <p data-slot="quiet" role="status">
                  {host.status().kind === "closed" ? text().start.waiting : text().start.connecting}
                </p>
              }
            >
              {(problem) => (
                <div data-slot="failed">
                  <p data-slot="quiet">{problem().message}</p>
                  <Button onClick={() => void actions.retry()}>{text().common.tryAgain}</Button>
                </div>
              )}
            </Show>
          </Match>
          <Match when={inTheWay()}>
            <FirstRun obstacle={inTheWay() === "cli" ? "cli" : "account"} onAnyway={() => setAnyway(true)} />
          </Match>
        </Switch>
      </div>
    </section>
  );
}

function Welcome(props: { onChooseFolder: () => void }): JSX.Element {
  const { state, actions } = useApp();
  const [error, setError] = createSignal("");
  const [touring, setTouring] = createSignal(false);
  const recent = () => state.info?.recentFolders.slice(0, 6) ?? [];

  async function run(what: Promise<unknown>): Promise<void> {
    setError("");
    try {
      await what;
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  async function takeTour(): Promise<void> {
    setTouring(true);
    await run(actions.takeTour());
    setTouring(false);
    // The obstacle may have its own page.
    if (error()) await actions.refreshInfo();
  }

  return (
    <div data-slot="column">
      <h1>{recent().length > 0 ? text().timeline.empty : text().start.title}</h1>
      <p data-slot="lead">
        {text().start.about}
      </p>
      <Show when={recent().length > 0}>
        <FirstPrompt />
      </Show>
      <div data-slot="buttons">
        <Button variant={recent().length > 0 ? "secondary" : "primary"} onClick={() => props.onChooseFolder()}>
          <FolderOpen size={16} />
          {text().start.choose}
        </Button>
        <Button variant="ghost" aria-disabled={touring()} onClick={() => void takeTour()}>
          {text().tour.take}
        </Button>
      </div>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <Show when={recent().length > 0}>
        <h2>{text().start.recent}</h2>
        <ul data-slot="recent" role="list">
          <For each={recent()}>
            {(path) => (
              <li>
                <button type="button" title={path} onClick={() => void run(actions.create(path))}>
                  <Clock size={16} />
                  <FolderName name={baseName(path)} path={tilde(path, state.info?.home ?? "")} />
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
