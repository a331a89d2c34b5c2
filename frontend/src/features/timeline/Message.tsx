import { createMemo, For, type JSX, Match, Show, Switch, untrack } from "solid-js";
import type { Block, Tool } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { Markdown } from "../../lib/markdown";
import { AuthorName } from "../chat/AuthorName";
import { ShellBlock } from "../composer/ShellBlock";
import { formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { UndoTurn } from "../inspector/files/UndoTurn";
import { MessageActions } from "./MessageActions";
import { Monster } from "./Monster";
import { cutTool, isMonster, monster } from "./monster";
import { NoticeView } from "./Notice";
import type { Scope } from "./scope";
import { Thinking } from "./Thinking";
import { ToolCard } from "../tools/ToolCard";
import { TurnFooter } from "./TurnFooter";
import { speaker, UserText } from "./UserText";
import "./message.css";

/** One message of the conversation. */
export function MessageView(props: { id: string; scope: Scope }): JSX.Element {
  const message = () => props.scope.conversation.messages[props.id];
  return (
    <Show when={message()}>
      {(found) => (
        <Switch>
          <Match when={found().role === "notice" && found().notice}>{(notice) => <NoticeView id={found().id} notice={notice()} scope={props.scope} />}</Match>
          {/* A subagent's prompt is the input of the tool that started it. */}
          <Match when={found().role === "user" && !found().parentToolUseId}>
            <UserMessage message={found()} scope={props.scope} />
          </Match>
          <Match when={found().shell}>
            {(shell) => <ShellBlock sessionId={props.scope.sessionId} message={found()} shell={shell()} output={textOf(found(), props.scope)} />}
          </Match>
          <Match when={found().role === "assistant"}>
            <AssistantMessage message={found()} scope={props.scope} />
          </Match>
        </Switch>
      )}
    </Show>
  );
}

function UserMessage(props: { message: MessageState; scope: Scope }): JSX.Element {
  const text = createMemo(() => textOf(props.message, props.scope));
  return (
    <Show
      when={text().length > monster}
      fallback={<UserText message={props.message} text={text()} sessionId={props.scope.sessionId} />}
    >
      <article data-component="message" data-role="user" data-message-id={props.message.id}>
        <h2 class="visually-hidden">
          {props.message.synthetic ? words().timeline.claudeCode : speaker(props.message)}, {formatClock(props.message.at)}
        </h2>
        <Show when={props.message.author}>{(author) => <AuthorName author={author()} />}</Show>
        <Monster text={text()} label={words().timeline.longPrompt} />
        <MessageActions sessionId={props.scope.sessionId} message={props.message} text={text} />
      </article>
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
  const speaker = () => {
    if (own()) return words().timeline.claudeCode;
    return props.message.parentToolUseId ? words().timeline.subagent : words().timeline.claude;
  };
  return (
    <article data-component="message" data-role="assistant" data-message-id={props.message.id}>
      <h2 class="visually-hidden">
        {speaker()}, {formatClock(props.message.at)}
      </h2>
      <Show when={own()}>
        <p data-slot="origin">{words().timeline.fromCli}</p>
      </Show>
      <For each={props.message.blockIds}>
        {(blockId) => (
          <Show when={props.scope.conversation.blocks[blockId]}>
            {(block) => <BlockView block={block()} scope={props.scope} />}
          </Show>
        )}
      </For>
      <Show when={!props.message.parentToolUseId}>
        <MessageActions sessionId={props.scope.sessionId} message={props.message} text={settled() ? text : undefined} />
      </Show>
      <Show when={props.message.result}>
        {(result) => (
          <TurnFooter result={result()}>
            <UndoTurn sessionId={props.scope.sessionId} messageId={props.message.id} />
          </TurnFooter>
        )}
      </Show>
    </article>
  );
}

function BlockView(props: { block: Block; scope: Scope }): JSX.Element {
  // One that grows is drawn as it comes, which costs what comes; it is not drawn so again.
  const long = untrack(() => isMonster(props.block) && !props.block.open);
  return (
    <Switch>
      <Match when={long}>
        <Monster text={props.block.text ?? ""} label={words().timeline.longText} />
      </Match>
      <Match when={props.block.type === "text"}>
        <div data-slot="text" data-block-id={props.block.id}>
          <Markdown text={props.block.text ?? ""} open={props.block.open} />
          <Show when={props.block.stopped}>
            <p data-slot="cut">{words().timeline.cutOff}</p>
          </Show>
        </div>
      </Match>
      <Match when={props.block.type === "thinking"}>
        <Thinking block={props.block} />
      </Match>
      <Match when={props.block.tool}>{(tool) => <ToolBlock tool={tool()} scope={props.scope} />}</Match>
    </Switch>
  );
}

function ToolBlock(props: { tool: Tool; scope: Scope }): JSX.Element {
  const parts = createMemo(() => cutTool(props.tool));
  return (
    <>
      <ToolCard
        tool={parts().tool}
        scope={props.scope}
        renderNested={(id, scope) => <MessageView id={id} scope={scope} />}
      />
      <For each={parts().long}>
        {(part) => <Monster text={part.text} label={words().timeline.longPart(part.name)} closed />}
      </For>
    </>
  );
}

/** A message's texts without tools and thinking. */
export function textOf(message: MessageState, scope: Pick<Scope, "conversation">): string {
  return message.blockIds
    .map((id) => scope.conversation.blocks[id])
    .filter((block) => block?.type === "text")
    .map((block) => block?.text ?? "")
    .join("\n\n");
}
