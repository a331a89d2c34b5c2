import X from "lucide-solid/icons/x";
import { For, type JSX, Show } from "solid-js";
import { formatBytes } from "../../lib/time";
import type { DraftAttachment } from "../../store/state";

export function Attachments(props: { items: DraftAttachment[]; onRemove: (id: string) => void }): JSX.Element {
  return (
    <Show when={props.items.length > 0}>
      <ul data-slot="attachments" role="list" aria-label="Attached images">
        <For each={props.items}>
          {(item) => (
            <li data-slot="attachment" title={`${item.name} · ${formatBytes(item.bytes)}`}>
              <img src={`data:${item.mediaType};base64,${item.data}`} alt={item.name} />
              <button type="button" aria-label={`Remove ${item.name}`} onClick={() => props.onRemove(item.id)}>
                <X size={12} />
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
