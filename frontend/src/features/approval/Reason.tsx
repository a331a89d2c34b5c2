import { type Accessor, type JSX, onMount } from "solid-js";
import { text as words } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { Button } from "../../ui/button";
import { Kbd } from "../../ui/kbd";

/** A message to Claude with a denial. Esc closes it without answering. */
export function Reason(props: {
  /** The text and its setter. */
  text: [Accessor<string>, (text: string) => void];
  label: string;
  placeholder: string;
  send: string;
  busy: boolean;
  /** Whether an empty text may be sent. */
  optional?: boolean;
  onSend: (text: string) => void;
  onBack: () => void;
}): JSX.Element {
  const [text, setText] = props.text;
  let field!: HTMLTextAreaElement;
  onMount(() => field.focus());
  const empty = () => text().trim() === "" && !props.optional;
  const send = () => {
    if (!empty()) props.onSend(text().trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && isMod(event)) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      props.onBack();
    }
  };
  return (
    <div data-slot="reason">
      <textarea
        ref={(el) => (field = el)}
        rows={3}
        aria-label={props.label}
        placeholder={props.placeholder}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div data-slot="actions">
        <Button variant="primary" disabled={empty() || props.busy} onClick={send}>
          {props.send} <Kbd keys="Mod+Enter" />
        </Button>
        <Button variant="ghost" onClick={() => props.onBack()}>
          {words().approval.back}
        </Button>
      </div>
    </div>
  );
}
