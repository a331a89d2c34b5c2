import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { CLIStatus } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { createInstallation, InstallNews } from "../start/install";
import { entriesOf } from "./registry";
import { type Defaults, SettingRow } from "./SettingRow";

/** The CLI in use, the one to use, and how to install it. */
export function CLIPage(props: { defaults: Defaults }): JSX.Element {
  const { state, host, actions } = useApp();
  const [busy, setBusy] = createSignal(false);
  const installation = createInstallation(host, actions);
  const off = () => busy() || installation.running();
  const [problem, setProblem] = createSignal("");
  const words = () => text().settings.cli;

  async function look(): Promise<void> {
    setBusy(true);
    setProblem("");
    try {
      await actions.refreshInfo();
    } catch (failure) {
      setProblem(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  createEffect(on(() => state.info?.settings.cliPath, () => void look(), { defer: true }));

  return (
    <>
      <Show when={state.info?.cli}>{(cli) => <Status cli={cli()} />}</Show>
      <div data-slot="buttons">
        <Button disabled={off()} onClick={() => void look()}>
          {busy() ? words().looking : words().look}
        </Button>
        <Button disabled={off()} onClick={() => void installation.install()}>
          {state.info?.cli.found ? words().installOwn : words().install}
        </Button>
      </div>
      <Show when={problem()}>
        <p data-slot="error" role="alert">
          {problem()}
        </p>
      </Show>
      <InstallNews of={installation} label={words().output} />
      <For each={entriesOf("cli")}>{(entry) => <SettingRow entry={entry} defaults={props.defaults} />}</For>
    </>
  );
}

function Status(props: { cli: CLIStatus }): JSX.Element {
  /** Where it was found, in words. */
  const source = () => {
    const sources: Record<string, string> = text().settings.cli.sources;
    return sources[props.cli.source];
  };
  const wrong = () => !props.cli.found || (props.cli.code ?? "") !== "";
  return (
    <div data-slot="status" data-wrong={wrong() ? "" : undefined}>
      <strong>
        {props.cli.found ? text().settings.cli.version(props.cli.version) : text().settings.cli.none}
      </strong>
      <Show when={props.cli.path}>
        <p>
          <code>{props.cli.path}</code>
          <Show when={source()}>{(source) => <>, {source()}</>}</Show>
        </p>
      </Show>
      <Show when={wrong()}>
        <p data-slot="error">
          {props.cli.message} {props.cli.hint}
        </p>
      </Show>
    </div>
  );
}
