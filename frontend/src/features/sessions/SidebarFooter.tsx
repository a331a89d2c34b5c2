import { Popover } from "@kobalte/core/popover";
import X from "lucide-solid/icons/x";
import { For, type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import type { Library, Progress } from "../../host/border.gen";
import { formatBytes } from "../../lib/time";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";

/** The last removed item, while it can be restored with one click. */
export function UndoBar(): JSX.Element {
  const { state, actions } = useApp();
  return (
    <Show when={state.undo}>
      {(undo) => (
        <div data-slot="undo" role="status">
          <span data-slot="text">
            {text().sessions.undone[undo().kind]} <q>{undo().title}</q>
          </span>
          <Button size="small" onClick={() => void actions.undo()}>
            {text().common.undo}
          </Button>
          <IconButton label={text().common.dismiss} onClick={() => actions.dismissUndo()}>
            <X />
          </IconButton>
        </div>
      )}
    </Show>
  );
}

/** Why conversations are not listed. */
function reasonName(reason: string): string {
  const names: Record<string, string> = text().sessions.hidden;
  return names[reason] ?? reason;
}

/** How many conversations on disk are listed, and the progress of reading them. */
export function LibraryLine(): JSX.Element {
  const { state } = useApp();
  return (
    <Show when={worthSaying(state.library) && state.library}>
      {(library) => (
        <Popover placement="top-start" gutter={6}>
          <Popover.Trigger data-slot="library" aria-label={text().sessions.diskAbout(line(library()))}>
            <span>{line(library())}</span>
            <Show when={running(library())}>{(progress) => <Bar progress={progress()} />}</Show>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content data-component="library-details" aria-label={text().sessions.disk}>
              <dl>
                <dt>{text().sessions.onDisk}</dt>
                <dd>{number(library().onDisk)}</dd>
                <dt>{text().sessions.listed}</dt>
                <dd>{number(library().shown)}</dd>
                <For each={Object.entries(library().hidden).filter(([, n]) => n > 0)}>
                  {([reason, n]) => (
                    <>
                      <dt data-faint>{reasonName(reason)}</dt>
                      <dd data-faint>{number(n)}</dd>
                    </>
                  )}
                </For>
              </dl>
              <Work name={text().sessions.counting} progress={library().counting} />
              <Work name={text().sessions.index} progress={library().search} />
            </Popover.Content>
          </Popover.Portal>
        </Popover>
      )}
    </Show>
  );
}

/** The tour's conversations don't count: a user without others should not see "0 shown". */
function worthSaying(library: Library | null): boolean {
  return library !== null && (library.onDisk > 0 || library.scanning || running(library) !== null);
}

function line(library: Library): string {
  if (library.scanning) return text().sessions.looking;
  const progress = running(library);
  if (progress) return text().sessions.readingDisk(progress.filesDone, progress.files);
  return text().sessions.diskLine(library.onDisk, library.shown);
}

function running(library: Library): Progress | null {
  return [library.counting, library.search].find((progress) => progress.busy) ?? null;
}

function share(progress: Progress): number {
  return progress.bytes > 0 ? Math.min(1, progress.bytesDone / progress.bytes) : 0;
}

function Bar(props: { progress: Progress }): JSX.Element {
  return (
    <span data-slot="bar" aria-hidden="true">
      <span style={{ width: `${100 * share(props.progress)}%` }} />
    </span>
  );
}

function Work(props: { name: string; progress: Progress }): JSX.Element {
  const how = () => {
    const { busy, problem, bytesDone, bytes } = props.progress;
    if (problem !== "") return problem;
    return busy ? text().sessions.progress(formatBytes(bytesDone), formatBytes(bytes)) : text().sessions.upToDate;
  };
  return (
    <p data-slot="work">
      <span>{props.name}</span>
      <span data-faint>{how()}</span>
    </p>
  );
}
