import { createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import type { Work, WindowAnswerParams, WindowClosing } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import "./closing-question.css";

type Answer = "background" | "quit" | "cancel";

/** Asks what happens to running work when the window is closed. The program provides its content and keeps it up to
 * date. */
export function ClosingQuestion(): JSX.Element {
  const { host, actions } = useApp();
  const [asked, setAsked] = createSignal<WindowClosing | null>(null);
  const [remember, setRemember] = createSignal(false);
  /** The question answered here; the program may not know yet. */
  let answered = 0;
  const last = stable(asked);
  const words = () => text().shell.closing;
  const over = () => last().working + last().waiting === 0;

  const say = (serial: number, answer: WindowAnswerParams["answer"]) =>
    host.call("window.answer", { serial, answer }).catch((failure: unknown) => {
      // "shown" is sent again with the next event.
      if (answer !== "shown") actions.report(failure);
    });

  onCleanup(
    host.onGlobal((event) => {
      // Browser pages have no app window to close.
      if (event.event !== "window.closing" || host.kind === "gateway") return;
      const { serial } = event.payload;
      if (serial === 0) setAsked(null);
      if (serial === 0 || serial === answered) return;
      if (asked()?.serial !== serial) setRemember(false);
      setAsked(event.payload);
      void say(serial, "shown");
    }),
  );

  function answer(what: Answer): void {
    const question = asked();
    if (!question) return;
    answered = question.serial;
    setAsked(null);
    void keepAndSay(answered, what, remember() && !over());
  }

  /** Saves the choice first: the program may have ended after the answer. */
  async function keepAndSay(serial: number, what: Answer, keep: boolean): Promise<void> {
    if (keep && what !== "cancel") await actions.changeSettings({ closeWhileWorking: what }).catch((failure: unknown) => actions.report(failure));
    await say(serial, what);
  }

  return (
    <Dialog
      open={asked() !== null}
      onOpenChange={(open) => !open && answer("cancel")}
      size="form"
      title={last() ? words().title(last().working, last().waiting) : ""}
      footer={
        <Show
          when={!over()}
          fallback={
            <>
              <span data-slot="spacer" />
              <Button variant="ghost" onClick={() => answer("cancel")}>
                {text().common.cancel}
              </Button>
              <Button variant="primary" data-autofocus onClick={() => answer("quit")}>
                {words().quit}
              </Button>
            </>
          }
        >
          <Button variant="ghost" data-danger data-edge="start" onClick={() => answer("quit")}>
            {words().stop}
          </Button>
          <span data-slot="spacer" />
          <Button variant="ghost" onClick={() => answer("cancel")}>
            {text().common.cancel}
          </Button>
          <Button variant="primary" data-autofocus onClick={() => answer("background")}>
            {words().background}
          </Button>
        </Show>
      }
    >
      <div data-component="closing-question">
        <Show when={!over()} fallback={<p>{words().finished}</p>}>
          <Works question={last()} />
          <p>
            {last().tray ? words().aboutTray : words().about}
            <Show when={last().waiting > 0}> {words().aboutWaiting}</Show>
          </p>
          <p>{words().aboutStop}</p>
          <label data-slot="remember">
            <input type="checkbox" checked={remember()} onChange={(event) => setRemember(event.currentTarget.checked)} />
            {words().remember}
          </label>
        </Show>
      </div>
    </Dialog>
  );
}

/** The running work; sessions with pending requests first. */
function Works(props: { question: WindowClosing }): JSX.Element {
  const words = () => text().shell.closing;
  const more = () => props.question.working + props.question.waiting - props.question.work.length;
  const how = (work: Work) => {
    const states: Record<string, string> = words().states;
    return (work.heartbeat && work.state === "working" ? words().heartbeat : states[work.state]) ?? "";
  };
  return (
    // A long list scrolls, also by keyboard.
    <ul data-slot="work" role="list" tabindex="0" aria-label={words().title(props.question.working, props.question.waiting)}>
      <For each={props.question.work}>
        {(work) => (
          <li data-state={work.state}>
            <span data-slot="session">{work.title || text().common.newSession}</span>
            <span data-slot="state">{how(work)}</span>
          </li>
        )}
      </For>
      <Show when={more() > 0}>
        <li>{words().more(number(more()))}</li>
      </Show>
    </ul>
  );
}
