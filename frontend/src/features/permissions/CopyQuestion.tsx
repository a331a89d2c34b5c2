import { createSignal, type JSX, Show } from "solid-js";
import type { Rule, RuleCopied } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Radios } from "../../ui/radios";
import { folderNow } from "../../store/names";

/** Copies a rule to the CLI's settings: asks for the file, writes it, and reports the result. */
export function CopyQuestion(props: { rule: Rule; onDone: () => void; onCopied: () => void }): JSX.Element {
  const app = useApp();
  const { host, state } = app;
  const words = () => text().permission.copy;
  const folder = () => (props.rule.scope === "workspace" ? (state.workspaces[props.rule.scopeId]?.path ?? folderNow(app)) : folderNow(app));
  const choices = () => [
    // A rule for one folder is not widened without asking.
    ...(folder() ? [{ id: "local", name: words().local(folder()) }] : []),
    { id: "user", name: words().user },
    ...(folder() ? [{ id: "project", name: words().project(folder()) }] : []),
  ];
  const [chosen, setChosen] = createSignal(choices()[0]?.id ?? "user");
  const [copied, setCopied] = createSignal<RuleCopied | null>(null);
  const [error, setError] = createSignal("");

  async function send(): Promise<void> {
    try {
      const to = chosen() === "user" ? {} : { cwd: folder() };
      setCopied(await host.call("rule.copyToCli", { id: props.rule.id, destination: chosen(), ...to }));
      setError("");
      props.onCopied();
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <div data-slot="editor">
      <Show
        when={copied()}
        fallback={
          <>
            <Radios legend={words().title} choices={choices()} value={chosen()} onChange={setChosen}>
              {(choice) => (
                <span>
                  <ExactText text={choice.name} />
                </span>
              )}
            </Radios>
            <p data-slot="aside">{words().about}</p>
            <Show when={error()}>
              <p data-slot="invalid" role="alert">
                {error()}
              </p>
            </Show>
            <div data-slot="actions">
              <Button variant="primary" onClick={() => void send()}>
                {words().send}
              </Button>
              <Button variant="ghost" onClick={() => props.onDone()}>
                {text().common.cancel}
              </Button>
            </div>
          </>
        }
      >
        {(done) => (
          <>
            <p role="status">
              <ExactText text={done().changed ? words().done(done().file) : words().there(done().file)} />
            </p>
            <Show when={done().backup}>
              {(backup) => (
                <p data-slot="aside">
                  <ExactText text={words().backup(backup())} />
                </p>
              )}
            </Show>
            <div data-slot="actions">
              <Button onClick={() => props.onDone()}>{text().common.close}</Button>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}
