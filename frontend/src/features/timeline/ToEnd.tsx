import ArrowDown from "lucide-solid/icons/arrow-down";
import { type JSX, Show } from "solid-js";
import { text as words } from "../../i18n";

/** The button to the newest messages, while they are out of view. */
export function ToEnd(props: { far: boolean; newBelow: boolean; away: boolean; onEnd: () => void }): JSX.Element {
  const label = () => {
    if (props.far) return words().timeline.backToNewest;
    return props.newBelow ? words().timeline.newBelow : "";
  };
  return (
    <Show when={props.far || props.newBelow || props.away}>
      <button
        type="button"
        data-slot="new-below"
        data-bare={label() === "" || undefined}
        aria-label={label() === "" ? words().timeline.toEnd : undefined}
        title={label() === "" ? words().timeline.toEnd : undefined}
        onClick={() => props.onEnd()}
      >
        <ArrowDown size={14} />
        {label()}
      </button>
    </Show>
  );
}
