import { createSignal, type JSX, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { createSlowClock } from "../../lib/ago";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Banner } from "./Banner";

/** The link to the program, and failures that belong to no session. */
export function GlobalBanners(): JSX.Element {
  const { state, host, actions } = useApp();
  const closed = () => {
    const status = host.status();
    return status.kind === "closed" ? status : null;
  };
  return (
    <>
      <Show when={closed()}>
        {(status) => (
          <Banner
            level="warning"
            title="Not connected to Parley."
            hint="Sessions go on without this page; it catches up when the connection is back."
            actions={
              <>
                <Countdown at={status().retryAt} />
                <Button size="small" onClick={() => host.reconnect()}>
                  Reconnect now
                </Button>
              </>
            }
          />
        )}
      </Show>
      <Show when={state.problem}>
        {(problem) => (
          <Banner
            level="critical"
            title={problem().message}
            hint={problem().hint}
            detail={problem().detail}
            actions={
              <Button size="small" variant="ghost" onClick={() => actions.dismissProblem()}>
                Dismiss
              </Button>
            }
          />
        )}
      </Show>
    </>
  );
}

function Countdown(props: { at: number | null }): JSX.Element {
  const now = createSlowClock(1000);
  const seconds = () => (props.at === null ? 0 : Math.ceil((props.at - now()) / 1000));
  return (
    <Show when={seconds() > 0}>
      <span data-slot="countdown">in {seconds()} s</span>
    </Show>
  );
}

/** The failures for which the start page has a way on. */
const setupCodes = ["cli_missing", "cli_unusable", "no_account"];

/** Why the session does not go on, with the next step. */
export function SessionBanner(props: { session: Session }): JSX.Element {
  const { actions } = useApp();
  const [dismissed, setDismissed] = createSignal("");
  async function setUp(): Promise<void> {
    await actions.refreshInfo();
    actions.open(null);
  }
  const key = () => `${props.session.id} ${props.session.error?.message ?? ""}`;
  return (
    <Show when={dismissed() !== key() && props.session.error}>
      {(error) => (
        <Banner
          level="critical"
          title={error().message}
          hint={error().hint}
          detail={error().detail}
          actions={
            <>
              <Show when={setupCodes.includes(error().code)}>
                <Button size="small" onClick={() => void setUp()}>
                  Set up Claude Code
                </Button>
              </Show>
              <Button size="small" variant="ghost" onClick={() => setDismissed(key())}>
                Dismiss
              </Button>
            </>
          }
        />
      )}
    </Show>
  );
}
