import ChevronRight from "lucide-solid/icons/chevron-right";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Notice } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { messageOf } from "../../host/host";
import { stripAnsi } from "../../lib/ansi";
import { createClock, formatClock } from "../../lib/time";
import { writeClipboard } from "../../ui/markdown";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { SignIn } from "../start/SignIn";
import { ResetCountdown } from "./Countdown";
import { ContinueLater } from "./ContinueLater";
import { afterReset, continueAt, failureWords, type Fuse, hasWritten, promptBefore, propose, type Step, stepsFor } from "../composer/recovery";
import { usePane } from "../../store/pane";
import type { Scope } from "../../store/scope";
import "./notice.css";

/**
 * An error, with remedies as long as it is the latest event. Without an id, it is about the session's current state and
 * not part of a message.
 */
export function ErrorNotice(props: { id: string; notice: Notice; scope: Scope }): JSX.Element {
  const app = useApp();
  const [open, setOpen] = createSignal(false);
  const [signingIn, setSigningIn] = createSignal(false);
  const [copied, setCopied] = createSignal(false);
  const [said, setSaid] = createSignal("");
  const [choosing, setChoosing] = createSignal(false);
  const pane = usePane();
  const prompt = () => promptBefore(props.scope, props.id);
  // A prompt that never ran is not in the conversation: it is queued, and sent from there.
  const failed = () => app.state.sessions[props.scope.sessionId]?.queued.findLast((p) => p.state === "failed");
  const last = () => props.id === "" || props.scope.conversation.order.at(-1) === props.id;
  const now = createClock(30_000);
  const session = () => app.state.sessions[props.scope.sessionId];
  const known = () => failureWords(props.notice.code ?? "");
  const message = () => translated(props.notice.text ?? "");
  const details = () => [props.notice.code, props.notice.text, props.notice.hint, props.notice.detail && stripAnsi(props.notice.detail)].filter(Boolean).join("\n");
  const possible: Partial<Record<Step, () => boolean>> = {
    wait: () => (props.notice.resetsAt ?? 0) > now() && session() !== undefined,
    again: () => failed() !== undefined || (!hasWritten(app, props.scope) && prompt() !== ""),
    compact: () => !hasWritten(app, props.scope),
  };
  const steps = () => (last() ? stepsFor(props.notice.code ?? "").filter((step) => possible[step]?.() ?? true) : []);

  const words = (step: Step) => {
    const { sendAgain, chooseModel, signIn, compact, openSettings, copied: done } = text().blocks;
    const { continueAt: at, copyDetails, newConversation } = text().failures;
    return {
      wait: at(formatClock(afterReset(props.notice.resetsAt ?? 0))), again: sendAgain, model: chooseModel, signIn,
      compact, fresh: newConversation, setUp: text().shell.setUp, settings: openSettings, copy: copied() ? done : copyDetails,
    }[step];
  };
  async function later(fuse: Fuse): Promise<void> {
    const [of, at] = [session(), props.notice.resetsAt ?? 0];
    setChoosing(false);
    if (!of) return;
    setSaid(await continueAt(app.host, of, at, fuse).then(() => text().failures.continues(formatClock(afterReset(at))), messageOf));
  }
  const act: Record<Step, () => void> = {
    again: () => {
      const waits = failed();
      if (waits) void app.host.call("session.sendQueued", { sessionId: props.scope.sessionId, promptId: waits.promptId }).catch(() => propose(app, pane, props.scope, waits.text));
      else propose(app, pane, props.scope, prompt());
    },
    model: () => pane.openModels(),
    signIn: () => setSigningIn(true),
    copy: () => void writeClipboard(details()).then(setCopied),
    fresh: () => void app.actions.fresh(props.scope.sessionId),
    wait: () => setChoosing(true),
    setUp: () => void app.actions.refreshInfo().then(() => app.actions.open(null)),
    compact: () => propose(app, pane, props.scope, "/compact"),
    settings: () => app.layout.go({ kind: "settings", tab: "cliPath" }),
  };

  return (
    <>
      <TriangleAlert size={16} />
      <div data-slot="words">
        <p data-slot="title">{known()?.title ?? (message() || text().blocks.wrong)}</p>
        <Show when={known()?.about ?? translated(props.notice.hint ?? "")}>{(about) => <p data-slot="hint">{about()}</p>}</Show>
        <Show when={known() && message().replace(/\.$/, "") !== known()?.title ? message() : ""}>{(words) => <p data-slot="hint">{words()}</p>}</Show>
        <Show when={props.notice.resetsAt}>{(at) => <p data-slot="hint"><ResetCountdown at={at()} /></p>}</Show>
        <Show when={props.notice.detail}>
          {(detail) => (
            <>
              <button type="button" data-slot="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
                <ChevronRight size={14} />
                {text().blocks.details}
              </button>
              <Show when={open()}>
                <pre tabindex="0">{stripAnsi(detail())}</pre>
              </Show>
            </>
          )}
        </Show>
        <Show when={said()}><p data-slot="hint" role="status">{said()}</p></Show>
        <Show when={choosing()}>
          <ContinueLater resetsAt={props.notice.resetsAt ?? 0} onChoose={(fuse) => void later(fuse)} onCancel={() => setChoosing(false)} />
        </Show>
        <Show when={steps().length > 0 && !said() && !choosing()}>
          <div data-slot="steps">
            <For each={steps()}>
              {(step) => (
                <Button size="small" onClick={() => act[step]()}>
                  {words(step)}
                </Button>
              )}
            </For>
          </div>
        </Show>
      </div>
      <Dialog open={signingIn()} onOpenChange={setSigningIn} title={text().blocks.signIn} size="form">
        <SignIn onDone={() => setSigningIn(false)} onCancel={() => setSigningIn(false)} />
      </Dialog>
    </>
  );
}
