import ClipboardPaste from "lucide-solid/icons/clipboard-paste";
import File from "lucide-solid/icons/file";
import X from "lucide-solid/icons/x";
import { createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { LongText } from "../../ui/markdown";
import { formatBytes } from "../../lib/time";
import { textOf } from "../../store/pasted";
import type { DraftAttachment } from "../../store/state";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ExactText } from "../../ui/exact-text";
import { isPasted } from "./attach";
import "./attachments.css";

export function Attachments(props: {
  items: DraftAttachment[];
  onRemove: (id: string) => void;
  /** Moves a pasted text into the box. */
  onUnfold: (item: DraftAttachment) => void;
}): JSX.Element {
  const [shown, setShown] = createSignal<DraftAttachment | null>(null);
  const words = () => text().composer;
  const isImage = (item: DraftAttachment) => item.mediaType.startsWith("image/");
  const source = (item: DraftAttachment) => `data:${item.mediaType};base64,${item.data}`;
  return (
    <>
      <Show when={props.items.length > 0}>
        <ul data-slot="attachments" role="list" aria-label={words().attached}>
          <For each={props.items}>
            {(item) => (
              <li data-slot="attachment" data-kind={isImage(item) ? "image" : "file"} title={`${item.name} · ${formatBytes(item.bytes)}`}>
                <Show
                  when={isImage(item)}
                  fallback={
                    <button
                      type="button"
                      data-slot="open"
                      disabled={!isPasted(item)}
                      aria-label={words().openAttachment(item.name)}
                      onClick={() => setShown(item)}
                    >
                      <Show when={isPasted(item)} fallback={<File size={14} />}>
                        <ClipboardPaste size={14} />
                      </Show>
                      <span data-slot="name">
                        <ExactText text={item.name} />
                      </span>
                      <span data-slot="size">{formatBytes(item.bytes)}</span>
                    </button>
                  }
                >
                  <button type="button" data-slot="open" aria-label={words().openAttachment(item.name)} onClick={() => setShown(item)}>
                    <img src={source(item)} alt={item.name} />
                  </button>
                </Show>
                <button type="button" data-slot="remove" aria-label={words().remove(item.name)} onClick={() => props.onRemove(item.id)}>
                  <X size={12} />
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={shown()}>
        {(item) => (
          <Dialog
            open
            onOpenChange={(open) => !open && setShown(null)}
            title={item().name}
            description={formatBytes(item().bytes)}
            size="large"
            footer={
              <Show when={isPasted(item())}>
                <Button
                  onClick={() => {
                    const pasted = item();
                    setShown(null);
                    props.onUnfold(pasted);
                  }}
                >
                  {words().pasteAsText}
                </Button>
              </Show>
            }
          >
            <Show when={isPasted(item())} fallback={<img data-slot="large-image" src={source(item())} alt={item().name} />}>
              <div data-slot="pasted">
                <LongText text={textOf(item())} />
              </div>
            </Show>
          </Dialog>
        )}
      </Show>
    </>
  );
}
