import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { Block } from "../../host/border.gen";
import { CopyButton, Markdown } from "../../lib/markdown";
import { formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { NoticeView } from "./Notice";
import type { Scope } from "./scope";
import { Thinking } from "./Thinking";
import { ToolCard } from "./ToolCard";
import { TurnFooter } from "./TurnFooter";
import { UserText } from "./UserText";
import "./message.css";

/** One message of the conversation. */
export function MessageView(props: { id: string; scope: Scope }): JSX.Element {
  const message = () => props.scope.conversation.messages[props.id];
  return (
    <Show when={message()}>
      {(found) => (
        <Switch>
          <Match when={found().role === "notice" && found().notice}>{(notice) => <NoticeView notice={notice()} />}</Match>
          {/* A subagent's prompt is the input of the tool that started it. */}
          <Match when={found().role === "user" && !found().parentToolUseId}>
            <UserText message={found()} text={textOf(found(), props.scope)} />
          </Match>
          <Match when={found().role === "assistant"}>
            <AssistantMessage message={found()} scope={props.scope} />
          </Match>
        </Switch>
      )}
    </Show>
  );
}

function AssistantMessage(props: { message: MessageState; scope: Scope }): JSX.Element {
  const own = () => props.message.model === "<synthetic>";
  const text = () => textOf(props.message, props.scope);
  const settled = () =>
    props.message.blockIds.some((id) => {
      const block = props.scope.conversation.blocks[id];
      return block?.type === "text" && !block.open;
    });
  return (
    <article data-component="message" data-role="assistant" data-message-id={props.message.id}>
      <h2 class="visually-hidden">
        {own() ? "Claude Code" : props.message.parentToolUseId ? "Subagent" : "Claude"}, {formatClock(props.message.at)}
      </h2>
      <Show when={own()}>
        <p data-slot="origin">From the CLI</p>
      </Show>
      <For each={props.message.blockIds}>
        {(blockId) => (
          <Show when={props.scope.conversation.blocks[blockId]}>
            {(block) => <BlockView block={block()} scope={props.scope} />}
          </Show>
        )}
      </For>
      <Show when={settled()}>
        <div data-slot="actions">
          <CopyButton text={text} label="Copy message" />
        </div>
      </Show>
      <Show when={props.message.result}>{(result) => <TurnFooter result={result()} />}</Show>
    </article>
  );
}

function BlockView(props: { block: Block; scope: Scope }): JSX.Element {
  return (
    <Switch>
      <Match when={props.block.type === "text"}>
        <div data-slot="text">
          <Markdown text={props.block.text ?? ""} open={props.block.open} />
          <Show when={props.block.stopped}>
            <p data-slot="cut">Cut off here.</p>
          </Show>
        </div>
      </Match>
      <Match when={props.block.type === "thinking"}>
        <Thinking block={props.block} />
      </Match>
      <Match when={props.block.tool}>
        {(tool) => (
          <ToolCard
            tool={tool()}
            scope={props.scope}
            renderNested={(id) => <MessageView id={id} scope={props.scope} />}
          />
        )}
      </Match>
    </Switch>
  );
}

/** A message's texts without tools and thinking. */
export function textOf(message: MessageState, scope: Scope): string {
  return message.blockIds
    .map((id) => scope.conversation.blocks[id])
    .filter((block) => block?.type === "text")
    .map((block) => block?.text ?? "")
    .join("\n\n");
}
