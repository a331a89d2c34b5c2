import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import ChevronDown from "lucide-solid/icons/chevron-down";
import ListChecks from "lucide-solid/icons/list-checks";
import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { textField } from "../../lib/shape";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Kbd } from "../../ui/kbd";
import { Frame, type QuestionProps } from "./Frame";
import { createPinnedRows } from "./draft-answers";
import { ALLOW_KEYS } from "./keys";
import { type Comment, changesAsked } from "./plan-parts";
import { PlanDocument } from "./PlanDocument";
import { Reason } from "./Reason";
import "./question.css";

/** The message to Claude when the user rejects the plan. */
const DISCARDED = "The user discarded this plan. Stop here and wait for what they say next.";
const modes = ["default", "acceptEdits"] as const;

/** Plan review. Approving ends plan mode; requesting changes stays in it. */
export function PlanQuestion(props: QuestionProps): JSX.Element {
  const [asking, setAsking] = createPinnedRows(props.question.requestId, "asking", false);
  const [comments, setComments] = createPinnedRows<Comment[]>(props.question.requestId, "comments", []);
  const plan = () => textField(props.question.input, "plan");
  const file = () => textField(props.question.input, "planFilePath");
  const busy = () => props.answer.phase() !== "ready";
  const words = () => text().approval.plan;
  const approve = (mode?: string) => props.answer.give({ behavior: "allow", ...(mode ? { mode } : {}) });
  const sendBack = (said: string) => props.answer.give({ behavior: "deny", message: changesAsked(plan(), comments(), said) });
  const keys = {
    allow: () => {
      // A key press must not discard unsent comments.
      if (!asking() && comments().length === 0) approve();
    },
    deny: () => {},
  };

  return (
    <Frame
      {...props}
      keys={keys}
      icon={<ListChecks size={16} />}
      title={text().approval.titles.plan}
      actions={
        <Show
          when={!asking()}
          fallback={
            <Reason
              text={createPinnedRows(props.question.requestId, "reason", "")}
              label={words().what}
              placeholder={words().placeholder}
              send={words().send}
              busy={busy()}
              optional={comments().length > 0}
              onSend={sendBack}
              onBack={() => setAsking(false)}
            />
          }
        >
          <Show
            when={comments().length === 0}
            fallback={
              <Button variant="primary" aria-disabled={busy()} onClick={() => sendBack("")}>
                {words().send} ({words().comments(comments().length)})
              </Button>
            }
          >
            <Button variant="primary" aria-disabled={busy()} onClick={() => approve()}>
              {words().approve} <Kbd keys={ALLOW_KEYS} />
            </Button>
            <ModeMenu busy={busy()} onChoose={approve} />
          </Show>
          <Button variant="secondary" onClick={() => setAsking(true)}>
            {words().changes}
          </Button>
          <Button variant="ghost" aria-disabled={busy()} onClick={() => props.answer.give({ behavior: "deny", message: DISCARDED })}>
            {words().cancel}
          </Button>
        </Show>
      }
    >
      <Show when={plan()} fallback={<p>{words().empty}</p>}>
        <PlanDocument plan={plan()} comments={comments()} onChange={setComments} />
      </Show>
      <Show when={file()}>
        <dl data-slot="facts">
          <dt>{words().saved}</dt>
          <dd>
            <ExactText text={file()} />
          </dd>
        </dl>
      </Show>
    </Frame>
  );
}

/** Approves the plan and sets the mode to continue in. */
function ModeMenu(props: { busy: boolean; onChoose: (mode: string) => void }): JSX.Element {
  const words = () => text().approval.plan;
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger data-component="button" data-variant="secondary" data-size="normal" aria-disabled={props.busy}>
        {words().approveAnd} <ChevronDown size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content data-component="menu" aria-label={words().approveAnd}>
          <For each={modes}>
            {(mode) => (
              <DropdownMenu.Item data-slot="item" onSelect={() => props.onChoose(mode)}>
                <DropdownMenu.ItemLabel data-slot="text">{words().modes[mode]}</DropdownMenu.ItemLabel>
              </DropdownMenu.Item>
            )}
          </For>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
