import CircleStop from "lucide-solid/icons/circle-stop";
import Unplug from "lucide-solid/icons/unplug";
import { type JSX, Match, Show, Switch } from "solid-js";
import type { Notice } from "../../host/border.gen";
import { number, text, translated } from "../../i18n";
import { formatClock, formatTokens } from "../../lib/time";
import { isNamed, nameOf } from "../../lib/whose";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ErrorNotice } from "./ErrorNotice";
import { hasWritten, propose } from "../composer/recovery";
import { usePane } from "../../store/pane";
import type { Scope } from "../../store/scope";
import "./notice.css";

/** The id prefix of notices about a turn that was running when Parley ended. */
const endedWithParley = "notice:interrupted:";

/** An event in the conversation. */
export function NoticeView(props: { id: string; notice: Notice; scope: Scope }): JSX.Element {
  const kind = () => props.notice.kind;
  const said = () => translated(props.notice.text ?? "");
  const at = () => props.scope.conversation.messages[props.id]?.at ?? 0;
  return (
    <div data-component="notice" data-kind={kind()} data-message-id={props.id} role="note">
      <Switch fallback={<p data-slot="line">{said() || kind()}</p>}>
        <Match when={kind() === "compaction"}>
          <Divider>{compaction(props.notice)}</Divider>
        </Match>
        <Match when={kind() === "cleared"}>
          <Divider>{at() > 0 ? text().blocks.clearedAt(formatClock(at())) : text().blocks.cleared}</Divider>
        </Match>
        <Match when={kind() === "interrupted" && props.id.startsWith(endedWithParley)}>
          <EndedNotice scope={props.scope} last={props.scope.conversation.order.at(-1) === props.id} />
        </Match>
        <Match when={kind() === "interrupted"}>
          <p data-slot="line">
            <CircleStop size={14} />
            {said() || stoppedBy(props.notice.by ?? "")}
          </p>
        </Match>
        <Match when={kind() === "closed"}>
          <p data-slot="line">
            <Unplug size={14} />
            {said() || text().blocks.closed}
          </p>
        </Match>
        <Match when={kind() === "error"}>
          <ErrorNotice id={props.id} notice={props.notice} scope={props.scope} />
        </Match>
      </Switch>
    </div>
  );
}

/** Above the very first message: when the session started. */
export function StartNotice(props: { at: number }): JSX.Element {
  return (
    <div data-component="notice" data-kind="start" role="note">
      <Divider>{text().blocks.startedAt(formatClock(props.at))}</Divider>
    </div>
  );
}

function Divider(props: { children: JSX.Element }): JSX.Element {
  return <p data-slot="divider">{props.children}</p>;
}

/** Parley ended during a turn. Nothing continues automatically after that. */
function EndedNotice(props: { scope: Scope; last: boolean }): JSX.Element {
  const app = useApp();
  const pane = usePane();
  return (
    <div data-slot="ended">
      <CircleStop size={16} />
      <div data-slot="words">
        <p data-slot="title">{text().blocks.endedTitle}</p>
        <p data-slot="hint">{text().blocks.endedHint}</p>
        <Show when={props.last && !hasWritten(app, props.scope)}>
          <Button size="small" onClick={() => propose(app, pane, props.scope, text().blocks.continuePrompt)}>
            {text().blocks.draftContinue}
          </Button>
        </Show>
      </div>
    </div>
  );
}

function compaction(notice: Notice): string {
  const words = text().blocks;
  const { preTokens: before, postTokens: after } = notice;
  if (notice.text) return words.compactionFailed(translated(notice.text));
  if (!before && !after) return words.compacted;
  const tokens = (n: number | undefined) => (n ? formatTokens(n) : "?");
  const share = before && after && after < before ? words.less(number(1 - after / before, { style: "percent" })) : "";
  return words.compactedTokens(tokens(before), tokens(after), share);
}

// Actors that are the local user.
const here = ["window", "gateway", "tray"];

function stoppedBy(by: string): string {
  const words = text().blocks;
  if (here.includes(by)) return words.interrupted;
  if (by === "heartbeat") return words.interruptedByHeartbeat;
  return isNamed(by) ? words.interruptedBy(nameOf(by)) : words.interruptedSomehow;
}
