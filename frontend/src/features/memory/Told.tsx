import { For, type JSX, Show } from "solid-js";
import type { MemoryTold } from "../../host/border.gen";
import { text } from "../../i18n";
import { sectionWords } from "./words";

/** The memory included in a session: its parts, and the text. */
export function Told(props: { told: MemoryTold }): JSX.Element {
  const words = () => text().memory.told;
  return (
    <div data-component="memory-told">
      <p data-slot="aside">
        {words().line(props.told.tokens, props.told.budgetTokens)}. {words().about}
      </p>
      <Show when={props.told.sections.length > 0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words().part}</th>
              <th scope="col" data-figure="">
                {words().tokens}
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.told.sections}>
              {(section) => (
                <tr>
                  <th scope="row">
                    {sectionWords(section)}
                    <Show when={section.kind === "daily"}>
                      {" "}
                      <small>{words().memories(section.memories, section.memories + section.left)}</small>
                    </Show>
                  </th>
                  <td data-figure="">{words().of(section.tokens, section.total)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
      <pre tabindex="0" aria-label={words().text} dir="auto">
        {props.told.text}
      </pre>
    </div>
  );
}
