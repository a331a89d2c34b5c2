import ArrowUp from "lucide-solid/icons/arrow-up";
import ListEnd from "lucide-solid/icons/list-end";
import Play from "lucide-solid/icons/play";
import Square from "lucide-solid/icons/square";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { Kbd } from "../../ui/kbd";

/** How a prompt is delivered while a turn runs. */
export type Delivery = "now" | "queue";

const deliveryAbout = (delivery: Delivery) => (delivery === "now" ? text().composer.sendNow : text().composer.sendLater);

/** While a turn runs there are two ways to send, each with its keys. The one on Enter is highlighted. */
export function SendButtons(props: {
  busy: boolean;
  stopping: boolean;
  disabled: boolean;
  /** Whether the text is a shell command. */
  shell: boolean;
  /** The button label for sending to the open request, "" if the text does not go there. */
  saying: string;
  onSay: () => void;
  /** The delivery on Enter while a turn runs. */
  first: Delivery;
  onSend: (delivery?: Delivery) => void;
  onStop: () => void;
}): JSX.Element {
  const onEnter = (delivery: Delivery) => !props.saying && props.first === delivery;
  const Way = (own: { delivery: Delivery }) => (
    <IconButton
      label={deliveryAbout(own.delivery)}
      shortcut={onEnter(own.delivery) ? "Enter" : "Alt+Enter"}
      variant={onEnter(own.delivery) ? "primary" : "secondary"}
      disabled={props.disabled}
      onClick={() => props.onSend(own.delivery)}
    >
      <Show when={own.delivery === "queue"} fallback={<ArrowUp />}>
        <ListEnd />
      </Show>
    </IconButton>
  );
  const Plain = () => (
    <IconButton
      label={props.shell ? text().composer.run : text().composer.send}
      shortcut="Enter"
      variant="primary"
      disabled={props.disabled}
      onClick={() => props.onSend()}
    >
      <Show when={props.shell} fallback={<ArrowUp />}>
        <Play />
      </Show>
    </IconButton>
  );
  return (
    <Show
      when={props.busy}
      fallback={
        <Plain />
      }
    >
      <IconButton
        label={props.stopping ? text().composer.stopping : text().composer.interrupt}
        shortcut="Esc"
        variant="secondary"
        data-slot="stop"
        disabled={props.stopping}
        onClick={() => props.onStop()}
      >
        <Square fill="currentColor" />
      </IconButton>
      <Show when={!props.shell} fallback={<Plain />}>
        <Show
          when={props.saying}
          fallback={
            <>
              <Way delivery="queue" />
              <Way delivery="now" />
            </>
          }
        >
          <Way delivery="queue" />
          <Button variant="primary" data-slot="say" disabled={props.disabled} title={props.saying} onClick={() => props.onSay()}>
            <span>{props.saying}</span> <Kbd keys="Enter" />
          </Button>
        </Show>
      </Show>
    </Show>
  );
}
