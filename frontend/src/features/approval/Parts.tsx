import { For, type JSX, Show } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { ExactText } from "../../ui/exact-text";

/** The parts of a compound command and the rules for each. Nothing is shown when no rule matches. */
export function Parts(props: { question: OpenQuestion }): JSX.Element {
  const parts = () => {
    const all = props.question.verdict?.parts ?? [];
    return all.length > 1 || all.some((part) => part.rules.length > 0) ? all : [];
  };
  /** A command may be allowed without a rule, such as echo. */
  const how = ({ effect, rules }: { effect: string; rules: string[] }): string => {
    const { allow, ask, askBy, deny } = text().approval.parts;
    const words: Record<string, string> = rules.length > 0 ? { allow, ask: askBy, deny } : { ...text().approval.how, ask };
    return words[effect] ?? effect;
  };
  return (
    <>
      <Show when={parts().length > 0}>
        <ul data-slot="parts" role="list" aria-label={text().approval.parts.label}>
          <For each={parts()}>
            {(part) => (
              <li data-effect={part.effect} title={translated(part.why)}>
                <code>
                  <ExactText text={part.text} />
                </code>
                <span>
                  {how(part)}{" "}
                  <Show when={part.rules.length > 0}>
                    <code>
                      <ExactText text={part.rules.join(", ")} />
                    </code>
                  </Show>
                </span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.question.verdict?.unclear}>
        <p data-slot="warning">{text().approval.parts.unclear}</p>
      </Show>
    </>
  );
}
