import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import { createSignal, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
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

  /** Installs the CLI; true when there is one to run afterwards. */
  async function install(): Promise<boolean> {
    setInstalling(true);
    setError("");
    try {
      const outcome = await host.call("cli.install", {});
      setOutput(outcome.output);
      await actions.refreshInfo();
      if (!outcome.cli.found) setError(outcome.cli.message ?? "The installation ended, but there is no CLI to run.");
      return outcome.cli.found;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    } finally {
      setInstalling(false);
    }
  }

  /** The rehearsal runs the real CLI, so that comes first. */
  async function rehearse(): Promise<void> {
    if (missing() && !(await install())) return;
    await run(actions.rehearse());
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
          ? cli()?.found
            ? "This Claude Code CLI cannot be used"
            : "The Claude Code CLI is not installed"
          : "Claude Code has no account yet"}
      </h1>
      <p data-slot="lead">
        {missing()
          ? (cli()?.message ?? "Parley runs the Claude Code CLI on this computer, and there is none.")
          : "The CLI is here, but no API key and no login were found, so it has no model to talk to."}
      </p>
      <Show when={missing() ? cli()?.hint : account()?.hint}>{(hint) => <p data-slot="lead">{hint()}</p>}</Show>
      <Show when={missing()}>
        <Command text={cli()?.installCommand ?? ""} />
      </Show>
      <div data-slot="buttons">
        <Show
          when={missing()}
          fallback={
            <Button variant="primary" disabled={busy()} onClick={() => void rehearse()}>
              Try without an account
            </Button>
          }
        >
          <Button variant="primary" disabled={installing()} onClick={() => void install()}>
            {installing() ? "Installing…" : "Install it for me"}
          </Button>
          <Button variant="secondary" disabled={installing() || busy()} onClick={() => void run(actions.refreshInfo())}>
            Look again
          </Button>
        </Show>
        <Show
          when={missing()}
          fallback={
            <>
              <Button variant="secondary" disabled={busy()} onClick={() => void run(actions.refreshInfo())}>
                Look again
              </Button>
              <Button variant="ghost" onClick={() => props.onAnyway()}>
                Go on anyway
              </Button>
            </>
          }
        >
          <Button variant="ghost" disabled={installing() || busy()} onClick={() => void rehearse()}>
            Try without an account
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
          ? "Installing puts the CLI into Parley’s own folder and changes nothing else. Trying without an account installs it too, then plays a short guided tour with a scripted model."
          : "Trying without an account plays a short guided tour: the real CLI with a scripted model. Nothing leaves this computer."}
      </p>
    </div>
  );
}

function Command(props: { text: string }): JSX.Element {
  const [copied, setCopied] = createSignal(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(props.text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  }
  return (
    <div data-slot="command">
      <code>{props.text}</code>
      <IconButton label={copied() ? "Copied" : "Copy command"} onClick={() => void copy().catch(() => {})}>
        <Show when={copied()} fallback={<Copy />}>
          <Check />
        </Show>
      </IconButton>
    </div>
  );
}
