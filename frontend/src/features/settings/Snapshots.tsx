import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Snapshot } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, number, text } from "../../i18n";
import { formatBytes } from "../../lib/time";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Setting } from "./Setting";
import "./snapshots.css";

/** Backups of Parley's data: their content, and restoring one. */
export function Snapshots(): JSX.Element {
  const { host } = useApp();
  const { answer: list, error, again: read } = createReading("snapshot.list", () => ({}));
  const [told, setTold] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const words = () => text().snapshots;

  const failed = () => {
    const why = list()?.problem ?? "";
    return why && words().failed(why);
  };

  /** Runs one action at a time and reports its result. */
  async function run(what: () => Promise<string>): Promise<void> {
    setBusy(true);
    setProblem("");
    setTold("");
    try {
      setTold(await what());
    } catch (failed) {
      setProblem(messageOf(failed));
    } finally {
      setBusy(false);
    }
  }

  const take = () =>
    run(async () => {
      const { made } = await host.call("snapshot.take", {});
      await read();
      return made ? words().taken : words().same;
    });
  const restore = (name: string) =>
    run(async () => {
      const { restarts } = await host.call("snapshot.restore", { name });
      return restarts ? words().beginning : words().later;
    });

  return (
    <div id="setting-snapshots" data-slot="whole" data-component="snapshots">
      <Setting label={words().title} about={words().about} error={problem() || error() || failed()}>
        {() => (
          <Button disabled={busy()} onClick={() => void take()}>
            {words().take}
          </Button>
        )}
      </Setting>
      <p role="status">{told()}</p>
      <Show when={list()}>
        {(found) => (
          <Show when={found().snapshots.length > 0} fallback={<p data-slot="about">{words().none}</p>}>
            <ul aria-label={words().list}>
              <For each={found().snapshots}>{(one) => <Row snapshot={one} busy={busy()} onRestore={() => void restore(one.name)} />}</For>
            </ul>
          </Show>
        )}
      </Show>
    </div>
  );
}

/** The kinds of data, in display order. */
const kinds = ["sessions", "rules", "drafts", "prompts"] as const;

function Row(props: { snapshot: Snapshot; busy: boolean; onRestore: () => void }): JSX.Element {
  const [sure, setSure] = createSignal(false);
  const words = () => text().snapshots;
  const clock = createMemo(() => new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }));
  const when = () => clock().format(props.snapshot.at);
  const counts = () =>
    kinds.flatMap((kind) => {
      const n = props.snapshot.counts[kind] ?? 0;
      return n > 0 ? [words().counts[kind](n, number(n))] : [];
    });
  return (
    <li>
      <div data-slot="row">
        <div>
          <strong>{when()}</strong>
          <p data-slot="about">
            {props.snapshot.problem ? words().useless(props.snapshot.problem) : [...counts(), formatBytes(props.snapshot.bytes)].join(" · ")}
          </p>
        </div>
        <Show when={!props.snapshot.problem && !sure()}>
          <Button size="small" disabled={props.busy} aria-label={words().restoreOf(when())} onClick={() => setSure(true)}>
            {words().restore}
          </Button>
        </Show>
      </div>
      <Show when={sure()}>
        <p>{words().sure}</p>
        <Show when={props.snapshot.files.length > 0}>
          <p data-slot="about">
            {words().files}: <ExactText text={props.snapshot.files.join(", ")} />
          </p>
        </Show>
        <Show when={props.snapshot.left.length > 0}>
          <p data-slot="about">{words().left(props.snapshot.left.join(", "))}</p>
        </Show>
        <div data-slot="buttons">
          <Button variant="primary" disabled={props.busy} onClick={() => props.onRestore()}>
            {words().doIt}
          </Button>
          <Button onClick={() => setSure(false)}>{text().common.cancel}</Button>
        </div>
      </Show>
    </li>
  );
}
