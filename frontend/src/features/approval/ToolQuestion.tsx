import FilePen from "lucide-solid/icons/file-pen";
import Globe from "lucide-solid/icons/globe";
import Terminal from "lucide-solid/icons/terminal";
import Wrench from "lucide-solid/icons/wrench";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { describeTool, toolLabel } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import { Button } from "../../ui/button";
import { Kbd } from "../../ui/kbd";
import { createInputEdit } from "./edit";
import { Frame, type QuestionProps } from "./Frame";
import { ALLOW_KEYS, createQuestionKeys, DENY_KEYS } from "./keys";
import { Reason } from "./Reason";
import { WhatWillHappen } from "./WhatWillHappen";
import "./question.css";

/** May a tool do this? */
export function ToolQuestion(props: QuestionProps): JSX.Element {
  const [mode, setMode] = createSignal<"ask" | "reason" | "edit">("ask");
  const [remember, setRemember] = createSignal(false);
  const edit = createInputEdit(() => props.question);
  const cautious = () => props.question.defaultToNo ?? false;
  const busy = () => props.answer.phase() !== "ready";

  const allow = () => {
    const updatedInput = mode() === "edit" ? edit.input() : undefined;
    if (mode() === "edit" && updatedInput === undefined) return;
    props.answer.give({
      behavior: "allow",
      ...(updatedInput === undefined ? {} : { updatedInput }),
      ...(remember() && mode() === "ask" ? { remember: true } : {}),
    });
  };
  const deny = (message?: string) => props.answer.give({ behavior: "deny", ...(message ? { message } : {}) });
  createQuestionKeys({
    // Where the CLI advises against it, allowing takes a deliberate step.
    allow: () => {
      if (mode() === "ask" && !cautious()) allow();
    },
    deny: () => {
      if (mode() === "ask") deny();
    },
  });

  const AllowButton = () => (
    <Button variant={cautious() ? "secondary" : "primary"} aria-disabled={busy()} onClick={allow}>
      Allow
      <Show when={!cautious()}>
        <Kbd keys={ALLOW_KEYS} />
      </Show>
    </Button>
  );
  const DenyButton = () => (
    <Button variant={cautious() ? "primary" : "secondary"} aria-disabled={busy()} onClick={() => deny()}>
      Deny <Kbd keys={DENY_KEYS} />
    </Button>
  );

  return (
    <Frame
      {...props}
      icon={<ToolIcon name={props.question.toolName} />}
      title={questionTitle(props.question)}
      actions={
        <Switch>
          <Match when={mode() === "ask"}>
            <Show when={cautious()} fallback={<AllowButton />}>
              <DenyButton />
            </Show>
            <Show when={cautious()} fallback={<DenyButton />}>
              <AllowButton />
            </Show>
            <Button variant="ghost" onClick={() => setMode("reason")}>
              Deny and say why…
            </Button>
            <Button variant="ghost" onClick={() => setMode("edit")}>
              Edit first…
            </Button>
          </Match>
          <Match when={mode() === "edit"}>
            <Button variant="primary" aria-disabled={busy()} disabled={edit.input() === undefined} onClick={allow}>
              Allow as edited
            </Button>
            <Button variant="ghost" onClick={() => setMode("ask")}>
              Back
            </Button>
          </Match>
          <Match when={mode() === "reason"}>
            <Reason
              label="What to do instead"
              placeholder="Tell Claude why not, or what to do instead"
              send="Deny and tell Claude"
              busy={busy()}
              onSend={deny}
              onBack={() => setMode("ask")}
            />
          </Match>
        </Switch>
      }
      aside={
        <Show when={mode() === "ask" && !props.question.noRemember}>
          <label data-slot="remember">
            <input type="checkbox" checked={remember()} onChange={(event) => setRemember(event.currentTarget.checked)} />
            Allow the same call for this session
          </label>
        </Show>
      }
    >
      <Show when={mode() === "edit"} fallback={<WhatWillHappen question={props.question} />}>
        <label data-slot="edit">
          <span>{edit.label()}</span>
          <textarea
            ref={(field) => queueMicrotask(() => field.focus())}
            spellcheck={false}
            rows={Math.min(14, Math.max(3, edit.text().split("\n").length + 1))}
            value={edit.text()}
            aria-invalid={edit.error() !== ""}
            onInput={(event) => edit.setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              setMode("ask");
            }}
          />
          <Show when={edit.error()}>
            <span data-slot="invalid" role="alert">
              {edit.error()}
            </span>
          </Show>
        </label>
      </Show>
    </Frame>
  );
}

/** The question as one sentence. */
export function questionTitle(question: OpenQuestion): string {
  if (question.kind === "question") return "A question for you";
  if (question.kind === "plan") return "Is this plan good?";
  const { verb, object } = describeTool(question.toolName, question.input, question.cwd ?? "");
  const { base } = verb;
  const start = base.charAt(0).toUpperCase() + base.slice(1);
  switch (question.toolName) {
    case "Bash":
      return "Run this command?";
    case "Write":
    case "Edit":
    case "NotebookEdit":
    case "Read":
      return `${start} ${showHidden(object)}?`;
    case "WebFetch":
      return "Fetch this page?";
    default:
      return base === "use" ? `Use ${showHidden(toolLabel(question.toolName))}?` : `${start}${object ? ` ${showHidden(object)}` : ""}?`;
  }
}

function ToolIcon(props: { name: string }): JSX.Element {
  return (
    <Switch fallback={<Wrench size={16} />}>
      <Match when={props.name === "Bash"}>
        <Terminal size={16} />
      </Match>
      <Match when={["Edit", "Write", "NotebookEdit"].includes(props.name)}>
        <FilePen size={16} />
      </Match>
      <Match when={["WebFetch", "WebSearch"].includes(props.name)}>
        <Globe size={16} />
      </Match>
    </Switch>
  );
}
