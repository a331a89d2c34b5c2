import { For, type JSX, Show } from "solid-js";
import { locale, number, text } from "../../i18n";
import { held } from "../../lib/held";
import { askForSettings } from "../../lib/settings-ask";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { moment, titleOf } from "./names";
import { createReading } from "./read";
import { Trouble } from "./Trouble";

const counts = ["passed", "reviewed", "refused", "failed"] as const;

/** What the guard does, how often it did, and what it let through lately and why. */
export function GuardTab(): JSX.Element {
  const app = useApp();
  const { state, layout, actions } = app;
  const words = () => text().permission.guard;
  const reading = createReading("guard.stats", () => ({}), ["permissions.changed", "rules.changed"]);
  const stats = held(reading.answer);
  const setting = (): string => {
    const names: Record<string, string> = text().settings.guards;
    return names[state.info?.settings.guard || "off"] ?? "";
  };

  function go(to: () => void): void {
    layout.setOverlay(null);
    to();
  }

  return (
    <>
      <p>{words().about}</p>
      <p>{words().reviewer}</p>
      <p data-slot="setting">
        {words().where} <strong>{setting()}</strong>
        <Button size="small" onClick={() => go(() => askForSettings("guard"))}>
          {words().settings}
        </Button>
      </p>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} />}>
        <section>
          <h3>{words().since}</h3>
          <dl data-slot="counts">
            <For each={counts}>
              {(name) => (
                <div>
                  <dt>{words().counts[name]}</dt>
                  <dd>{number(stats()[name])}</dd>
                </div>
              )}
            </For>
          </dl>
        </section>
        <section>
          <h3>{words().recent}</h3>
          <Show when={stats().recent.length > 0} fallback={<p data-slot="aside">{words().none}</p>}>
            <ul role="list" data-slot="rows" aria-label={words().recent}>
              <For each={stats().recent}>
                {(pass) => (
                  <li data-slot="row">
                    <div data-slot="what">
                      <code>
                        <ExactText text={`${pass.tool}: ${pass.summary}`} />
                      </code>
                      <p data-slot="note">{pass.why}</p>
                      <p data-slot="facts">
                        {moment(pass.at, locale())} · {pass.by === "reviewer" ? text().permission.passed.reviewer : text().permission.passed.guard} ·{" "}
                        <button type="button" data-slot="link" onClick={() => go(() => actions.open(pass.sessionId))}>
                          {titleOf(app, pass.sessionId)}
                        </button>
                      </p>
                    </div>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </section>
      </Show>
    </>
  );
}
