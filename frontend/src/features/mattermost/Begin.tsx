import MessageSquareText from "lucide-solid/icons/message-square-text";
import ShieldCheck from "lucide-solid/icons/shield-check";
import ThumbsUp from "lucide-solid/icons/thumbs-up";
import { For, type JSX } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import type { ChatModel } from "./model";

const icons = { thread: MessageSquareText, approve: ThumbsUp, deny: ShieldCheck } as const;
const cards = ["thread", "approve", "deny"] as const;

/** Introduces Mattermost before it is set up. */
export function Begin(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat.begin;
  return (
    <div data-slot="begin">
      <h3>{words().title}</h3>
      <p>{words().about}</p>
      <ul role="list">
        <For each={cards}>
          {(id) => {
            const Icon = icons[id];
            return (
              <li>
                <div data-slot="card">
                  <Icon size={18} aria-hidden="true" />
                  <strong>{words().cards[id].title}</strong>
                  <span>{words().cards[id].about}</span>
                </div>
              </li>
            );
          }}
        </For>
      </ul>
      <Button variant="primary" data-autofocus="" onClick={() => props.model.go("server")}>
        {props.model.editor.changed() ? words().continue : words().connect}
      </Button>
    </div>
  );
}
