import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, Show } from "solid-js";
import type { RuleTestParams } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text, translatedAround } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { folderNow, titleOf } from "../../store/names";
import { createReading } from "../../store/reading";
import { fieldOf, paramsOf, tools, type Trial } from "./try";
import { TryResult } from "./TryResult";

const REST_MS = 200;

/** Tests how a tool call would be decided, live while typing. */
export function TryTab(): JSX.Element {
  const app = useApp();
  const { latest } = app.layout;
  const { state, host } = app;
  const words = () => text().permission.test;
  const [trial, setTrial] = createSignal<Trial>({
    tool: "Bash",
    name: "",
    value: "",
    place: latest() === null ? (folderNow(app) === "" ? "" : `folder:${folderNow(app)}`) : `session:${latest()}`,
  });
  const change = (what: Partial<Trial>) => setTrial({ ...trial(), ...what });
  const [params, setParams] = createSignal<RuleTestParams | null>(null);
  const [made, setMade] = createSignal("");
  const asked = createMemo(() => paramsOf(trial()));
  const reading = createReading("rule.test", params, { globals: ["rules.changed"] });
  createEffect(
    on(asked, (now) => {
      const timer = setTimeout(() => setParams(now === "json" ? null : now), REST_MS);
      onCleanup(() => clearTimeout(timer));
    }),
  );

  const places = () => [
    ...[latest() ?? []].flat().map((id) => ({ id: `session:${id}`, name: words().inSession(titleOf(app, id), state.sessions[id]?.cwd ?? "") })),
    ...state.workspaceOrder.map((id) => state.workspaces[id]?.path ?? "").filter(Boolean).map((path) => ({ id: `folder:${path}`, name: words().inFolder(path) })),
  ];

  async function make(rule: string): Promise<void> {
    try {
      await host.call("rule.add", { effect: "allow", text: rule, scope: "global" });
      setMade("");
    } catch (failure) {
      setMade(messageOf(failure));
    }
  }

  return (
    <>
      <p data-slot="aside">{words().about}</p>
      <div data-slot="sides">
        <label data-slot="field">
          <span>{words().tool}</span>
          <select data-component="text-field" onChange={(event) => change({ tool: tools.find((tool) => tool === event.currentTarget.value) ?? "", value: "" })}>
            <For each={tools}>{(tool) => <option value={tool} selected={tool === trial().tool}>{tool}</option>}</For>
            <option value="" selected={trial().tool === ""}>{words().otherTool}</option>
          </select>
        </label>
        <label data-slot="field" data-wide="">
          <span>{words().where}</span>
          <select data-component="text-field" onChange={(event) => change({ place: event.currentTarget.value })}>
            <For each={places()}>{(place) => <option value={place.id} selected={place.id === trial().place}>{place.name}</option>}</For>
          </select>
        </label>
      </div>
      <Show when={trial().tool === ""}>
        <label data-slot="field">
          <span>{words().toolName}</span>
          <input type="text" data-component="text-field" data-code="" spellcheck={false} value={trial().name} onInput={(event) => change({ name: event.currentTarget.value })} />
        </label>
      </Show>
      <label data-slot="field">
        <span>{words().fields[fieldOf(trial())]}</span>
        <textarea
          data-autofocus=""
          spellcheck={false}
          rows={fieldOf(trial()) === "command" || fieldOf(trial()) === "json" ? 3 : 1}
          value={trial().value}
          aria-invalid={asked() === "json"}
          onInput={(event) => change({ value: event.currentTarget.value })}
        />
      </label>
      <Show when={asked() === "json"}>
        <p data-slot="invalid" role="alert">
          {words().noJson}
        </p>
      </Show>
      <Show when={reading.error() && params()}>
        <p data-slot="invalid" role="alert">
          {reading.error()}
        </p>
      </Show>
      <div role="status" aria-busy={reading.busy()}>
        <Show when={params() && !reading.error() && reading.answer()} fallback={<Show when={asked() === null}><p data-slot="aside">{words().empty}</p></Show>}>
          {(test) => (
            <TryResult test={test()}>
              <Show when={test().offers.length > 0 && test().outcome === "ask"}>
                <section>
                  <h3>{words().offers}</h3>
                  <ul role="list" data-slot="rows">
                    <For each={test().offers.filter((offer) => offer.rules.length === 1)}>
                      {(offer) => (
                        <li data-slot="row">
                          <div data-slot="what">
                            <code>{offer.rules[0]}</code>
                            <p data-slot="facts">{translatedAround(offer.means)}</p>
                          </div>
                          <Button size="small" aria-label={words().makeRule(offer.rules[0] ?? "")} onClick={() => void make(offer.rules[0] ?? "")}>
                            {text().permission.editor.make}
                          </Button>
                        </li>
                      )}
                    </For>
                  </ul>
                  <Show when={made()}>
                    <p data-slot="invalid" role="alert">{made()}</p>
                  </Show>
                </section>
              </Show>
            </TryResult>
          )}
        </Show>
      </div>
    </>
  );
}
