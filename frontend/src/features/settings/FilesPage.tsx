import { createSignal, For, type JSX, Show } from "solid-js";
import type { Settings, SettingsPatch } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import { saveFile } from "../../host/save-file";
import { problemWords } from "../../lib/problem-words";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { registry } from "./registry";
import { createChange, Setting } from "./Setting";
import type { Defaults } from "./SettingRow";
import { Snapshots } from "./Snapshots";

/** The maximum length of a settings file, in characters. */
const longest = 200_000;

/** Exports, imports and resets the settings. */
export function FilesPage(props: { defaults: Defaults }): JSX.Element {
  const { state, host } = useApp();
  const { change, error } = createChange();
  const [pasted, setPasted] = createSignal("");
  const [told, setTold] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const [copied, setCopied] = createSignal(false);
  const [sure, setSure] = createSignal(false);
  const words = () => text().settings.files;
  const json = () => `${JSON.stringify(state.info?.settings ?? {}, null, 2)}\n`;

  async function download(): Promise<void> {
    setProblem("");
    await saveFile(host, "parley-settings.json", "application/json", json()).catch((failed: unknown) => setProblem(messageOf(failed)));
  }

  async function apply(from: string): Promise<void> {
    setTold("");
    setProblem("");
    const patch = readSettings(from);
    if (patch === null) {
      setProblem(words().noJson);
      return;
    }
    const unknown = Object.keys(patch).filter((name) => !registry.some(({ id }) => id === name));
    if (unknown.length > 0) {
      setProblem(words().unknown(unknown.slice(0, 5).join(", ")));
      return;
    }
    const before = state.info?.settings;
    const changed = Object.entries(patch).filter(([name, value]) => JSON.stringify(before?.[name as keyof Settings]) !== JSON.stringify(value));
    if (await change(patch as SettingsPatch)) {
      setTold(words().applied(changed.length, number(changed.length)));
      setPasted("");
    }
  }

  async function resetAll(): Promise<void> {
    setSure(false);
    const usual = props.defaults();
    if (usual) await change(usual);
  }

  return (
    <>
      <div id="setting-file" data-slot="whole">
        <Setting label={words().file} about={words().fileAbout}>
          {() => <code data-slot="path">{state.info?.dataDir}/settings.json</code>}
        </Setting>
        <For each={state.info?.problems.filter((problem) => problem.action === "settings")}>
          {(problem) => (
            <p data-slot="error" role="alert">
              {problemWords(problem).title} {problemWords(problem).todo}
            </p>
          )}
        </For>
      </div>
      <div id="setting-export" data-slot="whole">
        <Setting label={words().export} about={words().exportAbout}>
          {() => (
            <div data-slot="buttons">
              <Button onClick={() => void writeClipboard(json()).then(setCopied)}>{copied() ? text().common.copied : words().copy}</Button>
              <Button onClick={() => void download()}>{words().download}</Button>
            </div>
          )}
        </Setting>
      </div>
      <div id="setting-import" data-slot="whole">
        <Setting label={words().import} about={words().importAbout} error={problem() || error()}>
          {(ids) => (
            <label data-component="button" data-variant="secondary" data-size="normal">
              {words().choose}
              <input
                type="file"
                class="visually-hidden"
                accept=".json,application/json"
                aria-describedby={ids.about}
                onChange={(event) => {
                  const [file] = event.currentTarget.files ?? [];
                  event.currentTarget.value = "";
                  if (file && file.size > longest) setProblem(words().noJson);
                  else if (file) void file.text().then(apply);
                }}
              />
            </label>
          )}
        </Setting>
        <textarea
          data-component="text-field"
          aria-label={words().paste}
          placeholder={words().paste}
          spellcheck={false}
          rows={3}
          maxLength={longest}
          value={pasted()}
          onInput={(event) => setPasted(event.currentTarget.value)}
        />
        <div data-slot="buttons">
          <Button disabled={pasted().trim() === ""} onClick={() => void apply(pasted())}>
            {words().apply}
          </Button>
          <span role="status">{told()}</span>
        </div>
      </div>
      <Setting label={words().resetAll} about={words().resetAllAbout}>
        {() => (
          <Show when={sure()} fallback={<Button onClick={() => setSure(true)}>{text().settings.resetAsk}</Button>}>
            <div data-slot="buttons">
              <Button variant="primary" onClick={() => void resetAll()}>
                {words().resetAllAsk}
              </Button>
              <Button onClick={() => setSure(false)}>{text().common.cancel}</Button>
            </div>
          </Show>
        )}
      </Setting>
      <Snapshots />
    </>
  );
}

/** Parses settings; null if the text has none. */
function readSettings(from: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(from);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
