import ListChecks from "lucide-solid/icons/list-checks";
import { createSignal, type JSX, Show } from "solid-js";
import { Markdown } from "../../lib/markdown";
import { textField } from "../../lib/shape";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Kbd } from "../../ui/kbd";
import { Frame, type QuestionProps } from "./Frame";
import { ALLOW_KEYS, createQuestionKeys } from "./keys";
import { Reason } from "./Reason";
import "./question.css";

/** Is this plan good? Approving it ends planning; asking for changes goes on with it. */
export function PlanQuestion(props: QuestionProps): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  const plan = () => textField(props.question.input, "plan");
  const file = () => textField(props.question.input, "planFilePath");
  const busy = () => props.answer.phase() !== "ready";
  const approve = () => props.answer.give({ behavior: "allow" });
  createQuestionKeys({
    allow: () => {
      if (!asking()) approve();
    },
    deny: () => {},
  });

  return (
    <Frame
      {...props}
      icon={<ListChecks size={16} />}
      title="Is this plan good?"
      actions={
        <Show
          when={!asking()}
          fallback={
            <Reason
              label="What to change"
              placeholder="What should be different?"
              send="Ask for changes"
              busy={busy()}
              onSend={(message) => props.answer.give({ behavior: "deny", message })}
              onBack={() => setAsking(false)}
            />
          }
        >
          <Button variant="primary" aria-disabled={busy()} onClick={approve}>
            Approve and start <Kbd keys={ALLOW_KEYS} />
          </Button>
          <Button variant="secondary" onClick={() => setAsking(true)}>
            Ask for changes…
          </Button>
        </Show>
      }
    >
      <div data-slot="document" role="group" aria-label="Plan" tabindex="0">
        <Show when={plan()} fallback={<p>The CLI sent no text with this plan.</p>}>
          <Markdown text={plan()} />
        </Show>
      </div>
      <Show when={file()}>
        <dl data-slot="facts">
          <dt>Saved in</dt>
          <dd>
            <ExactText text={file()} />
          </dd>
        </dl>
      </Show>
    </Frame>
  );
}
