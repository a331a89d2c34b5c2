import { createSignal, type JSX, Show } from "solid-js";
import { text, translated } from "../../i18n";
import { messageOf } from "../../host/host";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Command } from "./Command";
import { createInstallation, InstallNews } from "./install";
import { SignIn } from "./SignIn";

/** Shows what is missing before the first session, and how to fix it. */
export function FirstRun(props: { obstacle: "cli" | "account"; onAnyway: () => void }): JSX.Element {
  const { state, host, actions } = useApp();
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const [signingIn, setSigningIn] = createSignal(false);
  const installation = createInstallation(host, actions);
  const installing = installation.running;
  const cli = () => state.info?.cli;
  const account = () => state.info?.account;
  const missing = () => props.obstacle === "cli";
  /** No CLI was found: the heading already says so. */
  const nothingThere = () => cli()?.code === "cli_missing" && !cli()?.path;

  /** The tour runs the real CLI, so that comes first. */
  async function takeTour(): Promise<void> {
    if (missing() && !(await installation.install())) return;
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
          ? cli()?.code === "cli_too_old"
            ? text().failures.codes.cli_too_old.title
            : cli()?.code === "cli_unusable"
              ? text().start.unusable
              : text().start.notInstalled
          : text().start.noAccount}
      </h1>
      <p data-slot="lead">
        {missing()
          ? ((nothingThere() ? "" : translated(cli()?.message ?? "")) || text().start.notInstalledAbout)
          : text().start.noAccountAbout}
      </p>
      <Show when={missing() ? translated(cli()?.hint ?? "") : signingIn() ? "" : translated(account()?.hint ?? "")}>{(hint) => <p data-slot="lead">{hint()}</p>}</Show>
      <Show when={missing()}>
        <Command text={cli()?.installCommand ?? ""} label={text().start.copyCommand} />
      </Show>
      <Show when={!signingIn() || missing()} fallback={<SignIn onDone={() => setSigningIn(false)} onCancel={() => setSigningIn(false)} />}>
        <div data-slot="buttons">
          <Show
            when={missing()}
            fallback={
              <>
                <Button variant="primary" disabled={busy()} onClick={() => setSigningIn(true)}>
                  {text().start.signIn}
                </Button>
                <Button variant="secondary" disabled={busy()} onClick={() => void takeTour()}>
                  {text().start.try}
                </Button>
                <Button variant="ghost" disabled={busy()} onClick={() => void run(actions.refreshInfo())}>
                  {text().start.lookAgain}
                </Button>
                <Button variant="ghost" onClick={() => props.onAnyway()}>
                  {text().start.anyway}
                </Button>
              </>
            }
          >
            <Button variant="primary" disabled={installing()} onClick={() => void installation.install()}>
              {text().start.install}
            </Button>
            <Button variant="secondary" disabled={installing() || busy()} onClick={() => void run(actions.refreshInfo())}>
              {text().start.lookAgain}
            </Button>
            <Button variant="ghost" disabled={installing() || busy()} onClick={() => void takeTour()}>
              {text().start.try}
            </Button>
          </Show>
        </div>
      </Show>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <InstallNews of={installation} label={text().settings.cli.output} />
      <Show when={!signingIn() && !installing()}>
        <p data-slot="quiet">{missing() ? text().start.installAbout : text().start.tryAbout}</p>
      </Show>
    </div>
  );
}
