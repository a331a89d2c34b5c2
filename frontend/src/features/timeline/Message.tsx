import { createMemo, For, type JSX, untrack } from "solid-js";
import type { Block, Notice, Shell, Tool } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { choose } from "../../lib/choose";
import { Markdown } from "../../ui/markdown";
import { AuthorName } from "../mattermost/AuthorName";
import { ShellBlock } from "./ShellBlock";
import { formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { UndoTurn } from "../inspector/files/UndoTurn";
import { MessageActions } from "./MessageActions";
import { LongContent } from "./LongContent";
import { cutTool, isLongContent, longLength } from "./long-content";
import { NoticeView } from "./Notice";
import type { Scope } from "../../store/scope";
import { MessageText } from "./MessageText";
import { Thinking } from "./Thinking";
import { resultText } from "../tools/note";
import { ToolCard } from "../tools/ToolCard";
import { TurnFooter } from "./TurnFooter";
import { speaker, UserText } from "./UserText";
import "./message.css";

/** One message of the conversation. */
export function MessageView(props: { id: string; scope: Scope }): JSX.Element {
  // Only rendered while the message exists.
  const message = () => props.scope.conversation.messages[props.id] as MessageState;
  return choose(
    () => kindOf(message()),
    (kind) => {
      switch (kind) {
        case "notice":
          return <NoticeView id={message().id} notice={message().notice as Notice} scope={props.scope} />;
        case "user":
          return <UserMessage message={message()} scope={props.scope} />;
        case "shell":
          return <ShellBlock sessionId={props.scope.sessionId} message={message()} shell={message().shell as Shell} output={textOf(message(), props.scope)} />;
        case "assistant":
          return <AssistantMessage message={message()} scope={props.scope} />;
        default:
          return null;
      }
    },
  );
}

function kindOf(message: MessageState | undefined): "notice" | "user" | "shell" | "assistant" | "" {
  if (message?.role === "notice" && message.notice) return "notice";
  // A subagent's prompt is the input of the tool that started it.
  if (message?.role === "user" && !message.parentToolUseId) return "user";
  if (message?.shell) return "shell";
  return message?.role === "assistant" ? "assistant" : "";
}

function UserMessage(props: { message: MessageState; scope: Scope }): JSX.Element {
  const text = createMemo(() => textOf(props.message, props.scope));
  return choose(
    () => (text().length > longLength ? "long" : "text"),
    (kind) =>
      kind === "text" ? (
        <UserText message={props.message} text={text()} sessionId={props.scope.sessionId} />
      ) : (
        <article data-component="message" data-role="user" data-message-id={props.message.id}>
          <h2 class="visually-hidden">
            {props.message.synthetic ? words().timeline.claudeCode : speaker(props.message)}, {formatClock(props.message.at)}
          </h2>
          {props.message.author && <AuthorName author={props.message.author} />}
          <LongContent text={text()} label={words().timeline.longPrompt} />
          <MessageActions sessionId={props.scope.sessionId} message={props.message} text={text} />
        </article>
      ),
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
      {own() && <p data-slot="origin">{words().timeline.fromCli}</p>}
      {props.message.unsaved && <p data-slot="origin">{words().timeline.unsaved}</p>}
      <For each={props.message.blockIds}>{(blockId) => <BlockView id={blockId} scope={props.scope} />}</For>
      {!props.message.parentToolUseId && (
        <MessageActions sessionId={props.scope.sessionId} message={props.message} text={settled() ? text : undefined} />
      )}
      {props.message.result && (
        <TurnFooter result={props.message.result} model={own() ? undefined : props.message.model}>
          <UndoTurn sessionId={props.scope.sessionId} messageId={props.message.id} />
        </TurnFooter>
      )}
    </article>
  );
}

function BlockView(props: { id: string; scope: Scope }): JSX.Element {
  const block = () => props.scope.conversation.blocks[props.id] as Block;
  let long: boolean | undefined;
  const kind = (shown: Block | undefined) => {
    // A streaming text is rendered incrementally, so its cost is that of the additions; it is only cut when rendered
    // again.
    if (shown) long ??= untrack(() => isLongContent(shown) && !shown.open);
    if (long && shown) return "long";
    if (shown?.type === "text" || shown?.type === "thinking") return shown.type;
    return shown?.tool ? "tool" : "";
  };
  return choose(
    () => kind(block()),
    (name) => {
      switch (name) {
        case "long":
          return <LongContent text={block().text ?? ""} label={words().timeline.longText} />;
        case "text":
          return (
            <div data-slot="text" data-block-id={block().id}>
              <Markdown text={block().text ?? ""} open={block().open} />
              {block().stopped && <p data-slot="cut">{words().timeline.cutOff}</p>}
            </div>
          );
        case "thinking":
          return <Thinking block={block()} />;
        case "tool":
          return <ToolBlock tool={block().tool as Tool} scope={props.scope} />;
        default:
          return null;
      }
    },
  );
}

function ToolBlock(props: { tool: Tool; scope: Scope }): JSX.Element {
  const parts = createMemo(() => cutTool(props.tool));
  const said = () => (props.tool.said && props.tool.state === "notRun" ? resultText(parts().tool) : "");
  return (
    <>
      <ToolCard
        tool={parts().tool}
        scope={props.scope}
        renderNested={(id, scope) => <MessageView id={id} scope={scope} />}
      />
      {said() && <MessageText text={said()} by={props.tool.answeredBy ?? ""} />}
      {parts().long.length > 0 && (
        <For each={parts().long}>{(part) => <LongContent text={part.text} label={words().timeline.longPart(part.name)} closed />}</For>
      )}
    </>
  );
}

/** A message's text without tools and thinking. */
export function textOf(message: MessageState, scope: Pick<Scope, "conversation">): string {
  return message.blockIds
    .map((id) => scope.conversation.blocks[id])
    .filter((block) => block?.type === "text")
    .map((block) => block?.text ?? "")
    .join("\n\n");
}
