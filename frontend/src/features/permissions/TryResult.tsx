import { For, type JSX, Show } from "solid-js";
import type { RuleTest } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import { Effect } from "./Effect";

/** The result, what decided it, and why. */
export function TryResult(props: { test: RuleTest; children: JSX.Element }): JSX.Element {
  const words = () => text().permission.test;
  const outcome = (name: string): string => {
    const names: Record<string, string> = words().outcome;
    return names[name] ?? name;
  };
  const by = (): string => {
    const names: Record<string, string> = words().by;
    return names[props.test.by] ?? props.test.by;
  };
  const cli = (): string => {
    const names: Record<string, string> = words().cli;
    return props.test.cli.rules.length > 0 ? (names[props.test.cli.effect] ?? "") : "";
  };
  const findings = () => (props.test.risk?.findings ?? []).filter((finding) => finding.level !== "low");
  return (
    <div data-slot="result" data-outcome={props.test.outcome}>
      <p data-slot="outcome">
        <Effect effect={props.test.outcome} />
        <strong>{outcome(props.test.outcome)}</strong> <span>{by()}</span>
      </p>
      <p data-slot="aside">{translated(props.test.verdict.why)}</p>
      <Show when={cli()}>
        <p data-slot="warning">
          {cli()} <Rules rules={props.test.cli.rules} />
        </p>
      </Show>
      <Show when={props.test.verdict.rules.length > 0}>
        <section>
          <h3>{words().rules}</h3>
          <Rules rules={props.test.verdict.rules} />
        </section>
      </Show>
      <Show when={props.test.verdict.parts.length > 0}>
        <section>
          <h3>{words().parts}</h3>
          <ul role="list" data-slot="rows" aria-label={words().parts}>
            <For each={props.test.verdict.parts}>
              {(part) => (
                <li data-slot="row">
                  <Effect effect={part.effect} />
                  <div data-slot="what">
                    <code>
                      <ExactText text={part.text} />
                    </code>
                    <p data-slot="facts">
                      {translated(part.why)} <Rules rules={part.rules} />
                    </p>
                  </div>
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <Show when={props.test.verdict.unclear}>
        <p data-slot="warning">{words().unclear}</p>
      </Show>
      <Show when={props.test.risk}>
        <Show when={findings().length > 0} fallback={<p data-slot="aside">{words().noRisk}</p>}>
          <section>
            <h3>{words().risk}</h3>
            <ul data-slot="findings">
              <For each={findings()}>
                {(finding) => (
                  <li>
                    {translated(finding.why)}{" "}
                    <code>
                      <ExactText text={finding.words} />
                    </code>
                  </li>
                )}
              </For>
            </ul>
          </section>
        </Show>
      </Show>
      {props.children}
    </div>
  );
}

function Rules(props: { rules: readonly string[] }): JSX.Element {
  return (
    <For each={props.rules}>
      {(rule, index) => (
        <>
          {index() > 0 ? ", " : ""}
          <code>
            <ExactText text={rule} />
          </code>
        </>
      )}
    </For>
  );
}
