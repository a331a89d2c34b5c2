import ChevronRight from "lucide-solid/icons/chevron-right";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Notice } from "../../host/border.gen";
import { text } from "../../i18n";
import { stripAnsi } from "../../lib/ansi";
import { writeClipboard } from "../../lib/markdown";
import { askForSettings } from "../../lib/settings-ask";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ResetCountdown } from "./Countdown";
import { hasWritten, openModels, promptBefore, propose, type Step, stepsFor } from "./prompting";
import type { Scope } from "./scope";

/** What went wrong, and what can be done about it as long as it is the last thing that happened. */
export function ErrorNotice(props: { id: string; notice: Notice; scope: Scope }): JSX.Element {
  const app = useApp();
  const [open, setOpen] = createSignal(false);
  const [copied, setCopied] = createSignal(false);
  let place!: HTMLDivElement;
  const prompt = () => promptBefore(props.scope, props.id);
  const last = () => props.scope.conversation.order.at(-1) === props.id;
  const steps = () =>
    !last() ? [] : stepsFor(props.notice.code ?? "").filter((step) => (step !== "again" && step !== "compact") || !hasWritten(app, props.scope)).filter((step) => step !== "again" || prompt() !== "");

  const words = (step: Step) => {
    const { sendAgain, chooseModel, signIn, compact, openSettings } = text().blocks;
    return { again: sendAgain, model: chooseModel, signIn: copied() ? text().blocks.copied : signIn, compact, settings: openSettings }[step];
  };
  const act: Record<Step, () => void> = {
    again: () => propose(app, props.scope, prompt(), place),
    model: () => openModels(place),
    signIn: () => void writeClipboard("claude /login").then(setCopied),
    compact: () => propose(app, props.scope, "/compact", place),
    settings: () => askForSettings("cliPath"),
  };

  return (
    <>
      <TriangleAlert size={16} />
      <div ref={place} data-slot="words">
        <p data-slot="title">{props.notice.text || text().blocks.wrong}</p>
        <Show when={props.notice.hint}>
          <p data-slot="hint">{props.notice.hint}</p>
        </Show>
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
        <Show when={steps().length > 0}>
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
    </>
  );
}
