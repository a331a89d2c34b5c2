import { createSignal, type JSX, Show } from "solid-js";
import { formatBytes } from "../time";
import { CopyButton } from "./CopyButton";
import { LongText } from "./LongText";
import "./CodeBlock.css";

/** A block of code or text with its language and a copy button. What is very long is folded. */
export function CodeBlock(props: { text: string; lang: string }): JSX.Element {
  const [unfolded, setUnfolded] = createSignal(false);
  const folded = () => props.text.length > HUGE && !unfolded();
  return (
    <figure data-component="code-block">
      <figcaption>
        <span data-slot="lang">{props.lang || "text"}</span>
        <CopyButton text={() => props.text} label="Copy code" />
      </figcaption>
      <Show
        when={!folded()}
        fallback={
          <button type="button" data-slot="unfold" onClick={() => setUnfolded(true)}>
            Show {formatBytes(props.text.length)} of code
          </button>
        }
      >
        {/* Scrollable by keyboard, so it takes the focus. */}
        <pre tabindex="0">
          <code>
            <LongText text={props.text} />
          </code>
        </pre>
      </Show>
    </figure>
  );
}

/** Longer than this is shown on demand only. */
export const HUGE = 200_000;
