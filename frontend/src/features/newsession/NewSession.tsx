import Folder from "lucide-solid/icons/folder";
import FolderOpen from "lucide-solid/icons/folder-open";
import { createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { WorkspaceDefaults } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { isComposing } from "../../lib/keys";
import { baseName, tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FolderName } from "../../ui/folder-name";
import { ChoicePickers, noChoices } from "../choices/ChoicePickers";
import { FolderDialog } from "../folder/FolderDialog";
import { recentFolders } from "../folder/recent";
import { createParams, inheritedIn } from "./model";
import "./new-session.css";

/** Asks for a session's settings and creates it. No process starts before its first prompt. */
export function NewSession(props: { folder: string | null; onClose: () => void }): JSX.Element {
  return (
    <Dialog
      open={props.folder !== null}
      onOpenChange={(open) => !open && props.onClose()}
      title={text().common.newSession}
      description={text().sessions.create.about}
      size="form"
    >
      <Show when={props.folder !== null}>
        <Form folder={props.folder ?? ""} onDone={() => props.onClose()} />
      </Show>
    </Dialog>
  );
}

function Form(props: { folder: string; onDone: () => void }): JSX.Element {
  const { state, actions } = useApp();
  // The dialog's initial value; from then on the user chooses.
  const [folder, setFolder] = createSignal(untrackedFolder());
  const [title, setTitle] = createSignal("");
  const [choices, setChoices] = createSignal<WorkspaceDefaults>({ ...noChoices });
  const [browsing, setBrowsing] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const home = () => state.info?.home ?? "";
  const folders = () => recentFolders(state, folder());
  const inherited = () => inheritedIn(state, folder());

  function untrackedFolder(): string {
    const { folder } = props;
    return folder;
  }

  async function create(): Promise<void> {
    if (busy() || folder() === "") return;
    setBusy(true);
    setError("");
    try {
      await actions.create(createParams(folder(), title(), choices()));
      props.onDone();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  function onFolderKey(event: KeyboardEvent): void {
    const list = folders();
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = list[Math.max(0, Math.min(list.length - 1, list.indexOf(folder()) + by))];
    if (next === undefined) return;
    setFolder(next);
    const box = event.currentTarget;
    if (box instanceof HTMLElement) {
      queueMicrotask(() => box.querySelector<HTMLElement>('[aria-checked="true"]')?.focus());
    }
  }

  return (
    <form
      data-component="new-session"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
      onKeyDown={(event) => {
        // Enter in the folder or title field submits; a menu's own Enter does not reach this.
        const target = event.target as HTMLElement;
        if (event.key !== "Enter" || isComposing(event) || target.closest('[data-slot="folders"]') === null) return;
        event.preventDefault();
        void create();
      }}
    >
      <div data-slot="label" id="new-session-folder">
        {text().sessions.create.folder}
      </div>
      <div data-slot="folders" role="radiogroup" aria-labelledby="new-session-folder" onKeyDown={onFolderKey}>
        <For each={folders()}>
          {(path) => (
            <button
              type="button"
              role="radio"
              aria-checked={path === folder()}
              tabindex={path === folder() ? 0 : -1}
              data-autofocus={path === folder() ? "" : undefined}
              title={path}
              onClick={() => setFolder(path)}
              onDblClick={() => void create()}
            >
              <Folder size={16} />
              <FolderName name={nameOf(path)} path={tilde(path, home())} />
            </button>
          )}
        </For>
      </div>
      <Button variant="ghost" size="small" data-slot="browse" data-edge="start" onClick={() => setBrowsing(true)}>
        <FolderOpen size={16} />
        {text().sessions.create.otherFolder}
      </Button>
      <ChoicePickers value={choices()} onChange={setChoices} inherited={inherited()} />
      <label data-slot="title-field">
        <span data-slot="label">{text().sessions.create.title}</span>
        <input
          type="text"
          placeholder={text().sessions.create.titleHint}
          maxLength={200}
          value={title()}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <div data-slot="actions">
        <Button variant="ghost" onClick={() => props.onDone()}>
          {text().common.cancel}
        </Button>
        <Button variant="primary" type="submit" disabled={busy() || folder() === ""}>
          {text().sessions.create.act}
        </Button>
      </div>
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

  function nameOf(path: string): string {
    const found = Object.values(state.workspaces).find((w) => w.path === path);
    return found?.title || baseName(path);
  }
}
