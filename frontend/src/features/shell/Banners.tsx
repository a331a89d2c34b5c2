import { For, type JSX, Show } from "solid-js";
import type { Session, SessionError } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { createSlowClock } from "../../lib/ago";
import { problemWords } from "../../lib/problem-words";
import { useApp } from "../../store/context";
import { loadingConversation } from "../../store/conversation";
import { Button } from "../../ui/button";
import { Banner } from "../../ui/banner";
import { RestartBanner } from "./RestartBanner";
import { UpdateBanner } from "./UpdateBanner";
import { ErrorNotice } from "../timeline/ErrorNotice";
import { problemsOf } from "./problems";

/** The connection to the program, and failures that belong to no session. */
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
      <RestartBanner />
      <UpdateBanner />
      <Show when={state.info?.safeMode}>
        <Banner
          level="warning"
          title={text().shell.safeMode}
          hint={text().shell.safeModeHint}
          actions={
            <Button size="small" onClick={() => void actions.leaveSafeMode()}>
              {text().shell.leaveSafeMode}
            </Button>
          }
        />
      </Show>
      <For each={problemsOf(state).filter(({ severity }) => severity === "error")}>
        {(problem) => <Banner level="critical" title={problemWords(problem).title} hint={problemWords(problem).todo} />}
      </For>
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

/** Shown for sessions that are unlisted or read-only, with the way back. */
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

/** Why the session does not continue, with the next step. */
export function SessionBanner(props: { session: Session }): JSX.Element {
  return (
    <>
      <PlaceBanner session={props.session} />
      <ErrorBanner session={props.session} />
    </>
  );
}

/** An error is shown once: in the conversation if it is there, otherwise here. */
function ErrorBanner(props: { session: Session }): JSX.Element {
  const { state } = useApp();
  const conversation = () => state.conversations[props.session.id];
  const said = (error: SessionError) => {
    const of = conversation();
    return of?.order.some((id) => of.messages[id]?.notice?.kind === "error" && of.messages[id]?.notice?.text === error.message);
  };
  const unsaid = () => {
    const { error } = props.session;
    return error && conversation()?.load !== "loading" && !said(error) ? error : undefined;
  };
  return (
    <Show when={unsaid()}>
      {(error) => (
        <div data-component="notice" data-kind="error" data-place="banner" role="alert">
          <ErrorNotice
            id=""
            notice={{ kind: "error", code: error().code, text: error().message, hint: error().hint, detail: error().detail }}
            scope={{
              sessionId: props.session.id,
              conversation: conversation() ?? loadingConversation(),
              cwd: props.session.cwd,
              asking: () => false,
              task: () => undefined,
            }}
          />
        </div>
      )}
    </Show>
  );
}
