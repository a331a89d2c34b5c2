import { createMemo, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton } from "../../ui/markdown";
import { field, textField } from "../../lib/shape";
import { partialInput } from "../../lib/tools";
import { Diff } from "../../ui/diff";
import { DiffFileButton } from "../../ui/diff-file";
import { DiffLayoutButton } from "../../ui/diff-layout";
import { Pane } from "../../ui/pane";
import { Cell, NumberedCode, pathOf } from "./FileDetail";
import { FilePath } from "./FilePath";
import { changeRows } from "./note";
import { Result } from "./Result";

const undone = (tool: Tool) => ["error", "stopped", "notRun", "cutOff"].includes(tool.state);

/** Why a change was not made, and a note that the diff below was only proposed. */
function Undone(props: { tool: Tool; change: boolean }): JSX.Element {
  return (
    <Show when={undone(props.tool)}>
      <Result tool={props.tool} />
      <Show when={props.change}>
        <p data-slot="aside">{text().tools.notApplied}</p>
      </Show>
    </Show>
  );
}

/** A file change as a diff: as reported by the CLI, or as proposed before it ran. */
export function EditDetail(props: { tool: Tool }): JSX.Element {
  const rows = createMemo(() => changeRows(props.tool));
  const line = () => rows()?.find((row) => row.kind !== "same" && row.newLine !== null)?.newLine ?? null;
  return (
    <>
      <FilePath path={pathOf(props.tool)} line={line()} aside={field(props.tool.input, "replace_all") === true ? text().tools.replacesAll : ""} />
      <Undone tool={props.tool} change={rows() !== null} />
      <Show when={rows()}>
        {(found) => (
          <Pane
            label={text().tools.change}
            corner={
              <>
                <DiffFileButton rows={found()} path={pathOf(props.tool)} />
                <DiffLayoutButton />
              </>
            }
          >
            <Diff rows={found()} path={pathOf(props.tool)} />
          </Pane>
        )}
      </Show>
      <Show when={field(props.tool.structured, "userModified") === true}>
        <p data-slot="aside">{text().tools.userModified}</p>
      </Show>
    </>
  );
}

/** A written file: the changes if it existed before, otherwise its content. */
export function WriteDetail(props: { tool: Tool }): JSX.Element {
  const content = () => textField(props.tool.input ?? partialInput(props.tool.inputText ?? ""), "content");
  const update = () => textField(props.tool.structured, "type") === "update";
  return (
    <Show when={!update()} fallback={<EditDetail tool={props.tool} />}>
      <FilePath path={pathOf(props.tool)} />
      <Undone tool={props.tool} change={content() !== ""} />
      <Show when={content()}>
        <Pane label={text().tools.content} corner={<CopyButton text={content} label={text().tools.copyContent} />}>
          <NumberedCode text={content()} path={pathOf(props.tool)} first={1} />
        </Pane>
      </Show>
    </Show>
  );
}

/** A notebook cell that was changed, added or removed. */
export function NotebookDetail(props: { tool: Tool }): JSX.Element {
  const mode = () => textField(props.tool.input, "edit_mode") || "replace";
  const rows = createMemo(() => changeRows(props.tool));
  const label = () => ({ insert: text().tools.newCell, delete: text().tools.deletedCell })[mode()] ?? text().tools.changedCell;
  const id = () => textField(props.tool.structured, "cell_id") || textField(props.tool.input, "cell_id");
  return (
    <>
      <FilePath path={pathOf(props.tool)} aside={undone(props.tool) ? "" : [label(), id()].filter(Boolean).join(" ")} />
      <Undone tool={props.tool} change={rows() !== null || textField(props.tool.input, "new_source") !== ""} />
      <Show
        when={rows()}
        fallback={
          <Show when={textField(props.tool.input, "new_source")}>
            {(source) => (
              <Pane label={label()} corner={<CopyButton text={source} label={text().tools.copyContent} />}>
                <Cell source={source()} kind={textField(props.tool.input, "cell_type")} language={textField(props.tool.structured, "language")} />
              </Pane>
            )}
          </Show>
        }
      >
        {(found) => (
          <Pane label={text().tools.change} corner={<DiffLayoutButton />}>
            <Diff rows={found()} path={textField(props.tool.input, "cell_type") === "markdown" ? "cell.md" : "cell.py"} />
          </Pane>
        )}
      </Show>
    </>
  );
}
