import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, createUniqueId, type JSX, onCleanup, onMount } from "solid-js";
import type { Block } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { LongText } from "../../ui/markdown";
import { createClock, formatElapsed, formatTokens } from "../../lib/time";
import "./thinking.css";

const PREVIEW = 400;

/** Claude's thinking, folded to one line with its progress and duration. */
export function Thinking(props: { block: Block }): JSX.Element {
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  const [took, setTook] = createSignal(0);
  const text = () => props.block.text ?? "";
  const verb = () => {
    const { thinking, thought, thoughtFor, stoppedThinking } = words().blocks;
    if (props.block.open) return thinking;
    if (props.block.stopped) return stoppedThinking;
    return took() >= 1000 ? thoughtFor(formatElapsed(took())) : thought;
  };
  return (
    <div data-component="thinking" data-block-id={props.block.id} data-open={props.block.open || undefined}>
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
        <span data-slot="verb">{verb()}</span>
        {props.block.open && <Elapsed onEnd={setTook} />}
        {!open() && <span data-slot="preview">{preview(text(), props.block.open ?? false)}</span>}
        {(props.block.tokens ?? 0) > 0 && <span data-slot="tokens">{words().blocks.tokens(formatTokens(props.block.tokens ?? 0))}</span>}
      </button>
      {open() && (
        <div data-slot="text" id={id}>
          <LongText text={text()} />
        </div>
      )}
    </div>
  );
}

/** The seconds since it was mounted. The final duration is reported. */
function Elapsed(props: { onEnd: (ms: number) => void }): JSX.Element {
  const now = createClock(1000);
  let since = Date.now();
  onMount(() => (since = Date.now()));
  onCleanup(() => props.onEnd(Date.now() - since));
  return <span data-slot="elapsed">{formatElapsed(now() - since)}</span>;
}

// While it runs, the last non-empty lines; afterwards the first.
function preview(text: string, open: boolean): string {
  const part = open ? text.slice(-PREVIEW) : text.slice(0, PREVIEW);
  const lines = part.split("\n").map((line) => line.replace(/^[\s#*>-]+|\*\*/g, "").trim()).filter(Boolean);
  if (!open) return lines[0] ?? "";
  const last = lines.at(-1) ?? "";
  // A line that has just started says little without the previous one.
  return last.length < 40 && lines.length > 1 ? `${lines.at(-2)} ${last}` : last;
}
