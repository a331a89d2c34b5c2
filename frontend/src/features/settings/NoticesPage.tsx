import { createSignal, For, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { quietChoices } from "../../lib/quiet";
import { hasNotifications } from "../../desk/desktop";
import { useQuiet } from "../shell/QuietMenu";
import { entriesOf } from "./registry";
import { Segmented, Setting } from "./Setting";
import { type Defaults, SettingRow } from "./SettingRow";
import { Ways } from "./Ways";

/** Which notifications the user gets, and whether they work. */
export function NoticesPage(props: { defaults: Defaults }): JSX.Element {
  const { host } = useApp();
  const own = hasNotifications(host.kind);
  const [permission, setPermission] = createSignal(own ? Notification.permission : "denied");
  const [problem, setProblem] = createSignal("");
  const words = () => text().settings.browserNotices;
  const state = () => {
    if (!own) return words().none;
    return { granted: words().granted, denied: words().denied, default: words().ask }[permission()];
  };

  async function tryOne(): Promise<void> {
    setProblem("");
    try {
      if (host.kind === "window") await host.call("notification.test", {});
      else {
        const note = new Notification(text().settings.test.title, { body: text().settings.test.body, tag: "parley-try" });
        note.onclick = () => note.close();
      }
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <>
      <DoNotDisturb />
      <For each={entriesOf("notices").filter(({ control }) => control.kind !== "own")}>{(entry) => <SettingRow entry={entry} defaults={props.defaults} />}</For>
      <Show when={host.kind !== "window"}>
        <Setting label={words().label} about={state()}>
          {() => (
            <Show when={own && permission() === "default"}>
              <Button onClick={() => void Notification.requestPermission().then(setPermission)}>{words().allow}</Button>
            </Show>
          )}
        </Setting>
      </Show>
      <Show when={host.kind === "window" || (own && permission() === "granted")}>
        <Setting label={text().settings.test.label} about={text().settings.test.about} error={problem()}>
          {() => <Button onClick={() => void tryOne()}>{text().settings.test.button}</Button>}
        </Setting>
      </Show>
      <Ways />
    </>
  );
}

/** The settings for "do not disturb". */
function DoNotDisturb(): JSX.Element {
  const { quiet, words, value, choose } = useQuiet();
  const [error, setError] = createSignal("");
  const field = () => text().settings.fields.doNotDisturbUntil;
  const about = () => (quiet() && value() === "" ? `${field().about} ${words()}.` : field().about);
  return (
    <Setting id="setting-doNotDisturbUntil" label={field().label} about={about()} error={error()}>
      {(ids) => (
        <Segmented
          labelledBy={ids.label}
          choices={quietChoices.map((id) => ({ id, name: text().desk.quiet.short[id] }))}
          value={value()}
          onChange={(id) => {
            const choice = quietChoices.find((known) => known === id);
            setError("");
            if (choice) choose(choice).catch((failure: unknown) => setError(messageOf(failure)));
          }}
        />
      )}
    </Setting>
  );
}
