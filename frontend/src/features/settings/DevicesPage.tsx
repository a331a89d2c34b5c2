import { createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import type { Device } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { entriesOf } from "./registry";
import { type Defaults, SettingRow } from "./SettingRow";
import { PairDevice } from "./PairDevice";
import "./devices.css";

/** The paired devices; pairs and removes devices. */
export function DevicesPage(props: { defaults: Defaults }): JSX.Element {
  const { host } = useApp();
  const { answer, error } = createReading("device.list", () => ({}), { globals: ["devices.changed"] });
  const [problem, setProblem] = createSignal("");
  const words = () => text().devices;
  /** The address browsers use, or the one at which the window lets browsers in. */
  const base = () => (host.kind === "window" ? answer()?.url : `${location.origin}/`);

  async function remove(id: string): Promise<void> {
    setProblem("");
    try {
      await host.call("device.remove", { id });
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }

  return (
    <div id="setting-devices" data-slot="whole" data-component="devices">
      <p data-slot="about">{words().about}</p>
      <Show when={host.kind === "window"}>
        <For each={entriesOf("devices")}>{(entry) => <SettingRow entry={entry} defaults={props.defaults} />}</For>
      </Show>
      <Show when={base()}>{(url) => <PairDevice devices={answer()?.devices} base={url()} />}</Show>
      <Show when={problem() || error() || answer()?.problem}>
        {(why) => (
          <p data-slot="error" role="alert">
            {why()}
          </p>
        )}
      </Show>
      <Show when={answer()}>
        {(found) => (
          <Show when={found().devices.length > 0} fallback={<p data-slot="about">{words().none}</p>}>
            <ul aria-label={words().list}>
              <For each={found().devices}>{(device) => <Row device={device} onRemove={() => void remove(device.id)} />}</For>
            </ul>
          </Show>
        )}
      </Show>
    </div>
  );
}

function Row(props: { device: Device; onRemove: () => void }): JSX.Element {
  const [sure, setSure] = createSignal(false);
  const words = () => text().devices;
  const clock = createMemo(() => new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }));
  let row: HTMLLIElement | undefined;
  onCleanup(() => row?.contains(document.activeElement) && row.closest<HTMLElement>("[data-autofocus]")?.focus());
  const about = () =>
    [words().roles[props.device.role as keyof ReturnType<typeof words>["roles"]], props.device.current ? words().current : words().used(clock().format(props.device.usedAt))].filter(Boolean).join(" · ");
  return (
    <li ref={(el) => (row = el)}>
      <div data-slot="row">
        <div>
          <strong>{props.device.name}</strong>
          <p data-slot="about">{about()}</p>
        </div>
        <Show when={!sure()}>
          <Button size="small" aria-label={words().removeName(props.device.name)} onClick={() => setSure(true)}>
            {words().remove}
          </Button>
        </Show>
      </div>
      <Show when={sure()}>
        <p>{words().sure(props.device.name)}</p>
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
