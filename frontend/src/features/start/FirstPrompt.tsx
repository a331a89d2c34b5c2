import ArrowUp from "lucide-solid/icons/arrow-up";
import Folder from "lucide-solid/icons/folder";
import { createSignal, type JSX, onMount, type Signal, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { isComposing, isInDialog } from "../../lib/keys";
import { baseName, tilde } from "../../lib/path";
import { type App, useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { IconButton } from "../../ui/icon-button";
import { modelChoices } from "../choices/ModelChip";
import { ModeChip } from "../choices/ModeChip";
import { createModels, modelText } from "../choices/model";
import { Picker } from "../choices/Picker";
import { FolderDialog } from "../folder/FolderDialog";
import { recentFolders } from "../folder/recent";
import { createParams, inheritedIn } from "../newsession/model";
import { folderHere } from "./model";
import "./first-prompt.css";

/** The unsent draft, kept while the user visits a session. */
const written = new WeakMap<App, Signal<string>>();

function writtenIn(app: App): Signal<string> {
  const before = written.get(app) ?? createSignal("");
  written.set(app, before);
  return before;
}

/** The first prompt of a session that is created by sending it. */
export function FirstPrompt(): JSX.Element {
  const app = useApp();
  const { state, host, actions } = app;
  const pane = usePane();
  let box!: HTMLTextAreaElement;
  const [prompt, setPrompt] = writtenIn(app);
  const [chosen, setFolder] = createSignal("");
  const [model, setModel] = createSignal("");
  const [mode, setMode] = createSignal<{ mode?: string; guard?: string }>({});
  const [browsing, setBrowsing] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const home = () => state.info?.home ?? "";
  const folder = () => chosen() || folderHere(app);
  const inherited = () => inheritedIn(state, folder());
  const models = createModels(host, () => ({}));
  const online = () => host.status().kind === "open";
  const sendable = () => online() && !busy() && prompt().trim() !== "";
  const nameOf = (path: string) => Object.values(state.workspaces).find((w) => w.path === path)?.title || baseName(path);
  pane.offer({ box: () => box });
  onMount(() => {
    if (pane.focused() && !isInDialog()) box.focus();
  });

  async function send(): Promise<void> {
    if (!sendable()) return;
    const words = prompt();
    setBusy(true);
    setError("");
    try {
      const { mode: permissionMode = "", guard } = mode();
      const params = createParams(folder(), "", { model: model(), effort: "", permissionMode, engine: "", profile: "" });
      const { id } = await actions.create(guard === undefined ? params : { ...params, guard });
      setPrompt("");
      actions.setDraftText(id, words);
      // A shell command stays in the session's box, which shows what will run it.
      if (!words.startsWith("!")) await actions.send(id);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  const note = () => {
    if (error()) return error();
    return online() ? "" : text().composer.offline;
  };

  return (
    <form data-component="first-prompt" autocomplete="off" onSubmit={(event) => event.preventDefault()}>
      <div data-slot="box">
        <textarea
          ref={box}
          rows={2}
          aria-label={text().composer.prompt}
          placeholder={text().timeline.emptyHint}
          value={prompt()}
          onInput={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            void send();
          }}
        />
        <div data-slot="row">
          <Picker
            look="chip"
            label={text().sessions.create.folder}
            text={nameOf(folder())}
            title={folder()}
            icon={<Folder size={14} />}
            groups={[
              {
                choices: recentFolders(state, folder()).map((path) => ({ id: path, name: nameOf(path), about: tilde(path, home()) })),
                value: folder(),
                onChange: setFolder,
              },
            ]}
            action={{ name: text().sessions.create.otherFolder, run: () => setBrowsing(true) }}
          />
          <ModeChip
            mode={mode().mode ?? inherited().permissionMode}
            guard={mode().guard ?? state.info?.settings.guard ?? ""}
            onChange={(permissionMode, guard) => setMode(guard === undefined ? { ...mode(), mode: permissionMode } : { mode: permissionMode, guard })}
          />
          <Picker
            look="chip"
            label={text().choices.model}
            text={modelText(models.list(), model() || inherited().model)}
            groups={[{ choices: modelChoices(models, model() || inherited().model), value: model() || inherited().model, onChange: setModel }]}
            busy={models.busy()}
            problem={models.problem()}
            onOpen={() => models.ask()}
            onRetry={() => models.ask(true)}
          />
          <span data-slot="space" />
          <IconButton label={text().composer.send} shortcut="Enter" variant="primary" disabled={!sendable()} onClick={() => void send()}>
            <ArrowUp />
          </IconButton>
        </div>
      </div>
      <Show when={note()}>
        <p data-slot="error" role="alert">
          {note()}
        </p>
      </Show>
      <FolderDialog
        open={browsing()}
        onOpenChange={setBrowsing}
        title={text().sessions.create.choose}
        description={text().sessions.create.chooseAbout}
        onChoose={async (path) => {
          setFolder(path);
        }}
      />
    </form>
  );
}
