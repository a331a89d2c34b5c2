import Clock from "lucide-solid/icons/clock";
import CornerLeftUp from "lucide-solid/icons/corner-left-up";
import Folder from "lucide-solid/icons/folder";
import FolderGit from "lucide-solid/icons/folder-git-2";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { HostError } from "../../host/host";
import { showOption } from "../../lib/into-view";
import { isComposing } from "../../lib/keys";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FolderName } from "../../ui/folder-name";
import { createFolderModel, isPath, type Row } from "./model";
import "./folder-dialog.css";

interface Props {
  title: string;
  description: string;
  /** Called with the folder. The dialog closes on success, and shows the error otherwise. */
  onChoose: (path: string) => Promise<unknown>;
}

/** Asks for a folder. */
export function FolderDialog(props: Props & { open: boolean; onOpenChange: (open: boolean) => void }): JSX.Element {
  return (
    <Dialog
      open={props.open}
      onOpenChange={(open) => props.onOpenChange(open)}
      title={props.title}
      description={props.description}
      size="large"
    >
      <Picker onChoose={(path) => props.onChoose(path)} onDone={() => props.onOpenChange(false)} />
    </Dialog>
  );
}

function Picker(props: { onChoose: (path: string) => Promise<unknown>; onDone: () => void }): JSX.Element {
  const app = useApp();
  const model = createFolderModel(app);
  const [busy, setBusy] = createSignal(false);
  const home = () => app.state.info?.home ?? "";
  let list: HTMLElement | undefined;
  const optionId = (index: number) => `folder-option-${index}`;

  async function choose(path: string): Promise<void> {
    if (busy() || path === "") return;
    setBusy(true);
    try {
      await props.onChoose(path);
      props.onDone();
    } catch (failure) {
      model.fail(failure);
    } finally {
      setBusy(false);
    }
  }

  async function system(): Promise<void> {
    try {
      const { path } = await app.host.call("folder.pick", {});
      if (path !== "") await choose(path);
    } catch (failure) {
      if (failure instanceof HostError && failure.code === "conflict") return;
      model.fail(failure);
    }
  }

  /** The heading of a row that starts a group. */
  function heading(row: Row, above: Row | undefined): string {
    if (row.kind === "recent") return above ? "" : text().folder.recent;
    return !above || above.kind === "recent" ? tilde(model.list()?.path ?? "", home()) : "";
  }

  /** A recent folder is chosen directly; any other row navigates. */
  function take(row: Row): void {
    if (row.kind === "recent") void choose(row.path);
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
        if (whole && model.chosen() !== "") void choose(model.chosen());
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
    showOption(list, optionId(model.active()));
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
        aria-label={text().folder.label}
        aria-expanded="true"
        aria-controls="folder-options"
        aria-activedescendant={model.activeRow() ? optionId(model.active()) : undefined}
        placeholder={text().folder.placeholder}
        value={model.text()}
        onInput={(event) => model.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Show when={model.error()}>
        <p data-slot="error" role="alert">
          {model.error()}
        </p>
      </Show>
      <ul ref={(el) => (list = el)} data-slot="options" id="folder-options" role="listbox" aria-label={text().folder.list} aria-busy={model.busy()}>
        <For each={model.rows()}>
          {(row, index) => (
            <>
            <Show when={heading(row, model.rows()[index() - 1])}>
              {(above) => <li data-slot="heading" role="presentation"><bdi>{above()}</bdi></li>}
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
              <FolderName name={row.kind === "parent" ? text().folder.parent : row.name} path={row.kind === "recent" ? tilde(row.path, home()) : ""} />
            </li>
            </>
          )}
        </For>
      </ul>
      <Show when={model.rows().length === 0 && model.list() && !model.busy()}>
        <p data-slot="none">{model.text() === "" ? text().folder.none : text().folder.noMatch}</p>
      </Show>
      <Show when={model.list()?.truncated}>
        <p data-slot="none">{text().folder.more}</p>
      </Show>
      <div data-slot="actions">
        <Show when={app.host.capabilities.pickFolder}>
          <Button variant="ghost" onClick={() => void system()}>
            {text().folder.system}
          </Button>
        </Show>
        <span data-slot="spacer" />
        <Button
          variant="primary"
          disabled={busy() || model.chosen() === ""}
          onClick={() => void choose(model.chosen())}
        >
          {model.chosen() === "" ? text().folder.open : text().folder.openNamed(shortName(tilde(model.chosen(), home())))}
        </Button>
      </div>
    </div>
  );
}

function shortName(path: string): string {
  const name = path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
  return name.length > 28 ? `${name.slice(0, 27)}…` : name;
}
