import { createSignal, type JSX, Show } from "solid-js";
import type { ChatState } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { stable } from "../../lib/stable";
import { moment } from "../../lib/dates";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ExactText } from "../../ui/exact-text";
import { ConnectionState } from "./ConnectionState";
import { Events } from "./Events";
import type { ChatModel } from "./model";
import { Problems } from "./Problems";
import { TestMessage } from "./TestMessage";

/** The state of the connection, and recent events. */
export function Overview(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat.connection;
  const state = stable<ChatState>(props.model.reading.answer);
  const [forgetting, setForgetting] = createSignal(false);
  const token = () => (state().token === "keyring" || state().token === "environment" ? (state().token as "keyring" | "environment") : "none");
  const link = () => state().connection;
  return (
    <>
      <section data-slot="state" aria-label={words().title}>
        <div data-slot="switch-row">
          <ConnectionState connection={link()} />
          <input
            type="checkbox"
            role="switch"
            data-component="switch"
            aria-label={words().switch}
            checked={state().config.enabled}
            disabled={props.model.editor.busy()}
            onChange={(event) => {
              const field = event.currentTarget;
              void props.model.editor.switchTo(field.checked).then((done) => done || (field.checked = state().config.enabled));
            }}
          />
        </div>
        <Show when={props.model.editor.error()}>
          <p data-slot="invalid" role="alert">
            {props.model.editor.error()}
          </p>
        </Show>
        <Problems state={state()} />
        <dl data-slot="facts">
          <dt>{words().server}</dt>
          <dd>
            <bdi>{state().config.url}</bdi>
            <Show when={link().version}>
              <span data-slot="aside"> · {text().chat.server.version(link().version)}</span>
            </Show>
          </dd>
          <Show when={link().me.username}>
            <dt>{words().account}</dt>
            <dd>
              <bdi>
                @<ExactText text={link().me.username} />
              </bdi>
            </dd>
          </Show>
          <dt>{words().token}</dt>
          <dd>{words().tokens[token()]}</dd>
          <Show when={link().since > 0}>
            <dt>{words().since}</dt>
            <dd>{moment(link().since)}</dd>
          </Show>
          <dt>{words().interruptions}</dt>
          <dd>
            <Show when={link().reconnects > 0} fallback={words().noInterruptions}>
              {number(link().reconnects)}
              <span data-slot="aside"> · {words().caughtUp(link().caughtUp)}</span>
            </Show>
          </dd>
          <dt>{words().shown}</dt>
          <dd>{words().shownSum(state().threads, state().mirrors)}</dd>
        </dl>
        <Show when={link().state === "connected" && state().config.channels.length > 0}>
          <TestMessage model={props.model} config={state().config} />
        </Show>
        <div data-slot="tools">
          <Button onClick={() => props.model.go("server")}>
            {words().change}
          </Button>
          <Show when={state().token !== ""}>
            <Button variant="ghost" data-danger="" onClick={() => setForgetting(true)}>
              {words().forget}
            </Button>
          </Show>
        </div>
      </section>
      <Events model={props.model} />
      <Dialog
        open={forgetting()}
        onOpenChange={setForgetting}
        title={words().forgetTitle}
        footer={
          <>
            <Button data-autofocus="" onClick={() => setForgetting(false)}>
              {text().common.cancel}
            </Button>
            <Button
              variant="ghost"
              data-danger=""
              onClick={() => {
                setForgetting(false);
                void props.model.editor.forget();
              }}
            >
              {words().forgetAct}
            </Button>
          </>
        }
      >
        <p data-slot="description">
          {words().forgetAbout} <Show when={token() === "environment"}>{words().forgetEnvironment}</Show>
        </p>
      </Dialog>
    </>
  );
}
