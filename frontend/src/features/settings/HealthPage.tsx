import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Checkup, CheckResult } from "../../host/border.gen";
import { HostError, messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import "./health.css";

const groups = ["bad", "warning", "fine"] as const;
type Group = (typeof groups)[number];

function groupOf({ state }: CheckResult): Group {
  if (state === "wrong") return "bad";
  return state === "warning" || state === "note" ? "warning" : "fine";
}

/** Checks Parley's requirements and data, and offers fixes. */
export function HealthPage(): JSX.Element {
  const { host, state, actions } = useApp();
  const { answer, error, busy, again, put } = createReading("app.checkup", () => ({}));
  const [doing, setDoing] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  const [copied, setCopied] = createSignal(false);
  const words = () => text().settings.health;
  const working = () => busy() || doing();
  const checks = createMemo(() => groups.map((group) => ({ group, all: (answer()?.checks ?? []).filter((check) => groupOf(check) === group) })).filter(({ all }) => all.length > 0));

  async function run(what: () => Promise<unknown>): Promise<void> {
    setDoing(true);
    setProblem("");
    try {
      await what();
    } catch (failed) {
      setProblem(messageOf(failed));
    } finally {
      setDoing(false);
    }
  }

  const look = () => {
    setProblem("");
    setCopied(false);
    return again();
  };
  const fix = (id: string) =>
    run(async () => {
      setCopied(false);
      put(await host.call("app.checkup", { fix: [id] }));
    });
  const copy = ({ report }: Checkup) =>
    run(async () => {
      if (!(await writeClipboard(report))) throw new HostError("unavailable", text().connection.clipboard);
      setCopied(true);
    });
  /** Puts the report into a new session's draft, for the user to read and send. */
  const ask = ({ report }: Checkup) =>
    run(async () => {
      const before = state.current;
      await actions.create(state.info?.recentFolders[0] ?? state.info?.home ?? "");
      const made = state.current;
      if (made !== null && made !== before) actions.setDraftText(made, `${words().prompt}\n\n${report}`);
    });

  return (
    <div data-component="health" data-slot="whole">
      <p data-slot="about" id="setting-health">
        {words().about}
      </p>
      <div data-slot="buttons">
        <Button disabled={working()} onClick={() => void look()}>
          {working() ? words().looking : words().again}
        </Button>
        <Show when={answer()}>
          {(found) => (
            <>
              <Button disabled={working()} onClick={() => void copy(found())}>
                {copied() ? words().copied : words().copy}
              </Button>
              <Button disabled={working()} onClick={() => void ask(found())}>
                {words().ask}
              </Button>
            </>
          )}
        </Show>
      </div>
      <Show when={problem() || error()}>
        <p data-slot="error" role="alert">
          {problem() || error()}
        </p>
      </Show>
      <p role="status">{answer()?.well ? words().well : ""}</p>
      <For each={checks()}>
        {({ group, all }) => (
          <details data-group={group} open={group !== "fine"}>
            <summary>
              {words().groups[group]} ({number(all.length)})
            </summary>
            <ul aria-label={words().groups[group]}>
              <For each={all}>{(check) => <Row check={check} busy={working()} onFix={() => void fix(check.id)} />}</For>
            </ul>
          </details>
        )}
      </For>
    </div>
  );
}

function Row(props: { check: CheckResult; busy: boolean; onFix: () => void }): JSX.Element {
  const words = () => text().settings.health;
  return (
    <li>
      <div data-slot="row">
        <div>
          <strong>{props.check.id}</strong>
          <p>{props.check.says}</p>
          <p data-slot="about">{props.check.meaning}</p>
          <Show when={props.check.todo}>{(todo) => <p>{todo()}</p>}</Show>
        </div>
        <Show when={props.check.repairable && !props.check.repaired} fallback={<Show when={props.check.repaired}>{words().fixed}</Show>}>
          <Button size="small" disabled={props.busy} aria-label={words().fixOf(props.check.id)} onClick={() => props.onFix()}>
            {words().fix}
          </Button>
        </Show>
      </div>
    </li>
  );
}
