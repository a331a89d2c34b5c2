import FilePen from "lucide-solid/icons/file-pen";
import Globe from "lucide-solid/icons/globe";
import Terminal from "lucide-solid/icons/terminal";
import Wrench from "lucide-solid/icons/wrench";
import { createUniqueId, type JSX, Match, Show, Switch } from "solid-js";
import type { OpenQuestion, RuleChoice, RulePreview } from "../../host/border.gen";
import { text, translatedAround } from "../../i18n";
import { describeTool, toolLabel } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import { Button } from "../../ui/button";
import { Kbd } from "../../ui/kbd";
import { AllowAnd } from "./AllowAnd";
import { createInputEdit } from "./edit";
import { Frame, type QuestionProps } from "./Frame";
import { createPinnedRows } from "./draft-answers";
import { ALLOW_KEYS, DENY_KEYS } from "./keys";
import { RuleForm } from "./RuleForm";
import { suggestionsOf } from "./suggestions";
import { WhatWillHappen } from "./WhatWillHappen";
import "./question.css";

/** A permission request for a tool call. */
export function ToolQuestion(props: QuestionProps & { preview: (rule: RuleChoice) => Promise<RulePreview> }): JSX.Element {
  const [mode, setMode] = createPinnedRows<"ask" | "edit" | "rule">(props.question.requestId, "mode", "ask");
  const edit = createInputEdit(() => props.question);
  // The CLI recommends denying, or the risk is high.
  const cautious = () => props.question.defaultToNo || ["high", "critical"].includes(props.question.risk?.level ?? "");
  const busy = () => props.answer.phase() !== "ready";
  const offers = () => (props.question.noRemember ? [] : (props.question.offers ?? []));
  const words = () => text().approval;
  const faultId = createUniqueId();
  /** An error in the edited input, found by the page or reported by the program. */
  const fault = () => edit.error() || props.answer.error();

  const allow = () => {
    const updatedInput = mode() === "edit" ? edit.input() : undefined;
    if (mode() === "edit" && updatedInput === undefined) return;
    props.answer.give({
      behavior: "allow",
      ...(updatedInput === undefined ? {} : { updatedInput }),
    });
  };
  const deny = () => props.answer.give({ behavior: "deny" });
  const keys = {
    // Allowing then takes a deliberate step.
    allow: () => {
      if (mode() === "ask" && !cautious()) allow();
    },
    deny: () => {
      if (mode() === "ask") deny();
    },
  };

  const AllowButton = () => (
    <Button variant={cautious() ? "secondary" : "primary"} aria-disabled={busy()} onClick={allow}>
      {words().allow}{" "}
      <Show when={!cautious()}>
        <Kbd keys={ALLOW_KEYS} />
      </Show>
    </Button>
  );
  const DenyButton = () => (
    <Button variant={cautious() ? "primary" : "secondary"} aria-disabled={busy()} onClick={deny}>
      {words().deny} <Kbd keys={DENY_KEYS} />
    </Button>
  );

  return (
    <Frame
      {...props}
      keys={keys}
      faultElsewhere={mode() === "edit"}
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
            <AllowAnd
              suggestions={suggestionsOf(props.question, offers().length > 0)}
              offers={offers()}
              busy={busy()}
              {...(props.question.noRemember || offers().length > 0 ? {} : { onRemember: () => props.answer.give({ behavior: "allow", remember: true }) })}
              onSuggestion={(index) => props.answer.give({ behavior: "allow", suggestions: [index] })}
              onOffer={(offer) => props.answer.give({ behavior: "allow", rule: { offer, scope: "session" } })}
              onChoose={() => setMode("rule")}
              onEdit={() => setMode("edit")}
            />
          </Match>
          <Match when={mode() === "edit"}>
            <Button variant="primary" aria-disabled={busy()} disabled={edit.input() === undefined} onClick={allow}>
              {words().allowEdited}
            </Button>
            <Button variant="ghost" onClick={() => setMode("ask")}>
              {words().back}
            </Button>
          </Match>
          <Match when={mode() === "rule"}>
            <RuleForm
              offers={offers()}
              busy={busy()}
              preview={props.preview}
              onSend={(rule) => props.answer.give({ behavior: "allow", rule })}
              onBack={() => setMode("ask")}
            />
          </Match>
        </Switch>
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
            aria-invalid={fault() !== ""}
            aria-describedby={faultId}
            onInput={(event) => {
              edit.setText(event.currentTarget.value);
              props.answer.clear();
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              setMode("ask");
            }}
          />
          <span data-slot="invalid" role="alert" id={faultId}>
            {fault()}
          </span>
        </label>
      </Show>
    </Frame>
  );
}

/** The title of a request. */
export function questionTitle(question: OpenQuestion): string {
  const words = text().approval;
  if (question.kind === "question") return words.titles.question;
  if (question.kind === "plan") return words.titles.plan;
  if (question.kind === "trust") return words.trust.title;
  // Parley's own tools provide their title.
  if (question.toolName.startsWith("mcp__parley__") && question.title) return translatedAround(question.title);
  const { verb, object } = describeTool(question.toolName, question.input, question.cwd ?? "");
  const { base } = verb;
  switch (question.toolName) {
    case "Bash":
      return words.titles.command;
    case "WebFetch":
      return words.titles.page;
    default:
      return base === "use" ? words.titles.use(showHidden(toolLabel(question.toolName))) : words.titles.act(base, showHidden(object));
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
