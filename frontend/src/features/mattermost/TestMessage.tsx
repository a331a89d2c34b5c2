import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { ChatConfig } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import type { ChatModel } from "./model";

/** Sends a test message to a channel, and links to it. */
export function TestMessage(props: { model: ChatModel; config: ChatConfig }): JSX.Element {
  const { host } = useApp();
  const id = createUniqueId();
  const words = () => text().chat.test;
  const [chosen, setChosen] = createSignal("");
  /** The chosen channel may be gone. */
  const channel = () => (props.config.channels.find(({ channelId }) => channelId === chosen()) ?? props.config.channels[0])?.channelId ?? "";
  const [busy, setBusy] = createSignal(false);
  const [link, setLink] = createSignal("");
  async function send(): Promise<void> {
    if (busy()) return;
    setBusy(true);
    setLink("");
    const sent = await props.model.attempt(host.call("mattermost.test", { channelId: channel() }));
    setBusy(false);
    if (sent) setLink(sent.link);
  }
  return (
    <div data-slot="test">
      <label class="visually-hidden" for={id}>
        {words().label}
      </label>
      <select id={id} data-component="text-field" onChange={(event) => setChosen(event.currentTarget.value)}>
        <For each={props.config.channels}>
          {(mapping) => (
            <option value={mapping.channelId} selected={mapping.channelId === channel()}>
              {mapping.name}
            </option>
          )}
        </For>
      </select>
      <Button data-autofocus="" disabled={busy()} onClick={() => void send()}>
        {busy() ? words().sending : words().send}
      </Button>
      <p data-slot="aside" role="status">
        <Show when={link()}>
          {words().sent}{" "}
          <a data-slot="link" href={link()}>
            {words().look}
          </a>
        </Show>
      </p>
    </div>
  );
}
