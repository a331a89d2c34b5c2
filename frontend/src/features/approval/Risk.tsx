import { For, type JSX, Show } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { ExactText } from "../../ui/exact-text";

/** The worst risk of a call as one sentence, which expands to all of them. Read-only calls show nothing. */
export function Risk(props: { question: OpenQuestion }): JSX.Element {
  const level = () => props.question.risk?.level ?? "low";
  const name = (): string | undefined => {
    const names: Record<string, string> = text().approval.risk;
    return names[level()];
  };
  const findings = () => (props.question.risk?.findings ?? []).filter((f) => f.level !== "low");
  const worst = () => (findings().find((f) => f.level === level()) ?? findings()[0])?.why ?? "";
  const others = () => new Set(findings().map((f) => f.why)).size - 1;
  const Sentence = (own: { name: string }) => (
    <span>
      <strong>{own.name}</strong> {translated(worst())}
    </span>
  );
  return (
    <Show when={name()}>
      {(name) => (
        <Show
          when={findings().length > 0}
          fallback={
            <p data-slot="risk" data-level={level()}>
              <Sentence name={name()} />
            </p>
          }
        >
          <details data-slot="risk" data-level={level()} aria-label={name()}>
            <summary>
              <Sentence name={name()} />
              <Show when={others() > 0}>
                <small>{text().approval.riskMore(others())}</small>
              </Show>
            </summary>
            <ul>
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
          </details>
        </Show>
      )}
    </Show>
  );
}
