import { For, type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ownStyles } from "../../desk/desktop";
import { entriesOf } from "./registry";
import { Setting } from "./Setting";
import { type Defaults, SettingRow } from "./SettingRow";

/** An example file. */
const example = `:root {
  --accent: oklch(0.55 0.16 30);
  --radius-2: 4px;
}

:root[data-theme="dark"] {
  --bg: #16181d;
}
`;

/** The appearance settings. */
export function LookPage(props: { defaults: Defaults }): JSX.Element {
  const { state } = useApp();
  const words = () => text().settings.own;
  return (
    <>
      <For each={entriesOf("look")}>{(entry) => <SettingRow entry={entry} defaults={props.defaults} />}</For>
      <p data-slot="sample-text">
        {text().settings.sample} <code>{"const answer = await ask(42);"}</code>
      </p>
      <div id="setting-ownStyles">
        <Setting label={words().label} about={words().about}>
          {() => <Button onClick={() => void writeClipboard(example)}>{words().make}</Button>}
        </Setting>
        <p data-slot="about">
          {words().path}: <code>{ownStyles()?.file.path ?? `${state.info?.dataDir ?? ""}/theme.css`}</code>
        </p>
        <Show when={ownStyles()}>
          {(own) => (
            <div data-slot="status">
              <p>
                <Show when={own().file.found} fallback={words().missing}>
                  <Show when={!own().file.tooLarge} fallback={words().tooLarge}>
                    {words().taken(own().read.taken, number(own().read.taken))} <Show when={own().file.held}>{words().held}</Show>
                  </Show>
                </Show>
              </p>
              <For each={own().read.problems}>
                {(problem) => (
                  <p data-slot="error">
                    <code>{problem.what}</code> {words().problems[problem.why]}
                  </p>
                )}
              </For>
            </div>
          )}
        </Show>
      </div>
    </>
  );
}
