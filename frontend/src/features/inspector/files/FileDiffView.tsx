import { createMemo, createResource, type JSX, Match, Show, Switch } from "solid-js";
import type { FileDiff, FileText } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { text } from "../../../i18n";
import { textRows } from "../../../lib/diff";
import { Diff } from "../../../ui/diff";
import { Pane } from "../../../ui/pane";

/** The diff of a file between two points in time, loaded when rendered. */
export function FileDiffView(props: {
  read: () => Promise<FileDiff>;
  label: string;
  /** Shows the reverse diff, from the current version to the old one. */
  back?: boolean;
}): JSX.Element {
  const [diff] = createResource(async () => {
    try {
      return await props.read();
    } catch (failure) {
      return messageOf(failure);
    }
  });
  const found = () => {
    const read = diff();
    if (read === undefined || typeof read === "string") return undefined;
    return props.back ? { ...read, before: read.after, after: read.before } : read;
  };
  const shown = (side: FileText) => side.state === "text" || side.state === "absent";
  const rows = createMemo(() => {
    const both = found();
    return both && shown(both.before) && shown(both.after) ? textRows(both.before.text, both.after.text, true) : [];
  });
  const why = () => {
    const both = found();
    const words = text().inspector.files;
    if (typeof diff() === "string") return diff() as string;
    if (!both) return "";
    const states = [both.before.state, both.after.state];
    if (states.includes("binary")) return words.binary;
    if (states.includes("large")) return words.large;
    if (states.includes("unknown")) return words.unknown;
    return rows().length === 0 ? words.same : "";
  };
  return (
    <div data-component="file-diff">
      <Switch>
        <Match when={diff.loading}>
          <p data-slot="note" role="status">
            {text().common.loading}
          </p>
        </Match>
        <Match when={why()}>
          <p data-slot="note">{why()}</p>
        </Match>
        <Match when={true}>
          <Show when={rows().length > 0}>
            <Pane label={props.label}>
              <Diff rows={rows()} />
            </Pane>
          </Show>
        </Match>
      </Switch>
    </div>
  );
}
