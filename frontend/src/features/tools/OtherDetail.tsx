import { createSignal, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton, LongText } from "../../ui/markdown";
import { pretty, textField } from "../../lib/shape";
import { describeTool } from "../../lib/tools";
import { JsonTree } from "../../ui/json-tree";
import { Pane } from "../../ui/pane";
import { saysWhy } from "./note";
import { Labelled, Result } from "./Result";

// A streaming text is shown up to this length.
const MOST_WRITTEN = 20_000;

/** Tools without their own view: input and result as trees. */
export function OtherDetail(props: { tool: Tool }): JSX.Element {
  const [plain, setPlain] = createSignal(false);
  const words = () => text().tools;
  /** The input, unless the card's line already shows all of it. */
  const given = () => {
    const { input, name } = props.tool;
    if (typeof input !== "object" || input === null) return false;
    const [first, ...more] = Object.values(input) as unknown[];
    return first !== undefined && (more.length > 0 || first !== describeTool(name, input, "").object);
  };
  const writing = () => (props.tool.input === undefined || props.tool.input === null ? (props.tool.inputText ?? "") : "");
  return (
    <>
      <Show when={writing()}>
        <Pane label={words().input}>
          <pre data-slot="plain">
            <LongText text={writing().slice(0, MOST_WRITTEN)} />
          </pre>
        </Pane>
      </Show>
      <Show when={given()}>
        <Labelled label={words().input}>
          <Pane
            label={words().input}
            corner={
              <>
                <button type="button" data-component="copy-button" data-words onClick={() => setPlain(!plain())}>
                  {plain() ? words().tree.asTree : words().tree.text}
                </button>
                <CopyButton text={() => pretty(props.tool.input)} label={words().copyInput} />
              </>
            }
          >
            <Show when={plain()} fallback={<JsonTree value={props.tool.input} label={words().input} />}>
              <pre data-slot="plain">
                <LongText text={pretty(props.tool.input)} />
              </pre>
            </Show>
          </Pane>
        </Labelled>
      </Show>
      <Result tool={props.tool} label={words().result} />
    </>
  );
}

/** A skill or command with its arguments. */
export function SkillDetail(props: { tool: Tool }): JSX.Element {
  const given = () => textField(props.tool.input, "args");
  return (
    <>
      <Show when={given()}>
        <Labelled label={text().tools.arguments}>
          <Pane label={text().tools.arguments}>
            <pre data-slot="plain">
              <LongText text={given()} />
            </pre>
          </Pane>
        </Labelled>
      </Show>
      <Result tool={props.tool} label={given() ? text().tools.result : ""} />
    </>
  );
}

/** A worktree that the session entered or left. */
export function WorktreeDetail(props: { tool: Tool }): JSX.Element {
  const fact = (name: string) => textField(props.tool.structured, name);
  const actions = (): Record<string, string> => text().tools.action;
  const facts = () => [fact("worktreeBranch") && `${text().tools.branch} ${fact("worktreeBranch")}`, actions()[fact("action")] ?? ""].filter(Boolean);
  return (
    <>
      <Show when={fact("worktreePath") || textField(props.tool.input, "path")}>{(path) => <p data-slot="path">{path()}</p>}</Show>
      <Show when={facts().length > 0}>
        <p data-slot="aside">{facts().join(" · ")}</p>
      </Show>
      <Show when={saysWhy(props.tool)}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}
