import { type JSX, Match, Show, Switch } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { CopyButton, LongText, Markdown } from "../../lib/markdown";
import { pretty, textField } from "../../lib/shape";
import { isDelegation } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { CommandDetail } from "./CommandDetail";
import { EditDetail, ReadDetail, WriteDetail } from "./FileDetail";
import { resultText } from "./note";
import { Labelled, Result } from "./Result";
import { FetchDetail, FilesDetail, WebSearchDetail } from "./SearchDetail";
import { AnswersDetail, PlanDetail, TodoDetail } from "./TalkDetail";
import "./tool-detail.css";

/** What went into a tool and what came out, in the form that suits it. */
export function ToolDetail(props: { tool: Tool; cwd: string }): JSX.Element {
  const is = (...names: string[]) => names.includes(props.tool.name);
  return (
    <div data-component="tool-detail">
      <Switch fallback={<OtherDetail tool={props.tool} />}>
        <Match when={is("Bash")}>
          <CommandDetail tool={props.tool} />
        </Match>
        <Match when={is("Edit")}>
          <EditDetail tool={props.tool} />
        </Match>
        <Match when={is("Write")}>
          <WriteDetail tool={props.tool} />
        </Match>
        <Match when={is("Read")}>
          <ReadDetail tool={props.tool} />
        </Match>
        <Match when={is("Glob", "Grep")}>
          <FilesDetail tool={props.tool} cwd={props.cwd} />
        </Match>
        <Match when={is("TodoWrite")}>
          <TodoDetail tool={props.tool} />
        </Match>
        <Match when={is("AskUserQuestion")}>
          <AnswersDetail tool={props.tool} />
        </Match>
        <Match when={is("ExitPlanMode")}>
          <PlanDetail tool={props.tool} />
        </Match>
        <Match when={is("WebFetch")}>
          <FetchDetail tool={props.tool} />
        </Match>
        <Match when={is("WebSearch")}>
          <WebSearchDetail tool={props.tool} />
        </Match>
        <Match when={isDelegation(props.tool.name)}>
          <DelegationDetail tool={props.tool} />
        </Match>
      </Switch>
    </div>
  );
}

function DelegationDetail(props: { tool: Tool }): JSX.Element {
  return (
    <>
      <Labelled label={textField(props.tool.input, "subagent_type") || "Task"}>
        <Pane label="What the subagent was asked">
          <div data-slot="prose">
            <Markdown text={textField(props.tool.input, "prompt")} />
          </div>
        </Pane>
      </Labelled>
      <Show when={props.tool.state === "done"} fallback={<Result tool={props.tool} />}>
        <Labelled label="Answer">
          <Pane label="What the subagent answered">
            <div data-slot="prose">
              <Markdown text={resultText(props.tool)} />
            </div>
          </Pane>
        </Labelled>
      </Show>
    </>
  );
}

/** Tools that have no form of their own: their input and result as they are. */
function OtherDetail(props: { tool: Tool }): JSX.Element {
  const input = () => pretty(props.tool.input) || (props.tool.inputText ?? "");
  return (
    <>
      <Show when={input() && input() !== "{}"}>
        <Labelled label="Input">
          <Pane label="Input" corner={<CopyButton text={input} label="Copy input" />}>
            <pre data-slot="plain">
              <LongText text={input()} />
            </pre>
          </Pane>
        </Labelled>
      </Show>
      <Result tool={props.tool} label="Result" />
    </>
  );
}
