import { createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import type { Way } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { WayForm } from "./WayForm";
import "./ways.css";

const hostOf = (way: Way) => new URL(way.url).host;

/** The webhooks and ntfy topics for notifications: lists, tests and adds them. */
export function Ways(): JSX.Element {
  const { host } = useApp();
  const { answer, error, again } = createReading("way.list", () => ({}));
  const [editing, setEditing] = createSignal<Way | "new" | null>(null);
  const [problem, setProblem] = createSignal("");
  const [said, setSaid] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const words = () => text().ways;
  let root: HTMLElement | undefined;

  async function run(what: Promise<unknown>, done = ""): Promise<void> {
    setProblem("");
    setSaid("");
    setBusy(true);
    try {
      await what;
      setSaid(done);
    } catch (failure) {
      setProblem(messageOf(failure));
    }
    setBusy(false);
    await again();
  }
  const close = () => {
    setEditing(null);
    queueMicrotask(() => root?.querySelector<HTMLElement>("[data-slot=add]")?.focus());
  };

  return (
    <section ref={(el) => (root = el)} id="setting-ways" data-slot="whole" data-component="ways" aria-labelledby="ways-title">
      <h3 id="ways-title">{words().title}</h3>
      <p data-slot="about">{words().about}</p>
      <Show when={answer()}>
        {(found) => (
          <Show when={found().ways.length > 0} fallback={<p data-slot="about">{words().none}</p>}>
            <ul aria-label={words().list}>
              <For each={found().ways}>
                {(way) => (
                  <Row
                    way={way}
                    busy={busy()}
                    onTest={() => void run(host.call("way.test", { id: way.id }), words().arrived(hostOf(way)))}
                    onEdit={() => setEditing(way)}
                    onRemove={() => void run(host.call("way.remove", { id: way.id }))}
                  />
                )}
              </For>
            </ul>
          </Show>
        )}
      </Show>
      <p role="status">{said()}</p>
      <Show when={problem() || error()}>
        {(why) => (
          <p data-slot="error" role="alert">
            {why()}
          </p>
        )}
      </Show>
      <Show when={editing()} keyed fallback={<Button data-slot="add" onClick={() => setEditing("new")}>{words().add}</Button>}>
        {(one) => (
          <WayForm
            way={one === "new" ? null : one}
            onClose={close}
            onSaved={() => {
              close();
              void again();
            }}
          />
        )}
      </Show>
    </section>
  );
}

function Row(props: { way: Way; busy: boolean; onTest: () => void; onEdit: () => void; onRemove: () => void }): JSX.Element {
  const [sure, setSure] = createSignal(false);
  const words = () => text().ways;
  const name = () => hostOf(props.way);
  const clock = createMemo(() => new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }));
  let row: HTMLLIElement | undefined;
  onCleanup(() => row?.contains(document.activeElement) && row.closest<HTMLElement>("[data-autofocus]")?.focus());
  const about = () =>
    [
      words().kinds[props.way.kind as keyof ReturnType<typeof words>["kinds"]],
      props.way.sentAt > 0 && words().sent(clock().format(props.way.sentAt)),
      props.way.waiting > 0 && words().waiting(number(props.way.waiting)),
      props.way.lost > 0 && words().lost(number(props.way.lost)),
    ]
      .filter(Boolean)
      .join(" · ");
  return (
    <li ref={(el) => (row = el)}>
      <div data-slot="row">
        <div>
          <strong data-slot="url">{props.way.url}</strong>
          <p data-slot="about">{about()}</p>
          <Show when={props.way.problem}>
            <p data-slot="error">{props.way.problem}</p>
          </Show>
        </div>
        <Show when={!sure()}>
          <div data-slot="buttons">
            <Button size="small" aria-label={words().testName(name())} disabled={props.busy} onClick={() => props.onTest()}>
              {words().test}
            </Button>
            <Button size="small" aria-label={words().editName(name())} onClick={() => props.onEdit()}>
              {words().edit}
            </Button>
            <Button size="small" aria-label={words().removeName(name())} onClick={() => setSure(true)}>
              {words().remove}
            </Button>
          </div>
        </Show>
      </div>
      <Show when={sure()}>
        <p>{words().sure(name())}</p>
        <div data-slot="buttons">
          <Button data-danger="" onClick={() => props.onRemove()}>
            {words().remove}
          </Button>
          <Button ref={(el) => queueMicrotask(() => el.focus())} onClick={() => setSure(false)}>
            {text().common.cancel}
          </Button>
        </div>
      </Show>
    </li>
  );
}
