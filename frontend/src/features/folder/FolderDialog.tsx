import Clock from "lucide-solid/icons/clock";
import CornerLeftUp from "lucide-solid/icons/corner-left-up";
import Folder from "lucide-solid/icons/folder";
import FolderGit from "lucide-solid/icons/folder-git-2";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { HostError } from "../../host/host";
import { isComposing } from "../../lib/keys";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { createFolderModel, isPath, type Row } from "./model";
import "./folder-dialog.css";

/** Asks for the folder of a new session and makes it. */
export function FolderDialog(props: { open: boolean; onOpenChange: (open: boolean) => void }): JSX.Element {
  return (
    <Dialog
      open={props.open}
      onOpenChange={(open) => props.onOpenChange(open)}
      title="New session"
      description="Choose the folder that Claude works in."
      size="large"
    >
      <Picker onDone={() => props.onOpenChange(false)} />
    </Dialog>
  );
}

function Picker(props: { onDone: () => void }): JSX.Element {
  const app = useApp();
  const model = createFolderModel(app);
  const [creating, setCreating] = createSignal(false);
  const home = () => app.state.info?.home ?? "";
  const optionId = (index: number) => `folder-option-${index}`;

  async function create(path: string): Promise<void> {
    if (creating() || path === "") return;
    setCreating(true);
    try {
      await app.actions.create(path);
      props.onDone();
    } catch (failure) {
      model.fail(failure);
    } finally {
      setCreating(false);
    }
  }

  async function system(): Promise<void> {
    try {
      const { path } = await app.host.call("folder.pick", {});
      if (path !== "") await create(path);
    } catch (failure) {
      if (failure instanceof HostError && failure.code === "conflict") return;
      model.fail(failure);
    }
  }

  /** What stands above a row that begins a group. */
  function heading(row: Row, above: Row | undefined): string {
    if (row.kind === "recent") return above ? "" : "Recent";
    return !above || above.kind === "recent" ? tilde(model.list()?.path ?? "", home()) : "";
  }

  /** A recent folder is the answer; any other row is a step on the way. */
  function take(row: Row): void {
    if (row.kind === "recent") void create(row.path);
    else void model.enter(row.path);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const row = model.activeRow();
    const keys: Record<string, () => void> = {
      ArrowDown: () => model.move(1),
      ArrowUp: () => model.move(-1),
      Enter: () => {
        const whole = event.ctrlKey || event.metaKey || isPath(model.text()) || !row;
        if (whole && model.chosen() !== "") void create(model.chosen());
        else if (row) take(row);
      },
    };
    const atEnd = event.target instanceof HTMLInputElement && event.target.selectionStart === model.text().length;
    if (atEnd && row && row.kind !== "recent") {
      keys["ArrowRight"] = () => take(row);
      if (model.text() !== "" && !event.shiftKey) keys["Tab"] = () => take(row);
    }
    if (model.text() === "" && model.list()?.parent) {
      keys["ArrowLeft"] = keys["Backspace"] = () => void model.enter(model.list()?.parent ?? "");
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    document.getElementById(optionId(model.active()))?.scrollIntoView({ block: "nearest" });
  }

  return (
    <div data-component="folder-picker">
      <input
        data-slot="path"
        type="text"
        data-autofocus
        spellcheck={false}
        autocomplete="off"
        role="combobox"
        aria-label="Filter, or a path"
        aria-expanded="true"
        aria-controls="folder-options"
        aria-activedescendant={model.activeRow() ? optionId(model.active()) : undefined}
        placeholder="Type to filter, or a path: ~/projects"
        value={model.text()}
        onInput={(event) => model.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Show when={model.error()}>
        <p data-slot="error" role="alert">
          {model.error()}
        </p>
      </Show>
      <ul data-slot="options" id="folder-options" role="listbox" aria-label="Folders" aria-busy={model.busy()}>
        <For each={model.rows()}>
          {(row, index) => (
            <>
            <Show when={heading(row, model.rows()[index() - 1])}>
              {(text) => <li data-slot="heading" role="presentation"><bdi>{text()}</bdi></li>}
            </Show>
            <li
              id={optionId(index())}
              role="option"
              data-kind={row.kind}
              aria-selected={index() === model.active()}
              onPointerMove={() => model.setActive(index())}
              onClick={() => take(row)}
            >
              <Switch fallback={<Folder size={16} />}>
                <Match when={row.kind === "recent"}>
                  <Clock size={16} />
                </Match>
                <Match when={row.kind === "parent"}>
                  <CornerLeftUp size={16} />
                </Match>
                <Match when={row.git}>
                  <FolderGit size={16} />
                </Match>
              </Switch>
              <span data-slot="name">{row.kind === "parent" ? "Parent folder" : row.name}</span>
              <Show when={row.kind === "recent"}>
                <span data-slot="detail">
                  <bdi>{tilde(row.path, home())}</bdi>
                </span>
              </Show>
            </li>
            </>
          )}
        </For>
      </ul>
      <Show when={model.rows().length === 0 && model.list() && !model.busy()}>
        <p data-slot="none">{model.text() === "" ? "There are no folders in here." : "No folder matches."}</p>
      </Show>
      <Show when={model.list()?.truncated}>
        <p data-slot="none">There are more folders than are listed: type the path.</p>
      </Show>
      <div data-slot="actions">
        <Show when={app.host.capabilities.pickFolder}>
          <Button variant="ghost" onClick={() => void system()}>
            System dialog…
          </Button>
        </Show>
        <span data-slot="spacer" />
        <Button
          variant="primary"
          disabled={creating() || model.chosen() === ""}
          onClick={() => void create(model.chosen())}
        >
          Open {model.chosen() === "" ? "folder" : shortName(tilde(model.chosen(), home()))}
        </Button>
      </div>
    </div>
  );
}

function shortName(path: string): string {
  const name = path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
  return name.length > 28 ? `${name.slice(0, 27)}…` : name;
}
