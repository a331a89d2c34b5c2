import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { HostError, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { CopyButton, Markdown } from "../../ui/markdown";
import { textField } from "../../lib/shape";
import { fromHistory, prepend } from "../../store/conversation";
import { useApp } from "../../store/context";
import type { Conversation } from "../../store/state";
import { Button } from "../../ui/button";
import { Pane } from "../../ui/pane";
import { type Scope, useScope } from "../../store/scope";
import { resultText } from "./note";
import { Labelled, Result } from "./Result";

/** A subagent's prompt and its answer. */
export function AgentDetail(props: { tool: Tool }): JSX.Element {
  const words = () => text().tools;
  const prompt = () => textField(props.tool.input, "prompt");
  const answer = () => resultText(props.tool);
  return (
    <>
      <Show when={prompt()}>
        <Labelled label={[words().whatItWasAsked, textField(props.tool.input, "subagent_type")].filter(Boolean).join(" · ")}>
          <Pane label={words().whatItWasAsked} corner={<CopyButton text={prompt} label={words().copyInput} />}>
            <div data-slot="prose">
              <Markdown text={prompt()} />
            </div>
          </Pane>
        </Labelled>
      </Show>
      <Show when={props.tool.state === "done"} fallback={<Result tool={props.tool} />}>
        <Labelled label={words().answer}>
          <Pane label={words().whatItAnswered} corner={<CopyButton text={answer} label={words().copyResult} />}>
            <div data-slot="prose">
              <Markdown text={answer()} />
            </div>
          </Pane>
        </Labelled>
      </Show>
    </>
  );
}

// The maximum number of a subagent's messages rendered at once; the last ones matter.
const MOST_NESTED = 10;
const PAGE = 50;

/** A subagent's messages: live, or loaded from the CLI's files. */
export function NestedTimeline(props: { tool: Tool; running: boolean; render: (messageId: string, scope: Scope) => JSX.Element }): JSX.Element {
  const { host } = useApp();
  const scope = useScope();
  const [most, setMost] = createSignal(MOST_NESTED);
  const [kept, setKept] = createSignal<Conversation | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const id = () => props.tool.toolUseId;
  const live = () => scope.conversation.nested[id()] ?? [];
  const from = createMemo<Scope>(() => {
    const conversation = live().length > 0 ? null : kept();
    return conversation ? { ...scope, conversation } : scope;
  });
  const all = () => from().conversation.nested[id()] ?? [];
  const shown = () => all().slice(-most());

  const read = async () => {
    const before = kept();
    setBusy(true);
    setError("");
    try {
      const page = await host.call("session.agent", {
        sessionId: scope.sessionId,
        toolUseId: id(),
        agentId: textField(props.tool.structured, "agentId"),
        limit: PAGE,
        before: before?.before ?? "",
      });
      if (!before) setKept(fromHistory(page));
      else {
        const longer: Conversation = { ...before, nested: { ...before.nested, [id()]: [...(before.nested[id()] ?? [])] } };
        prepend(longer, page);
        setKept(longer);
      }
      setMost(most() + PAGE);
    } catch (failure) {
      setError(failure instanceof HostError && failure.code === "not_found" ? text().tools.agentGone : messageOf(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Show when={!props.running && props.tool.state !== "notRun" && live().length === 0 && !kept()}>
        <p data-slot="aside">
          <Show when={!error()} fallback={error()}>
            <Button size="small" variant="ghost" disabled={busy()} onClick={() => void read()}>
              {busy() ? text().tools.readingAgent : text().tools.readAgent}
            </Button>
          </Show>
        </p>
      </Show>
      <Show when={all().length > 0}>
        <div data-slot="nested" role="group" aria-label={text().tools.whatItDid}>
          <Show when={live().length === 0 && kept()?.hasMore && shown().length === all().length}>
            <Button size="small" variant="ghost" disabled={busy()} onClick={() => void read()}>
              {text().tools.olderAgent}
            </Button>
          </Show>
          <Show when={shown().length < all().length}>
            <Button size="small" variant="ghost" onClick={() => setMost(most() + PAGE)}>
              {text().tools.earlier(all().length - shown().length)}
            </Button>
          </Show>
          <For each={shown()}>{(messageId) => props.render(messageId, from())}</For>
        </div>
      </Show>
    </>
  );
}

/** Stops the background task that the card's tool started. */
export function StopButton(props: { taskId: string }): JSX.Element {
  const { host } = useApp();
  const scope = useScope();
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const stop = async () => {
    setBusy(true);
    setError("");
    try {
      await host.call("task.stop", { sessionId: scope.sessionId, taskId: props.taskId });
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <span data-slot="stop">
      <Button size="small" variant="ghost" disabled={busy()} onClick={() => void stop()}>
        {busy() ? text().tools.stopping : text().tools.stop}
      </Button>
      <Show when={error()}>
        <span data-slot="failed" role="alert">
          {error()}
        </span>
      </Show>
    </span>
  );
}
