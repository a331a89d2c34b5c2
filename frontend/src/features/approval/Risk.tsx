import { For, type JSX, Show } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";

/** What looks dangerous about a call. Nothing is said of one that only looks at things. */
export function Risk(props: { question: OpenQuestion }): JSX.Element {
  const level = () => props.question.risk?.level ?? "low";
  const name = (): string | undefined => {
    const names: Record<string, string> = text().approval.risk;
    return names[level()];
  };
  const findings = () => (props.question.risk?.findings ?? []).filter((f) => f.level !== "low");
  return (
    <Show when={name()}>
      {(name) => (
        <div data-slot="risk" data-level={level()} role="group" aria-label={name()}>
          <strong>{name()}</strong>
          <ul>
            <For each={findings()}>
              {(finding) => (
                <li>
                  {finding.why}{" "}
                  <code>
                    <ExactText text={finding.words} />
                  </code>
                </li>
              )}
            </For>
          </ul>
        </div>
      )}
    </Show>
  );
}
