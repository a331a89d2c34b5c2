import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { Message, Session } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { canDragOut, dragOut } from "../../host/drag-out";
import { writeClipboard } from "../../ui/markdown";
import { loadMath } from "../../ui/markdown/math";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Radios } from "../../ui/radios";
import { readAll, TooLong } from "./collect";
import { saveFile } from "../../host/save-file";
import { printBody } from "./deliver";
import { toBody, toDocument } from "./html";
import { toMarkdown } from "./markdown";
import { entriesOf, headOf, type Options } from "./parts";
import "./export.css";

type Format = "markdown" | "html" | "json";
const formats = { markdown: { ext: "md", type: "text/markdown" }, html: { ext: "html", type: "text/html" }, json: { ext: "json", type: "application/json" } };
const formatNames: readonly Format[] = ["markdown", "html", "json"];
const toolChoices: readonly Options["tools"][] = ["none", "line", "full"];

/** Exports a conversation: to a file, the clipboard, or a printer. */
export function ExportDialog(props: { session: Session; open: boolean; onOpenChange: (open: boolean) => void }): JSX.Element {
  return (
    <Dialog open={props.open} onOpenChange={(open) => props.onOpenChange(open)} title={text().exporting.title} description={text().exporting.about} size="form">
      <Export session={props.session} />
    </Dialog>
  );
}

function Export(props: { session: Session }): JSX.Element {
  const { host } = useApp();
  const [format, setFormat] = createSignal<Format>("markdown");
  const [tools, setTools] = createSignal<Options["tools"]>("line");
  const [thinking, setThinking] = createSignal(false);
  const [progress, setProgress] = createSignal<{ done: number; total: number } | null>(null);
  const [said, setSaid] = createSignal("");
  const [saved, setSaved] = createSignal("");
  const [error, setError] = createSignal("");
  let stop = new AbortController();
  onCleanup(() => stop.abort());

  const options = (): Options => ({ tools: tools(), thinking: thinking() });
  const words = () => text().exporting;

  /** Reads the conversation and passes it to act, one run at a time. */
  async function take(act: (messages: Message[]) => Promise<string> | string): Promise<void> {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    setSaid("");
    setSaved("");
    setError("");
    setProgress({ done: 0, total: Math.max(0, props.session.messages) });
    try {
      // Formulas are rendered synchronously.
      await loadMath();
      const messages = await readAll(host, props.session.id, (done, total) => setProgress({ done, total }), signal);
      const done = await act(messages);
      if (!signal.aborted) setSaid(done);
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof TooLong ? words().tooLong : messageOf(failure));
    }
    if (stop.signal === signal) setProgress(null);
  }

  function make(messages: Message[], as: Format): string {
    const { session } = props;
    if (as === "json") return `${JSON.stringify({ version: 1, title: session.title, cwd: session.cwd, cliSessionId: session.cliSessionId, messages }, null, 2)}\n`;
    const entries = entriesOf(messages, session.cwd, options());
    return as === "html" ? toDocument(headOf(session), entries) : toMarkdown(headOf(session), entries);
  }
  const save = () =>
    take(async (messages) => {
      const as = format();
      const { ext, type } = formats[as];
      const path = await saveFile(host, `${headOf(props.session).title.slice(0, 80)}.${ext}`, type, make(messages, as));
      setSaved(path ?? "");
      return path ? words().saved(path) : "";
    });
  const copy = () =>
    take(async (messages) => {
      await writeClipboard(make(messages, format()));
      return words().copied;
    });
  const toPaper = () =>
    take((messages) => {
      printBody(toBody(headOf(props.session), entriesOf(messages, props.session.cwd, options())));
      return "";
    });

  return (
    <div data-component="export">
      <Radios
        legend={words().format}
        value={format()}
        onChange={setFormat}
        choices={formatNames.map((id) => ({ id, name: words().formats[id], about: words().formatAbout[id] }))}
      />
      <Show when={format() !== "json"}>
        <Radios legend={words().tools} value={tools()} onChange={setTools} choices={toolChoices.map((id) => ({ id, name: words().toolChoices[id] }))} />
        <label data-slot="check">
          <input type="checkbox" checked={thinking()} onChange={(event) => setThinking(event.currentTarget.checked)} />
          {words().thinking}
        </label>
      </Show>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <div data-slot="acts">
        <p data-slot="state" role="status">
          <Show
            when={progress()}
            fallback={
              <span draggable={saved() !== "" && canDragOut(host)} onDragStart={(event) => dragOut(host, event, { path: saved() })}>
                {said()}
              </span>
            }
          >
            {(at) => words().reading(at().done, at().total)}
          </Show>
        </p>
        <Button disabled={progress() !== null} onClick={() => void toPaper()}>
          {words().print}
        </Button>
        <Button disabled={progress() !== null} onClick={() => void copy()}>
          {words().copy}
        </Button>
        <Button variant="primary" data-autofocus="" disabled={progress() !== null} onClick={() => void save()}>
          {words().save}
        </Button>
      </div>
    </div>
  );
}
