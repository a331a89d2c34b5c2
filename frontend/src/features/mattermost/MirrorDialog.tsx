import ExternalLink from "lucide-solid/icons/external-link";
import { createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Session } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { isSetUp } from "./config";
import "./mirror.css";

/** Mirrors a session to a thread, or stops mirroring. */
export function MirrorDialog(): JSX.Element {
  const { state, layout } = useApp();
  const session = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "mirror" ? state.sessions[overlay.sessionId] : undefined;
  };
  // Kept while the dialog closes.
  const last = stable<Session>(session);
  const close = () => layout.setOverlay(null);
  return (
    <Dialog
      open={session() !== undefined}
      onOpenChange={(open) => !open && close()}
      title={last()?.mirror ? text().chat.mirror.titleOn : text().chat.mirror.title}
    >
      <Show when={session()?.id} keyed>
        {(id) => <Mirror sessionId={id} onClose={close} />}
      </Show>
    </Dialog>
  );
}

function Mirror(props: { sessionId: string; onClose: () => void }): JSX.Element {
  const { state, layout, host } = useApp();
  const id = createUniqueId();
  const words = () => text().chat.mirror;
  const session = stable<Session>(() => state.sessions[props.sessionId]);
  const mirror = () => session().mirror;
  const name = () => session().title || text().common.newSession;
  const config = () => state.chat?.config;
  const channels = () => config()?.channels ?? [];
  const [chosen, setChosen] = createSignal<string | null>(null);
  /** The chosen or default channel may be gone. */
  const channel = () => channels().find(({ channelId }) => channelId === (chosen() ?? config()?.mirrorChannelId))?.channelId ?? "";
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");

  /** Why mirroring is not possible, "" if it is. */
  const obstacle = () => {
    const now = config();
    if (!now || !isSetUp(now)) return words().notSetUp;
    if (!now.enabled) return words().off;
    return channels().length === 0 && !mirror() ? words().noChannels : "";
  };
  const waiting = () => obstacle() === "" && state.chat?.connection.state !== "connected";

  async function set(to: boolean): Promise<void> {
    if (busy()) return;
    setBusy(true);
    setError("");
    try {
      await host.call("session.mirror", { sessionId: props.sessionId, on: to, ...(to && !mirror() && channel() ? { channelId: channel() } : {}) });
      props.onClose();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div data-component="mirror-form">
      <Switch fallback={<p>{words().about(name())}</p>}>
        <Match when={mirror()}>
          {(now) => (
            <>
              <p>{now().began ? words().began(now().channel) : words().on(now().channel)}</p>
              <Show when={!now().on && !now().began}>
                <p data-slot="aside">{words().again(now().channel)}</p>
              </Show>
              <Show when={now().problem}>
                <p data-slot="notice" role="alert">
                  {now().problem}
                </p>
              </Show>
            </>
          )}
        </Match>
      </Switch>
      <Show when={obstacle() || (waiting() ? words().waiting : "")}>{(why) => <p data-slot="notice">{why()}</p>}</Show>
      <Show when={!mirror() && obstacle() === ""}>
        <div data-slot="field">
          <label for={id}>{words().channel}</label>
          <select id={id} data-component="text-field" data-autofocus="" onChange={(event) => setChosen(event.currentTarget.value)}>
            <Show when={!channel()}>
              <option value="" selected>
                {words().choose}
              </option>
            </Show>
            <For each={channels()}>
              {(mapping) => (
                <option value={mapping.channelId} selected={mapping.channelId === channel()}>
                  {mapping.name}
                </option>
              )}
            </For>
          </select>
        </div>
      </Show>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <div data-slot="actions">
        <Show
          when={mirror()?.link}
          fallback={
            <Button variant="ghost" data-edge="start" onClick={() => layout.go({ kind: "chat" })}>
              {words().manage}
            </Button>
          }
        >
          {(link) => (
            // While it is mirrored, the button that stops mirroring doesn't get the initial focus.
            <a data-component="button" data-variant="ghost" data-size="normal" data-edge="start" data-autofocus={mirror()?.on ? "" : undefined} href={link()}>
              <ExternalLink size={14} aria-hidden="true" /> {words().thread}
            </a>
          )}
        </Show>
        <span data-slot="spacer" />
        <Switch>
          <Match when={obstacle() !== "" && !mirror()?.on}>
            <Button variant="ghost" data-autofocus="" onClick={() => props.onClose()}>
              {text().common.close}
            </Button>
          </Match>
          <Match when={mirror()?.on}>
            <Button data-autofocus="" disabled={busy()} onClick={() => void set(false)}>
              {words().stop}
            </Button>
          </Match>
          <Match when={mirror()}>
            <Button variant="primary" data-autofocus="" disabled={busy()} onClick={() => void set(true)}>
              {words().resume}
            </Button>
          </Match>
          <Match when={true}>
            <Button variant="primary" disabled={busy() || !channel()} onClick={() => void set(true)}>
              {busy() ? words().starting : words().start}
            </Button>
          </Match>
        </Switch>
      </div>
    </div>
  );
}
