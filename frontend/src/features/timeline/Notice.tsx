import ChevronRight from "lucide-solid/icons/chevron-right";
import CircleStop from "lucide-solid/icons/circle-stop";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import Unplug from "lucide-solid/icons/unplug";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Notice } from "../../host/border.gen";
import { stripAnsi } from "../../lib/ansi";
import { formatTokens } from "../../lib/time";
import "./notice.css";

/** Something that happened to the conversation. */
export function NoticeView(props: { notice: Notice }): JSX.Element {
  const kind = () => props.notice.kind;
  return (
    <div data-component="notice" data-kind={kind()} role="note">
      <Switch fallback={<p data-slot="line">{props.notice.text || kind()}</p>}>
        <Match when={kind() === "compaction"}>
          <p data-slot="divider">{compaction(props.notice)}</p>
        </Match>
        <Match when={kind() === "cleared"}>
          <p data-slot="divider">Conversation cleared. What is above, the model no longer knows.</p>
        </Match>
        <Match when={kind() === "interrupted"}>
          <p data-slot="line">
            <CircleStop size={14} />
            {props.notice.text || "You stopped this turn."}
          </p>
        </Match>
        <Match when={kind() === "closed"}>
          <p data-slot="line">
            <Unplug size={14} />
            {props.notice.text || "The CLI has ended. The next prompt starts it again."}
          </p>
        </Match>
        <Match when={kind() === "error"}>
          <ErrorNotice notice={props.notice} />
        </Match>
      </Switch>
    </div>
  );
}

function ErrorNotice(props: { notice: Notice }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <TriangleAlert size={16} />
      <div data-slot="words">
        <p data-slot="title">{props.notice.text || "Something went wrong."}</p>
        <Show when={props.notice.hint}>
          <p data-slot="hint">{props.notice.hint}</p>
        </Show>
        <Show when={props.notice.detail}>
          {(detail) => (
            <>
              <button type="button" data-slot="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
                <ChevronRight size={14} />
                Details
              </button>
              <Show when={open()}>
                <pre tabindex="0">{stripAnsi(detail())}</pre>
              </Show>
            </>
          )}
        </Show>
      </div>
    </>
  );
}

function compaction(notice: Notice): string {
  if (notice.text) return `The conversation could not be summarised: ${notice.text}`;
  const tokens = (n: number | undefined) => (n ? formatTokens(n) : "?");
  if (!notice.preTokens && !notice.postTokens) return "Conversation summarised";
  return `Conversation summarised: ${tokens(notice.preTokens)} → ${tokens(notice.postTokens)} tokens`;
}
