import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { text, translated } from "../../i18n";
import { messageOf } from "../../host/host";
import type { SignIn as Begun } from "../../host/border.gen";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { Command } from "./Command";
import "../../ui/fields.css";
import "./sign-in.css";

/** Signs in with the CLI's own login: opens its web page, and asks for the code if needed. */
export function SignIn(props: { onDone: () => void; onCancel: () => void }): JSX.Element {
  const { host, actions } = useApp();
  const words = () => text().start;
  const [begun, setBegun] = createSignal<Begun | null>(null);
  const [console, setConsole] = createSignal(false);
  const [code, setCode] = createSignal("");
  const [checking, setChecking] = createSignal(false);
  const [error, setError] = createSignal("");
  let serial = 0;
  let field: HTMLInputElement | undefined;

  /** Starts over; events of an earlier attempt are ignored. */
  async function begin(billed: boolean): Promise<void> {
    const mine = ++serial;
    setConsole(billed);
    setBegun(null);
    setCode("");
    setError("");
    setChecking(false);
    try {
      const login = await host.call("account.signIn", { console: billed });
      if (mine !== serial) return void host.call("account.cancelSignIn", { id: login.id }).catch(() => {});
      setBegun(login);
      queueMicrotask(() => field?.focus());
      await follow(login.id, mine);
    } catch (failure) {
      if (mine === serial) fail(messageOf(failure));
    }
  }

  async function follow(id: string, mine: number): Promise<void> {
    for (;;) {
      const news = await host.call("account.awaitSignIn", { id });
      if (mine !== serial) return;
      if (news.state === "waiting") {
        setChecking(false);
        setError(translated(news.message));
        field?.focus();
        continue;
      }
      if (news.state !== "signedIn") return fail(translated(news.message) || words().signInEnded);
      serial++;
      setBegun(null);
      await actions.refreshInfo();
      return props.onDone();
    }
  }

  function fail(message: string): void {
    setBegun(null);
    setChecking(false);
    setError(message);
  }

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    const login = begun();
    if (!login || checking() || code().trim() === "") return;
    setChecking(true);
    setError("");
    try {
      await host.call("account.signInCode", { id: login.id, code: code() });
    } catch (failure) {
      setChecking(false);
      setError(messageOf(failure));
    }
  }

  function leave(): void {
    const login = begun();
    serial++;
    if (login) void host.call("account.cancelSignIn", { id: login.id }).catch(() => {});
  }

  onMount(() => void begin(false));
  onCleanup(leave);

  return (
    <form data-component="sign-in" aria-label={words().signIn} onSubmit={(event) => void send(event)}>
      <Show
        when={begun()}
        fallback={
          <Show
            when={error()}
            fallback={
              <p data-slot="quiet" role="status">
                {words().signInStarting}
              </p>
            }
          >
            <p data-slot="error" role="alert">
              {error()}
            </p>
          </Show>
        }
      >
        {(login) => (
          <>
            <p data-slot="lead">{login().opened ? words().signInOpened : words().signInOpen}</p>
            <Command text={login().url} label={words().copyAddress} />
            <Field label={words().code} hint={login().opened ? words().codeIfShown : undefined} faults={error() ? [{ message: error() }] : []}>
              {(ids) => (
                <input
                  data-component="text-field"
                  ref={field}
                  id={ids().id}
                  aria-describedby={ids().describedBy}
                  aria-invalid={ids().invalid}
                  type="text"
                  autocomplete="off"
                  spellcheck={false}
                  value={code()}
                  onInput={(event) => setCode(event.currentTarget.value)}
                />
              )}
            </Field>
          </>
        )}
      </Show>
      <div data-slot="buttons">
        <Show
          when={begun()}
          fallback={
            <Show when={error()}>
              <Button variant="primary" onClick={() => void begin(console())}>
                {text().common.tryAgain}
              </Button>
            </Show>
          }
        >
          {(login) => (
            <>
              <Button variant="primary" type="submit" disabled={checking() || code().trim() === ""}>
                {checking() ? words().checkingCode : words().signIn}
              </Button>
              <Button variant="secondary" onClick={() => host.openExternal(login().url)}>
                {words().openPage}
              </Button>
            </>
          )}
        </Show>
        <Button variant="ghost" onClick={() => props.onCancel()}>
          {text().common.cancel}
        </Button>
      </div>
      <Show when={begun() && !checking()}>
        <button type="button" data-slot="other" onClick={() => void begin(!console())}>
          {console() ? words().useSubscription : words().useConsole}
        </button>
      </Show>
    </form>
  );
}
