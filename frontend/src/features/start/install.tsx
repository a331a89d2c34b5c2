import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { CLIInstalling } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { text, translated } from "../../i18n";
import { formatElapsed } from "../../lib/time";
import type { App } from "../../store/context";
import { Button } from "../../ui/button";
import "./install.css";

const every = 1000;

export interface Installation {
  running: () => boolean;
  cancelled: () => boolean;
  news: () => CLIInstalling | null;
  error: () => string;
  output: () => string;
  /** Installs the CLI; resolves to whether there is one to run afterwards. */
  install: () => Promise<boolean>;
  cancel: () => void;
}

/** Installs the CLI and tracks the progress. Runs inside an owner. */
export function createInstallation(host: Host, actions: App["actions"]): Installation {
  const [running, setRunning] = createSignal(false);
  const [cancelled, setCancelled] = createSignal(false);
  const [news, setNews] = createSignal<CLIInstalling | null>(null);
  const [error, setError] = createSignal("");
  const [output, setOutput] = createSignal("");
  let timer: ReturnType<typeof setInterval> | undefined;
  onCleanup(() => clearInterval(timer));

  async function look(): Promise<void> {
    const found = await host.call("cli.installing", {}).catch(() => null);
    if (found?.running && running()) setNews(found);
  }

  async function install(): Promise<boolean> {
    if (running()) return false;
    setRunning(true);
    setCancelled(false);
    setNews(null);
    setError("");
    setOutput("");
    timer = setInterval(() => void look(), every);
    try {
      const outcome = await host.call("cli.install", {});
      setOutput(outcome.output);
      await actions.refreshInfo();
      if (!outcome.cli.found) setError(outcome.cli.message ? translated(outcome.cli.message) : text().start.notThere);
      return outcome.cli.found;
    } catch (failure) {
      if (!cancelled()) setError(messageOf(failure));
      return false;
    } finally {
      clearInterval(timer);
      setRunning(false);
    }
  }

  function cancel(): void {
    setCancelled(true);
    void host.call("cli.cancelInstall", {}).catch((failure: unknown) => setError(messageOf(failure)));
  }

  return { running, cancelled, news, error, output, install, cancel };
}

/** The progress of an installation, a cancel button, and the result. */
export function InstallNews(props: { of: Installation; label: string }): JSX.Element {
  const words = () => text().start;
  return (
    <>
      <Show when={props.of.running()}>
        <div data-component="install-news">
          <progress aria-label={words().installing} />
          <p role="status">{props.of.cancelled() ? words().canceling : words().installing}</p>
          <Show when={!props.of.cancelled() && props.of.news()}>
            {(news) => (
              <p data-slot="step">
                <span>{formatElapsed(news().seconds * 1000)}</span> <bdi title={news().step}>{news().step}</bdi>
              </p>
            )}
          </Show>
          <Button size="small" disabled={props.of.cancelled()} onClick={() => props.of.cancel()}>
            {words().cancelInstall}
          </Button>
        </div>
      </Show>
      <Show when={!props.of.running() && props.of.cancelled() && !props.of.error()}>
        <p data-slot="quiet" role="status">{words().canceled}</p>
      </Show>
      <Show when={props.of.error()}>
        <p data-slot="error" role="alert">
          {props.of.error()}
        </p>
      </Show>
      <Show when={props.of.output()}>
        <pre data-slot="output" tabindex="0" aria-label={props.label}>
          {props.of.output()}
        </pre>
      </Show>
    </>
  );
}
