import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, createUniqueId, type JSX, Show } from "solid-js";
import type { Block } from "../../host/border.gen";
import { LongText } from "../../lib/markdown";
import { formatTokens } from "../../lib/time";
import "./thinking.css";

const PREVIEW = 160;

/** The model's thinking, folded to one line that shows where it is. */
export function Thinking(props: { block: Block }): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  const text = () => props.block.text ?? "";
  const words = () => (props.block.open ? "Thinking" : props.block.stopped ? "Stopped thinking" : "Thought");
  return (
    <div data-component="thinking" data-open={props.block.open || undefined}>
      <button
        type="button"
        data-slot="line"
        aria-expanded={open()}
        aria-controls={id}
        disabled={text().trim() === ""}
        onClick={() => setOpen(!open())}
      >
        <span data-slot="chevron">
          <ChevronRight size={14} />
        </span>
        <span data-slot="verb">{words()}</span>
        <Show when={!open()}>
          <span data-slot="preview">{preview(text(), props.block.open ?? false)}</span>
        </Show>
        <Show when={props.block.tokens}>
          {(tokens) => <span data-slot="tokens">{formatTokens(tokens())} tokens</span>}
        </Show>
      </button>
      <Show when={open()}>
        <div data-slot="text" id={id}>
          <LongText text={text()} />
        </div>
      </Show>
    </div>
  );
}

// While it goes on the last line with words in it, afterwards the first.
function preview(text: string, open: boolean): string {
  const part = open ? text.slice(-PREVIEW) : text.slice(0, PREVIEW);
  const lines = part.split("\n").map((line) => line.replace(/^[\s#*>-]+|\*\*/g, "").trim()).filter(Boolean);
  return (open ? lines.at(-1) : lines[0]) ?? "";
}
