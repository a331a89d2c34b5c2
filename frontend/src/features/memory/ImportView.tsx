import { createSignal, For, type JSX, Show } from "solid-js";
import type { MemoryImport } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { FolderDialog } from "../folder/FolderDialog";
import type { MemoryModel } from "./model";

/** The maximum number of files listed. */
const mostFiles = 12;

/** Imports an EARL folder, with a preview. */
export function ImportView(props: { model: MemoryModel }): JSX.Element {
  const { host, state } = useApp();
  const [browsing, setBrowsing] = createSignal(false);
  const [folder, setFolder] = createSignal("");
  const [found, setFound] = createSignal<MemoryImport | null>(null);
  const [done, setDone] = createSignal<MemoryImport | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const words = () => text().memory.importView;

  async function inspect(path: string): Promise<void> {
    const answer = await host.call("memory.previewImport", { path });
    setFolder(path);
    setDone(null);
    setError("");
    setFound(answer);
  }

  async function run(): Promise<void> {
    setBusy(true);
    setError("");
    try {
      setDone(await host.call("memory.import", { path: folder() }));
      setFound(null);
      props.model.overview.again();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <header data-slot="head">
        <h3>{words().title}</h3>
        <p data-slot="aside">{words().about}</p>
      </header>
      <div data-slot="tools">
        <Button data-autofocus="" onClick={() => setBrowsing(true)}>
          {words().choose}
        </Button>
        <Show when={folder()}>
          <bdi data-slot="aside">{tilde(folder(), state.info?.home ?? "")}</bdi>
        </Show>
      </div>
      <Show when={error()}>
        <p data-slot="invalid" role="alert">
          {error()}
        </p>
      </Show>
      <Show when={found()}>{(what) => <Preview what={what()} busy={busy()} onRun={() => void run()} />}</Show>
      <Show when={done()}>
        {(what) => (
          <div data-slot="notice" role="status">
            <strong>{words().done(what().new)}</strong>
            <Button size="small" onClick={() => props.model.show({ kind: "list", scope: null })}>
              {text().memory.all}
            </Button>
          </div>
        )}
      </Show>
      <FolderDialog open={browsing()} onOpenChange={setBrowsing} title={words().chooseTitle} description={words().chooseAbout} onChoose={inspect} />
    </>
  );
}

function Preview(props: { what: MemoryImport; busy: boolean; onRun: () => void }): JSX.Element {
  const words = () => text().memory.importView;
  const files = () => props.what.files.slice(0, mostFiles);
  const rest = () => props.what.files.length - files().length;
  const nothing = () => props.what.files.length === 0;
  return (
    <div data-slot="import" role="status">
      <p>
        <strong>{nothing() ? words().wrong : words().found(props.what.new)}</strong>{" "}
        <Show when={props.what.known > 0}>{words().known(props.what.known)}</Show>{" "}
        <Show when={props.what.tooLong > 0}>{words().tooLong(props.what.tooLong)}</Show>
      </p>
      <For each={props.what.problems}>{(problem) => <p data-slot="aside">{problem}</p>}</For>
      <Show when={!nothing()}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words().file}</th>
              <th scope="col" data-figure="">
                {words().fresh}
              </th>
              <th scope="col" data-figure="">
                {words().here}
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={files()}>
              {(file) => (
                <tr>
                  <th scope="row">{file.file}</th>
                  <td data-figure="">{number(file.new)}</td>
                  <td data-figure="">{number(file.known)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <Show when={rest() > 0}>
          <p data-slot="aside">{words().more(rest())}</p>
        </Show>
      </Show>
      <Show when={props.what.new > 0}>
        <div data-slot="actions">
          <Button variant="primary" disabled={props.busy} onClick={() => props.onRun()}>
            {props.busy ? words().running : words().run}
          </Button>
        </div>
      </Show>
    </div>
  );
}
