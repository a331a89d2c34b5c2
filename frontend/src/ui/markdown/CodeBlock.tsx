import { createMemo, createSignal, type JSX, untrack } from "solid-js";
import { text as words } from "../../i18n";
import { offer } from "../../lib/offers";
import { formatBytes } from "../../lib/time";
import { CodeText } from "./CodeText";
import { CopyButton } from "./CopyButton";
import { MaskIcon } from "./MaskIcon";
import "./CodeBlock.css";

/** Longer code is shown on demand only. */
export const HUGE = 200_000;
// Code from this many lines on is initially folded. Code that streamed in stays unfolded, so that nothing jumps.
const FOLDED_FROM = 60;

/** A block of code or text with its language and highlighting; it can be copied, wrapped and folded. */
export function CodeBlock(props: { text: string; lang: string; open?: boolean; actions?: JSX.Element }): JSX.Element {
  const [asked, setAsked] = createSignal(false);
  const [wrapped, setWrapped] = createSignal(false);
  const [folded, setFolded] = createSignal(untrack(() => !props.open && countLines(props.text, FOLDED_FROM) >= FOLDED_FROM));
  const huge = () => props.text.length > HUGE && !asked();
  const lines = createMemo(() => (folded() ? countLines(props.text, Number.POSITIVE_INFINITY) : 0));
  return (
    <figure ref={(el) => offer(el, { code: () => props.text })} data-component="code-block">
      <figcaption>
        <span data-slot="lang">{props.lang || words().blocks.plainCode}</span>
        <span data-slot="actions">
          {props.actions}
          <button
            type="button"
            data-component="copy-button"
            data-slot="wrap"
            aria-pressed={wrapped()}
            aria-label={words().blocks.wrap}
            title={words().blocks.wrap}
            onClick={() => setWrapped(!wrapped())}
          >
            <MaskIcon of="wrap" />
          </button>
          <CopyButton text={() => props.text} label={words().blocks.copyCode} />
        </span>
      </figcaption>
      {huge() ? (
        <button type="button" data-slot="unfold" onClick={() => setAsked(true)}>
          {words().blocks.showCode(formatBytes(props.text.length))}
        </button>
      ) : (
        <>
          {/* Scrollable by keyboard, so it is focusable. */}
          <pre tabindex="0" data-wrap={wrapped() || undefined} data-folded={folded() || undefined} dir="ltr">
            <code>
              <CodeText text={props.text} lang={props.lang} open={props.open} />
            </code>
          </pre>
          {folded() && (
            <button type="button" data-slot="unfold" onClick={() => setFolded(false)}>
              {words().blocks.showAll(lines())}
            </button>
          )}
        </>
      )}
    </figure>
  );
}

function countLines(text: string, most: number): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && count < most; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
