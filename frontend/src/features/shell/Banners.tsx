import { createSignal, type JSX, Show } from "solid-js";
import type { Session } from "../../host/border.gen";
import { number, text } from "../../i18n";
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
            title={text().shell.notConnected}
            hint={text().shell.notConnectedHint}
            actions={
              <>
                <Countdown at={status().retryAt} />
                <Button size="small" onClick={() => host.reconnect()}>
                  {text().shell.reconnect}
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
                {text().shell.dismiss}
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
      <span data-slot="countdown">{text().shell.inSeconds(number(seconds()))}</span>
    </Show>
  );
}

/** The failures for which the start page has a way on. */
const setupCodes = ["cli_missing", "cli_unusable", "no_account"];

/** Where a session is put that is not on the list or does not take prompts, and the way back. */
function PlaceBanner(props: { session: Session }): JSX.Element {
  const { actions } = useApp();
  const id = () => props.session.id;
  const place = () => {
    if (props.session.deletedAt > 0) {
      return { title: text().shell.inTrash, action: text().shell.restore, act: () => actions.restore(id()) };
    }
    if (props.session.archivedAt > 0) {
      return { title: text().shell.archived, action: text().shell.unarchive, act: () => actions.unarchive(id()) };
    }
    if (props.session.state === "closed") {
      return { title: text().shell.closed, action: text().shell.reopen, act: () => actions.reopen(id()) };
    }
    return null;
  };
  return (
    <Show when={place()}>
      {(found) => (
        <Banner
          level="info"
          title={found().title}
          hint={text().shell.staysReadable}
          actions={
            <Button size="small" onClick={() => void found().act()}>
              {found().action}
            </Button>
          }
        />
      )}
    </Show>
  );
}

/** Why the session does not go on, with the next step. */
export function SessionBanner(props: { session: Session }): JSX.Element {
  return (
    <>
      <PlaceBanner session={props.session} />
      <ErrorBanner session={props.session} />
    </>
  );
}

function ErrorBanner(props: { session: Session }): JSX.Element {
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
                  {text().shell.setUp}
                </Button>
              </Show>
              <Show when={error().code === "conversation_gone"}>
                <Button size="small" onClick={() => void actions.fresh(props.session.id)}>
                  {text().sessions.ask.freshAct}
                </Button>
              </Show>
              <Button size="small" variant="ghost" onClick={() => setDismissed(key())}>
                {text().shell.dismiss}
              </Button>
            </>
          }
        />
      )}
    </Show>
  );
}
