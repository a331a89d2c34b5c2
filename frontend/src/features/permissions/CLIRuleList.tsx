import { For, type JSX, Show } from "solid-js";
import type { CLIRules } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { ExactText } from "../../ui/exact-text";
import { Effect, effectName } from "./Effect";
import { byFile, matching } from "./rules";

/** The rules in the CLI's own settings, with the file of each. */
export function CLIRuleList(props: { cli: CLIRules; query: string }): JSX.Element {
  const { state } = useApp();
  const words = () => text().permission.cli;
  const groups = () => byFile(matching(props.cli.rules, props.query, (rule) => effectName(rule.effect)));
  const where = (name: string): string => {
    const names: Record<string, string> = words().where;
    return names[name] ?? name;
  };
  return (
    <section data-cli="">
      <h3>{words().title}</h3>
      <p data-slot="aside">
        {words().about} {props.cli.source === "process" ? words().process : words().files}
      </p>
      <For each={props.cli.problems}>
        {(problem) => (
          <p data-slot="warning" role="alert">
            {problem}
          </p>
        )}
      </For>
      <Show when={props.cli.rules.length === 0}>
        <p data-slot="aside">{words().none}</p>
      </Show>
      <For each={groups()}>
        {(group) => (
          <>
            <h4>
              {where(group.where)}
              <Show when={group.file}>
                <span data-slot="file">
                  <ExactText text={tilde(group.file, state.info?.home ?? "")} />
                </span>
              </Show>
            </h4>
            <ul role="list" data-slot="rows">
              <For each={group.rules}>
                {(rule) => (
                  <li data-slot="row" data-idle={rule.inEffect ? undefined : ""}>
                    <Effect effect={rule.effect} />
                    <div data-slot="what">
                      <code>
                        <ExactText text={rule.text} />
                      </code>
                      <Show when={!rule.inEffect || rule.problem}>
                        <p data-slot="facts">{[rule.inEffect ? "" : words().ignored, translated(rule.problem ?? "")].filter(Boolean).join(" · ")}</p>
                      </Show>
                    </div>
                  </li>
                )}
              </For>
            </ul>
          </>
        )}
      </For>
    </section>
  );
}
