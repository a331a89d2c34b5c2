import FileDown from "lucide-solid/icons/file-down";
import type { JSX } from "solid-js";
import { Show } from "solid-js";
import { text } from "../i18n";
import type { DiffRow } from "../lib/diff";
import { canDragOut, dragOut } from "../host/drag-out";
import { patchOf } from "../lib/patch";
import { saveFile } from "../host/save-file";
import { useHost } from "../host/context";

/** A diff as a file: dragged into another program, or saved with a click. */
export function DiffFileButton(props: { rows: DiffRow[]; path: string }): JSX.Element {
  const host = useHost();
  const name = () => `${props.path.replace(/^.*\//, "") || "change"}.diff`;
  const content = () => patchOf(props.rows, props.path);
  const words = () => text().tools.takeDiff;
  return (
    <Show when={canDragOut(host)}>
      <button
        type="button"
        data-component="copy-button"
        aria-label={words()}
        title={words()}
        draggable={true}
        onDragStart={(event) => dragOut(host, event, { name: name(), content: new Blob([content()], { type: "text/x-diff" }) })}
        onClick={() => void saveFile(host, name(), "text/x-diff", content()).catch(() => {})}
      >
        <FileDown size={14} />
      </button>
    </Show>
  );
}
