import { createSignal, createUniqueId, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { newId } from "../../lib/id";
import { isComposing } from "../../lib/keys";
import { useApp } from "../../store/context";
import { isBusy } from "../../store/state";
import { Button } from "../../ui/button";

/** Ways to free context: compact the conversation, or clear it. */
export function Compact(props: { sessionId: string; onDone?: () => void }): JSX.Element {
  const { host, state, actions } = useApp();
  const id = createUniqueId();
  const [keep, setKeep] = createSignal("");
  const [asking, setAsking] = createSignal(false);
  const [error, setError] = createSignal("");
  const words = () => text().usage.context;
  const session = () => state.sessions[props.sessionId];
  /** There is something to compact or clear. */
  const ready = () => Boolean(session()?.context) && session()?.state !== "closed";

  const busy = () => {
    const now = session();
    return now !== undefined && isBusy(now);
  };

  async function compact(): Promise<void> {
    if (!ready()) return;
    setError("");
    const prompt = `/compact ${keep().trim().replaceAll(/\s+/g, " ")}`.trim();
    try {
      await host.call("session.prompt", { sessionId: props.sessionId, text: prompt, promptId: newId(), delivery: "queue" });
      setKeep("");
      props.onDone?.();
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  async function clear(): Promise<void> {
    setAsking(false);
    await actions.fresh(props.sessionId);
    props.onDone?.();
  }

  return (
    <div data-component="compact">
      <Show
        when={!asking()}
        fallback={
          <div data-slot="ask" role="group" aria-label={words().clear}>
            <p>{words().clearAsk}</p>
            <Button size="small" variant="primary" onClick={() => void clear()}>
              {words().clearYes}
            </Button>
            <Button size="small" onClick={() => setAsking(false)}>
              {words().cancel}
            </Button>
          </div>
        }
      >
        <label for={id}>{words().instructions}</label>
        <input
          id={id}
          data-component="text-field"
          value={keep()}
          maxlength={2000}
          disabled={!ready()}
          onInput={(event) => setKeep(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && !isComposing(event) && void compact()}
        />
        <div data-slot="acts">
          <Button size="small" variant="primary" disabled={!ready()} title={words().compactAbout} onClick={() => void compact()}>
            {words().compact}
          </Button>
          <Button size="small" disabled={!ready()} onClick={() => setAsking(true)}>
            {words().clear}
          </Button>
        </div>
        <Show when={busy()}>
          <p data-slot="aside">{words().busy}</p>
        </Show>
      </Show>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
    </div>
  );
}
