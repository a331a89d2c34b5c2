import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { OutsideChanges, OutsideFile } from "../../../host/border.gen";
import { text } from "../../../i18n";
import { useApp } from "../../../store/context";
import { FileDiffView } from "./FileDiffView";
import { FileName } from "./FileRow";

/** Further changes found by git: by commands, other sessions, or people. */
export function Outside(props: { sessionId: string; outside: OutsideChanges | undefined }): JSX.Element {
  const words = () => text().inspector.files;
  const files = () => props.outside?.files ?? [];
  return (
    <Show when={props.outside && (props.outside.state === "failed" || files().length > 0)}>
      <section aria-labelledby={`outside-${props.sessionId}`}>
        <header data-slot="head">
          <h3 id={`outside-${props.sessionId}`}>{words().outside}</h3>
        </header>
        <p data-slot="hint">{props.outside?.state === "failed" ? props.outside.message : words().outsideHint}</p>
        <ul role="list">
          <For each={files()}>{(file) => <Row sessionId={props.sessionId} file={file} />}</For>
        </ul>
        <Show when={props.outside?.more}>
          <p data-slot="hint">{words().more}</p>
        </Show>
      </section>
    </Show>
  );
}

function Row(props: { sessionId: string; file: OutsideFile }): JSX.Element {
  const { host } = useApp();
  const [open, setOpen] = createSignal(false);
  const kinds = (): Record<string, string> => text().inspector.files.kinds;
  const kind = () => <span data-slot="kind">{kinds()[props.file.kind] ?? props.file.kind}</span>;
  return (
    <li data-component="file-row">
      <div data-slot="line">
        <Show
          when={!props.file.folder}
          fallback={
            <span data-slot="toggle" title={props.file.path}>
              <span data-slot="chevron" />
              <FileName name={props.file.name} />
              {kind()}
            </span>
          }
        >
          <button type="button" data-slot="toggle" aria-expanded={open()} title={props.file.path} onClick={() => setOpen(!open())}>
            <span data-slot="chevron" data-open={open() || undefined}>
              <ChevronRight />
            </span>
            <FileName name={props.file.name} />
            {kind()}
          </button>
        </Show>
      </div>
      <Show when={open()}>
        <FileDiffView
          label={text().inspector.files.diffOf(props.file.name)}
          read={() => host.call("change.outsideDiff", { sessionId: props.sessionId, path: props.file.path })}
        />
      </Show>
    </li>
  );
}
