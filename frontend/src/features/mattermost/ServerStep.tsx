import CircleCheck from "lucide-solid/icons/circle-check";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import { HostError, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Field } from "../../ui/field";
import { addressFault, addressOf, isOpen } from "./config";
import type { Editor } from "./editor";

/** The server's address and a token, and the result of testing both. */
export function ServerStep(props: { editor: Editor; strict: boolean }): JSX.Element {
  const words = () => text().chat.server;
  const [problem, setProblem] = createSignal<{ field: "address" | "token"; message: string } | null>(null);
  const [asking, setAsking] = createSignal(false);
  const [touched, setTouched] = createSignal(false);
  const config = () => props.editor.config;
  const kept = () => {
    const base = props.editor.base();
    return base?.token && base.config.url === config().url ? base.token : "";
  };
  const fault = (message: string) => (message === "" ? [] : [{ message }]);
  const addressFaults = () => {
    const own = addressFault(config());
    const time = touched() || props.strict;
    return fault((time && own) || (problem()?.field === "address" ? (problem()?.message ?? "") : ""));
  };
  const tokenFaults = () => fault((props.strict && !props.editor.hasToken() && words().faults.token) || (problem()?.field === "token" ? (problem()?.message ?? "") : ""));

  async function test(): Promise<void> {
    setTouched(true);
    setProblem(null);
    if (asking() || addressFault(config()) !== "") return;
    if (!props.editor.hasToken()) {
      setProblem({ field: "token", message: words().faults.token });
      return;
    }
    setAsking(true);
    try {
      const { teams } = await props.editor.ask();
      if (!teams.some(({ id }) => id === config().teamId)) props.editor.setConfig("teamId", teams[0]?.id ?? "");
    } catch (failure) {
      const about = failure instanceof HostError && (failure.code === "unauthorized" || failure.code === "forbidden" || /parameter token/.test(failure.message));
      setProblem({ field: about ? "token" : "address", message: messageOf(failure) });
    } finally {
      setAsking(false);
    }
  }

  return (
    <form
      data-slot="form"
      onSubmit={(event) => {
        event.preventDefault();
        void test();
      }}
    >
      <h3>{words().title}</h3>
      <Field label={words().address} hint={words().addressHint} faults={addressFaults()}>
        {(ids) => (
          <input
            id={ids().id}
            data-component="text-field"
            data-autofocus=""
            type="text"
            inputmode="url"
            dir="ltr"
            spellcheck={false}
            autocomplete="off"
            aria-describedby={ids().describedBy}
            aria-invalid={ids().invalid}
            value={config().url}
            onInput={(event) => {
              setProblem(null);
              props.editor.setConfig("url", event.currentTarget.value);
            }}
            onChange={(event) => {
              props.editor.setConfig("url", addressOf(event.currentTarget.value));
              setTouched(true);
            }}
          />
        )}
      </Field>
      <Show when={isOpen(config().url) || config().allowInsecure}>
        <label data-slot="check">
          <input type="checkbox" checked={config().allowInsecure === true} onChange={(event) => props.editor.setConfig("allowInsecure", event.currentTarget.checked)} />
          {words().insecure}
        </label>
      </Show>
      <Field
        label={words().token}
        hint={kept() === "environment" ? words().tokenEnvironment : kept() ? words().tokenKept : words().tokenHint}
        faults={tokenFaults()}
      >
        {(ids) => (
          <input
            id={ids().id}
            data-component="text-field"
            type="password"
            dir="ltr"
            spellcheck={false}
            autocomplete="off"
            aria-describedby={ids().describedBy}
            aria-invalid={ids().invalid}
            placeholder={kept() ? "••••••••" : ""}
            value={props.editor.token()}
            onInput={(event) => {
              setProblem(null);
              props.editor.setToken(event.currentTarget.value.trim());
            }}
          />
        )}
      </Field>
      <details data-slot="how">
        <summary>{words().how}</summary>
        <p data-slot="aside">{words().howBot}</p>
        <p data-slot="aside">{words().howPersonal}</p>
      </details>
      <div data-slot="test">
        <Button type="submit" disabled={asking()}>
          {asking() ? words().testing : words().test}
        </Button>
        <div data-slot="said" role="status">
          <Show when={props.editor.probe()}>
            {(probe) => (
              <p data-slot="accepted">
                <CircleCheck size={15} aria-hidden="true" />
                <span>
                  <bdi>
                    <ExactText text={words().accepted(probe().me.username)} />
                  </bdi>{" "}
                  <span data-slot="aside">{words().version(probe().version)}</span>
                </span>
              </p>
            )}
          </Show>
        </div>
      </div>
      <Show when={props.editor.probe()}>
        {(probe) => (
          <>
            <For each={[...(probe().me.bot ? [] : [words().own]), ...probe().warnings]}>
              {(warning) => (
                <p data-slot="notice" data-bad="">
                  <TriangleAlert size={15} aria-hidden="true" />
                  <span>{warning}</span>
                </p>
              )}
            </For>
            <Show when={probe().teams.length > 0} fallback={<p data-slot="invalid">{words().faults.noTeam}</p>}>
              <div data-slot="fields" data-one="">
                <Field label={words().team} hint={words().teamHint} faults={[]}>
                  {(ids) => (
                    <select id={ids().id} data-component="text-field" aria-describedby={ids().describedBy} onChange={(event) => props.editor.setConfig("teamId", event.currentTarget.value)}>
                      <For each={probe().teams}>
                        {(team) => (
                          <option value={team.id} selected={team.id === config().teamId}>
                            {team.title || team.name}
                          </option>
                        )}
                      </For>
                    </select>
                  )}
                </Field>
              </div>
            </Show>
          </>
        )}
      </Show>
    </form>
  );
}
