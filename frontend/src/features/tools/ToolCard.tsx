import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import ChevronRight from "lucide-solid/icons/chevron-right";
import CircleDot from "lucide-solid/icons/circle-dot";
import CircleStop from "lucide-solid/icons/circle-stop";
import Hand from "lucide-solid/icons/hand";
import MessageSquareText from "lucide-solid/icons/message-square-text";
import ShieldCheck from "lucide-solid/icons/shield-check";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, createUniqueId, type JSX } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { choose } from "../../lib/choose";
import { createClock, formatDuration, formatElapsed } from "../../lib/time";
import { describeTool, doubt, endedVerb, isDelegation, partialInput, toolKind } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import { nameOf } from "../../lib/whose";
import { text } from "../../i18n";
import { type Scope, ScopeContext } from "../../store/scope";
import { NestedTimeline, StopButton } from "./AgentDetail";
import { exitCode, taskNote, toolNote } from "./note";
import { ToolDetail } from "./ToolDetail";
import "./tool-card.css";

// Details that are expanded initially, unless they are shown in the request below.
const OPEN_FROM_THE_START = new Set(["ExitPlanMode", "TodoWrite", "AskUserQuestion"]);

/** A tool call: one line that expands to its input and result. */
export function ToolCard(props: {
  tool: Tool;
  scope: Scope;
  /** Renders a message of the subagent that this tool started. */
  renderNested: (messageId: string, scope: Scope) => JSX.Element;
  /** Whether its detail is expanded initially. */
  open?: boolean;
}): JSX.Element {
  const id = createUniqueId();
  const [chosen, setChosen] = createSignal<boolean | null>(null);
  const notRun = () => props.tool.state === "notRun";
  const running = () => props.tool.state === "input" || props.tool.state === "pending";
  const asking = () => running() && props.scope.asking(props.tool.toolUseId);
  // A call that did not run has little to show, and one without content yet would be empty.
  const fromTheStart = () => !notRun() && (OPEN_FROM_THE_START.has(toolKind(props.tool.name)) ? !asking() && Boolean(props.tool.input) : props.tool.state === "error");
  const open = () => chosen() ?? (props.open || fromTheStart());
  const task = () => props.scope.task(props.tool.toolUseId);
  const nested = () =>
    isDelegation(props.tool.name) || (props.scope.conversation.nested[props.tool.toolUseId]?.length ?? 0) > 0;

  const description = createMemo(() => {
    const input = props.tool.input ?? partialInput(props.tool.inputText ?? "");
    return describeTool(props.tool.name, input, props.scope.cwd);
  });
  const verb = () => {
    const { doing, done, base } = description().verb;
    // A question is already shown to the user.
    if (asking() && !OPEN_FROM_THE_START.has(toolKind(props.tool.name))) return text().tools.asks(base);
    switch (props.tool.state) {
      case "done":
        return task() ? doing : done;
      case "error":
        // A command that fails did run.
        return exitCode(props.tool) === null ? text().tools.failed(base) : done;
      case "input":
      case "pending":
        return doing;
      default:
        return endedVerb(props.tool, description().verb);
    }
  };
  const note = () => {
    const going = task();
    if (going) return taskNote(going);
    return running() ? "" : doubt(props.tool) || toolNote(props.tool);
  };

  /** What allowed it without asking, and why. */
  const passed = () => {
    const names: Record<string, string> = text().permission.passed;
    return [names[props.tool.passedBy ?? ""] ?? props.tool.passedBy, props.tool.passedWhy].filter(Boolean).join(": ");
  };

  /** Who answered its request, if it was a Mattermost user. */
  const answered = () => (props.tool.answeredBy ? text().approval.answered(nameOf(props.tool.answeredBy)) : "");

  /** It is still running, or something it started is. */
  const going = () => running() || task() !== undefined;
  const took = () => (!going() && !notRun() && props.tool.durationMs ? formatDuration(props.tool.durationMs) : "");
  const shownState = () => (asking() ? "asking" : task() ? "pending" : props.tool.state);
  const states = (): Record<string, string> => text().tools.states;
  /** The visible text in order, then the meaning of the icons. */
  const spoken = () => {
    const seen = [`${verb()} ${showHidden(description().object)}`.trim(), asking() ? text().tools.waitsForYou : note(), took()];
    return [...seen, asking() ? "" : states()[shownState()], props.tool.passedBy ? passed() : "", answered()].filter(Boolean).join(", ");
  };

  return (
    <div
      data-component="tool-card"
      data-block-id={props.scope.conversation.toolBlocks[props.tool.toolUseId]}
      data-state={shownState()}
      data-open={open() || undefined}
    >
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
        {/* The spaces separate the words for screen readers; they are not rendered. */}
        <span data-slot="verb">{verb()}</span>{" "}
        {description().object && (
          <>
            <span data-slot="object" data-code={description().code || undefined} title={showHidden(description().object)}>
              {showHidden(description().object)}
            </span>{" "}
          </>
        )}
        {props.tool.passedBy && (
          <span data-slot="passed" title={passed()}>
            <ShieldCheck size={14} />
          </span>
        )}
        {props.tool.answeredBy && (
          <span data-slot="passed" title={answered()}>
            <MessageSquareText size={14} />
          </span>
        )}
        <span data-slot="note">{asking() ? text().tools.waitsForYou : note()}</span>{" "}
        <span data-slot="time" data-going={going() || undefined}>
          {took()}
        </span>
        <span data-slot="chevron">
          <ChevronRight size={14} />
        </span>
      </button>
      {/* Outside the button: a label that changes every second would be announced every second. */}
      {going() && (
        <span data-slot="elapsed">
          <Elapsed since={props.tool.startedAt} />
        </span>
      )}
      <ScopeContext.Provider value={props.scope}>
        {task() && <StopButton taskId={task()?.taskId ?? ""} />}
        {open() && (
          <div data-slot="detail" id={id}>
            {props.tool.passedBy && <p data-slot="passed-why">{passed()}</p>}
            {answered() && <p data-slot="passed-why">{answered()}</p>}
            <ToolDetail tool={props.tool} />
          </div>
        )}
        {nested() && (open() || going()) && (
          <NestedTimeline tool={props.tool} running={going()} render={props.renderNested} />
        )}
      </ScopeContext.Provider>
    </div>
  );
}

function Elapsed(props: { since: number }): JSX.Element {
  const now = createClock(1000);
  return <>{formatElapsed(now() - props.since)}</>;
}

function StateIcon(props: { state: string }): JSX.Element {
  return choose(
    () => props.state,
    (state) => {
      switch (state) {
        case "done":
          return <Check size={14} />;
        case "error":
          return <X size={14} />;
        case "notRun":
          return <Ban size={14} />;
        case "stopped":
        case "cutOff":
          return <CircleStop size={14} />;
        case "asking":
          return <Hand size={14} />;
        default:
          return <CircleDot size={14} />;
      }
    },
  );
}
