import { For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { listField, numberField, textField } from "../../lib/shape";
import { FilePath } from "./FilePath";
import { saysWhy } from "./note";
import { Result } from "./Result";

/** The findings of a review, each with its place in the file. */
export function FindingsDetail(props: { tool: Tool }): JSX.Element {
  const words = () => text().tools;
  const findings = () => listField(props.tool.input, "findings");
  const name = (names: Record<string, string>, id: string) => (Object.hasOwn(names, id) ? (names[id] ?? id) : id);
  return (
    <>
      <Show when={findings().length === 0 && props.tool.state === "done"}>
        <p data-slot="aside">{words().noFindings}</p>
      </Show>
      <Show when={findings().length > 0}>
        <ul data-slot="findings" role="list">
          <For each={findings().slice(0, 100)}>
            {(finding) => (
              <li data-severity={textField(finding, "severity")}>
                <strong>{textField(finding, "summary")}</strong>
                <FilePath
                  path={textField(finding, "file")}
                  line={numberField(finding, "line")}
                  aside={[
                    name(words().severity, textField(finding, "severity")),
                    name(words().verdict, textField(finding, "verdict")),
                    name(words().outcome, textField(finding, "outcome")),
                    textField(finding, "category"),
                  ].filter(Boolean).join(" · ")}
                />
                <p data-slot="about">{textField(finding, "failure_scenario")}</p>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={saysWhy(props.tool)}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}
