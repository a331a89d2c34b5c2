import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { messageOf } from "../../host/host";
import { writeClipboard } from "../../lib/markdown/CopyButton";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";

/** Says what is missing before a first session, and offers the ways on. */
export function FirstRun(props: { obstacle: "cli" | "account"; onAnyway: () => void }): JSX.Element {
  const { state, host, actions } = useApp();
  const [installing, setInstalling] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const [output, setOutput] = createSignal("");
  const cli = () => state.info?.cli;
  const account = () => state.info?.account;
  const missing = () => props.obstacle === "cli";
  /** Nowhere was a CLI: the heading says that already. */
  const nothingThere = () => cli()?.code === "cli_missing" && !cli()?.path;

  /** Installs the CLI; true when there is one to run afterwards. */
  async function install(): Promise<boolean> {
    setInstalling(true);
    setError("");
    try {
      const outcome = await host.call("cli.install", {});
      setOutput(outcome.output);
      await actions.refreshInfo();
      if (!outcome.cli.found) setError(outcome.cli.message ?? text().start.notThere);
      return outcome.cli.found;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    } finally {
      setInstalling(false);
    }
  }

  /** The tour runs the real CLI, so that comes first. */
  async function takeTour(): Promise<void> {
    if (missing() && !(await install())) return;
    await run(actions.takeTour());
  }

  async function run(what: Promise<void>): Promise<void> {
    setBusy(true);
    setError("");
    try {
      await what;
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div data-slot="column">
      <h1>
        {missing()
          ? cli()?.code === "cli_unusable"
            ? text().start.unusable
            : text().start.notInstalled
          : text().start.noAccount}
      </h1>
      <p data-slot="lead">
        {missing()
          ? ((nothingThere() ? "" : cli()?.message) || text().start.notInstalledAbout)
          : text().start.noAccountAbout}
      </p>
      <Show when={missing() ? cli()?.hint : account()?.hint}>{(hint) => <p data-slot="lead">{hint()}</p>}</Show>
      <Show when={missing()}>
        <Command text={cli()?.installCommand ?? ""} />
      </Show>
      <div data-slot="buttons">
        <Show
          when={missing()}
          fallback={
            <Button variant="primary" disabled={busy()} onClick={() => void takeTour()}>
              {text().start.try}
            </Button>
          }
        >
          <Button variant="primary" disabled={installing()} onClick={() => void install()}>
            {installing() ? text().start.installing : text().start.install}
          </Button>
          <Button variant="secondary" disabled={installing() || busy()} onClick={() => void run(actions.refreshInfo())}>
            {text().start.lookAgain}
          </Button>
        </Show>
        <Show
          when={missing()}
          fallback={
            <>
              <Button variant="secondary" disabled={busy()} onClick={() => void run(actions.refreshInfo())}>
                {text().start.lookAgain}
              </Button>
              <Button variant="ghost" onClick={() => props.onAnyway()}>
                {text().start.anyway}
              </Button>
            </>
          }
        >
          <Button variant="ghost" disabled={installing() || busy()} onClick={() => void takeTour()}>
            {text().start.try}
          </Button>
        </Show>
      </div>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <Show when={output()}>
        <pre data-slot="output">{output()}</pre>
      </Show>
      <p data-slot="quiet">
        {missing()
          ? text().start.installAbout
          : text().start.tryAbout}
      </p>
    </div>
  );
}

function Command(props: { text: string }): JSX.Element {
  const [copied, setCopied] = createSignal(false);
  async function copy(): Promise<void> {
    setCopied(await writeClipboard(props.text));
    setTimeout(() => setCopied(false), 2000);
  }
  return (
    <div data-slot="command">
      <code>{props.text}</code>
      <IconButton label={copied() ? text().common.copied : text().start.copyCommand} onClick={() => void copy()}>
        <Show when={copied()} fallback={<Copy />}>
          <Check />
        </Show>
      </IconButton>
    </div>
  );
}
