import { For, type JSX, Show } from "solid-js";
import { text, translated } from "../../i18n";
import { field, textField } from "../../lib/shape";
import { ExactText } from "../../ui/exact-text";
import "./trust-question.css";

/** What a folder makes the CLI load or run: each item with its file and the full command. */
export function Findings(props: { findings: readonly unknown[]; more: number; label: string }): JSX.Element {
  const words = () => text().approval.trust;
  const kind = (name: string): string => {
    const kinds: Record<string, string> = words().kinds;
    return kinds[name] ?? name;
  };
  return (
    <ul data-component="findings" role="list" tabindex="0" aria-label={props.label}>
      <For each={props.findings}>
        {(finding) => (
          <li>
            <p data-slot="what">
              <strong>{kind(textField(finding, "kind"))}</strong>{" "}
              <ExactText text={textField(finding, "name")} />
              <span data-slot="file">
                <ExactText text={textField(finding, "file")} />
              </span>
            </p>
            <Show when={field(finding, "command")}>
              <pre>
                <ExactText text={textField(finding, "command")} />
              </pre>
            </Show>
            <p data-slot="why">{translated(textField(finding, "why"))}</p>
          </li>
        )}
      </For>
      <Show when={props.more > 0}>
        <li data-slot="why">{words().more(props.more)}</li>
      </Show>
    </ul>
  );
}
