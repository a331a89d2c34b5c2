import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { Receipt } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { clockWords, momentWords, plain, receiptState, receiptWords } from "./words";

/** A message's delivery status: a summary, and per member on demand. */
export function Receipts(props: {
  receipts: readonly Receipt[];
  /** Whether it only appears on hover or focus, because the message is someone else's. */
  quiet: boolean;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  const words = () => text().rooms.receipts;
  const failed = () => props.receipts.some((r) => r.state === "failed");
  const summary = () => receiptWords(props.receipts);
  return (
    <Show when={props.receipts.length > 0} fallback={<Show when={!props.quiet}>{<span data-slot="receipts">{words().nobody}</span>}</Show>}>
      <button
        type="button"
        data-slot="receipts"
        data-quiet={(props.quiet && !failed() && !open()) || undefined}
        data-failed={failed() || undefined}
        aria-label={words().button(summary())}
        aria-expanded={open()}
        aria-controls={open() ? id : undefined}
        onClick={() => setOpen(!open())}
      >
        {summary()}
      </button>
      <Show when={open()}>
        <ul id={id} role="list" data-slot="receipt-list" aria-label={words().list}>
          <For each={props.receipts}>
            {(receipt) => (
              <li data-failed={receipt.state === "failed" || undefined}>
                <bdi>{plain(receipt.nick)}</bdi>
                <span>{receiptState(receipt.state)}</span>
                <Show when={receipt.at > 0}>
                  <time datetime={new Date(receipt.at).toISOString()} title={momentWords(receipt.at)}>
                    {clockWords(receipt.at)}
                  </time>
                </Show>
                <Show when={receipt.reason}>
                  <bdi data-slot="reason">{plain(translated(receipt.reason))}</bdi>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </Show>
  );
}
