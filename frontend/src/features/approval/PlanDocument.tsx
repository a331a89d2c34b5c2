import MessageSquarePlus from "lucide-solid/icons/message-square-plus";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, Index, type JSX, onMount, Show } from "solid-js";
import { text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import { Markdown } from "../../ui/markdown";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { type Comment, partsOf } from "./plan-parts";
import "./plan-document.css";

/** A plan with comments on its parts: paragraphs, headings, tables, and list items. */
export function PlanDocument(props: { plan: string; comments: readonly Comment[]; onChange: (comments: Comment[]) => void }): JSX.Element {
  const parts = createMemo(() => partsOf(props.plan));
  const [writing, setWriting] = createSignal(-1);
  const words = () => text().approval.plan;

  return (
    <div data-slot="document" data-component="plan-document" role="group" aria-label={words().label} tabindex="0">
      <Index each={parts()}>
        {(part, index) => (
          <div data-slot="part" data-commented={props.comments.some((c) => c.part === index) || undefined}>
            <div data-slot="row">
              <Markdown text={part()} />
              <IconButton label={words().comment} onClick={() => setWriting(index)}>
                <MessageSquarePlus />
              </IconButton>
            </div>
            <Index each={props.comments.filter((c) => c.part === index)}>
              {(comment) => (
                <p data-slot="comment">
                  <span>{comment().text}</span>
                  <IconButton label={words().remove} onClick={() => props.onChange(props.comments.filter((c) => c !== comment()))}>
                    <X />
                  </IconButton>
                </p>
              )}
            </Index>
            <Show when={writing() === index}>
              <Write
                onAdd={(said) => {
                  props.onChange([...props.comments, { part: index, text: said }]);
                  setWriting(-1);
                }}
                onBack={() => setWriting(-1)}
              />
            </Show>
          </div>
        )}
      </Index>
    </div>
  );
}

function Write(props: { onAdd: (text: string) => void; onBack: () => void }): JSX.Element {
  const [said, setSaid] = createSignal("");
  let field!: HTMLTextAreaElement;
  onMount(() => field.focus());
  const add = () => {
    if (said().trim() !== "") props.onAdd(said().trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) add();
    else if (event.key === "Escape") props.onBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div data-slot="write">
      <textarea
        ref={(el) => (field = el)}
        rows={2}
        aria-label={text().approval.plan.commentLabel}
        value={said()}
        onInput={(event) => setSaid(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Button size="small" disabled={said().trim() === ""} onClick={add}>
        {text().approval.plan.add}
      </Button>
      <Button size="small" variant="ghost" onClick={() => props.onBack()}>
        {text().approval.back}
      </Button>
    </div>
  );
}
