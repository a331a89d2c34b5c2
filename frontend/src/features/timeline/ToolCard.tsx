import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import ChevronRight from "lucide-solid/icons/chevron-right";
import Circle from "lucide-solid/icons/circle";
import CircleStop from "lucide-solid/icons/circle-stop";
import Hand from "lucide-solid/icons/hand";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { createClock, formatDuration, formatElapsed } from "../../lib/time";
import { describeTool, partialInput } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import { exitCode, toolNote } from "./note";
import type { Scope } from "./scope";
import { ToolDetail } from "./ToolDetail";
import "./tool-card.css";

// What a person wants to read without asking for it.
const OPEN_FROM_THE_START = new Set(["ExitPlanMode", "TodoWrite", "AskUserQuestion"]);

/** A tool use: one calm line that opens to what went in and what came out. */
export function ToolCard(props: {
  tool: Tool;
  scope: Scope;
  /** Draws a message of the subagent that this tool started. */
  renderNested: (messageId: string) => JSX.Element;
}): JSX.Element {
  const id = createUniqueId();
  const [chosen, setChosen] = createSignal<boolean | null>(null);
  const denied = () => props.tool.denied === true && props.tool.state === "error";
  const open = () =>
    chosen() ?? ((props.tool.state === "error" && !denied()) || OPEN_FROM_THE_START.has(props.tool.name));
  const running = () => props.tool.state === "input" || props.tool.state === "pending";
  const asking = () => running() && props.scope.asking(props.tool.toolUseId);
  const task = () => props.scope.task(props.tool.toolUseId);
  const nested = () => props.scope.conversation.nested[props.tool.toolUseId] ?? [];

  const description = createMemo(() => {
    const input = props.tool.input ?? partialInput(props.tool.inputText ?? "");
    return describeTool(props.tool.name, input, props.scope.cwd);
  });
  const verb = () => {
    const { doing, done, base } = description().verb;
    switch (props.tool.state) {
      case "done":
        return done;
      case "error":
        if (denied()) return `Not allowed to ${base}`;
        // A command that fails was run all the same.
        return exitCode(props.tool) === null ? `Could not ${base}` : done;
      case "stopped":
        return `Stopped ${doing.charAt(0).toLowerCase()}${doing.slice(1)}`;
      default:
        return doing;
    }
  };
  const note = () => {
    const going = task();
    if (going) return [going.lastTool, `${going.toolUses ?? 0} steps`].filter(Boolean).join(" · ");
    return running() ? "" : toolNote(props.tool);
  };

  const shownState = () => (asking() ? "asking" : denied() ? "denied" : props.tool.state);
  const spoken = () =>
    [`${verb()} ${showHidden(description().object)}`.trim(), stateNames[shownState()], note()].filter(Boolean).join(", ");

  return (
    <div data-component="tool-card" data-state={shownState()} data-open={open() || undefined}>
      <button
        type="button"
        data-slot="line"
        aria-label={spoken()}
        aria-expanded={open()}
        aria-controls={id}
        onClick={() => setChosen(!open())}
      >
        <span data-slot="icon">
          <StateIcon state={shownState()} />
        </span>
        <span data-slot="verb">{verb()}</span>
        <Show when={description().object}>
          <span data-slot="object" data-code={description().code || undefined} title={showHidden(description().object)}>
            {showHidden(description().object)}
          </span>
        </Show>
        <span data-slot="note">
          <Show when={!asking()} fallback="waits for you">
            {note()}
          </Show>
        </span>
        <span data-slot="time">
          <Switch>
            <Match when={running() || task()}>
              <Elapsed since={props.tool.startedAt} />
            </Match>
            <Match when={props.tool.durationMs}>{(ms) => formatDuration(ms())}</Match>
          </Switch>
        </span>
        <span data-slot="chevron">
          <ChevronRight size={14} />
        </span>
      </button>
      <Show when={open()}>
        <div data-slot="detail" id={id}>
          <ToolDetail tool={props.tool} cwd={props.scope.cwd} />
        </div>
      </Show>
      <Show when={nested().length > 0}>
        <div data-slot="nested" role="group" aria-label="What the subagent did">
          <For each={nested()}>{(messageId) => props.renderNested(messageId)}</For>
        </div>
      </Show>
    </div>
  );
}

function Elapsed(props: { since: number }): JSX.Element {
  const now = createClock(1000);
  return <>{formatElapsed(now() - props.since)}</>;
}

const stateNames: Record<string, string> = {
  input: "running",
  pending: "running",
  asking: "waiting for you",
  done: "done",
  error: "failed",
  stopped: "stopped",
  denied: "not allowed",
};

function StateIcon(props: { state: string }): JSX.Element {
  return (
      <Switch fallback={<Circle size={14} />}>
        <Match when={props.state === "done"}>
          <Check size={14} />
        </Match>
        <Match when={props.state === "error"}>
          <X size={14} />
        </Match>
        <Match when={props.state === "denied"}>
          <Ban size={14} />
        </Match>
        <Match when={props.state === "stopped"}>
          <CircleStop size={14} />
        </Match>
        <Match when={props.state === "asking"}>
          <Hand size={14} />
        </Match>
      </Switch>
  );
}
