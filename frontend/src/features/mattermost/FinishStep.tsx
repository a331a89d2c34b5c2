import CircleCheck from "lucide-solid/icons/circle-check";
import { createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { ConnectionState } from "./ConnectionState";
import type { ChatModel } from "./model";
import { TestMessage } from "./TestMessage";

/** A summary of the choices, and the switch that saves them. */
export function FinishStep(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat.finish;
  const config = () => props.model.editor.config;
  const [on, setOn] = createSignal(false);
  const connected = () => props.model.reading.answer()?.connection.state === "connected";
  const channels = () => {
    const n = config().channels.length;
    if (n === 0) return words().onlyDirect;
    return [words().channelsSum(n), config().direct ? words().andDirect : ""].filter(Boolean).join(" ");
  };
  async function act(): Promise<void> {
    if (await props.model.editor.save(true)) setOn(true);
  }
  return (
    <>
      <h3>{words().title}</h3>
      <Show when={!on()}>
        <p data-slot="aside">{words().about}</p>
      </Show>
      <dl data-slot="facts">
        <dt>{words().server}</dt>
        <dd>
          <bdi>{config().url}</bdi>
        </dd>
        <dt>{words().channels}</dt>
        <dd>
          {channels()}
          <Show when={config().channels.length > 0}>
            <span data-slot="aside"> · {config().channels.map(({ name }) => name).join(", ")}</span>
          </Show>
        </dd>
        <dt>{words().people}</dt>
        <dd>
          <Show when={config().access.length > 0} fallback={text().chat.people.nobody}>
            <For each={config().access}>{(grant, i) => <><Show when={i() > 0}>, </Show><bdi>{grant.name}</bdi></>}</For>
          </Show>
        </dd>
      </dl>
      <Show when={on()}>
        <div role="status">
          <Show when={connected()} fallback={<Show when={props.model.reading.answer()}>{(state) => <ConnectionState connection={state().connection} />}</Show>}>
            <p data-slot="accepted">
              <CircleCheck size={15} aria-hidden="true" />
              {words().connected}
            </p>
          </Show>
        </div>
        <Show when={connected() && config().channels.length > 0}>
          <TestMessage model={props.model} config={config()} />
        </Show>
      </Show>
      <footer data-slot="save">
        <p data-slot="invalid" role="alert">
          {on() ? "" : props.model.editor.error()}
        </p>
        <Show
          when={on()}
          fallback={
            <>
              <Button variant="ghost" onClick={() => props.model.go("people")}>
                {text().chat.steps.back}
              </Button>
              <Button variant="primary" data-autofocus="" disabled={props.model.editor.busy()} onClick={() => void act()}>
                {props.model.editor.busy() ? words().saving : words().act}
              </Button>
            </>
          }
        >
          <Button variant="primary" onClick={() => props.model.go(null)}>
            {words().done}
          </Button>
        </Show>
      </footer>
    </>
  );
}
