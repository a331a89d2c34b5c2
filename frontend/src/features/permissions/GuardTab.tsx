import { For, type JSX, Show } from "solid-js";
import { number, text, translated } from "../../i18n";
import { stable } from "../../lib/stable";
import { dayAndTime } from "../../lib/dates";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { titleOf } from "../../store/names";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";

const counts = ["passed", "reviewed", "refused", "failed"] as const;

/** What auto-approve does, how often it did, and what it recently allowed and why. */
export function GuardTab(): JSX.Element {
  const app = useApp();
  const { state, layout, actions } = app;
  const words = () => text().permission.guard;
  const reading = createReading("autoApprove.stats", () => ({}), { globals: ["permissions.changed", "rules.changed"] });
  const stats = stable(reading.answer);
  const setting = (): string => {
    const names: Record<string, string> = text().settings.guards;
    return names[state.info?.settings.guard || "off"] ?? "";
  };

  return (
    <>
      <p>{words().about}</p>
      <p>{words().reviewer}</p>
      <p data-slot="setting">
        {words().where} <strong>{setting()}</strong>
        <Button size="small" onClick={() => layout.go({ kind: "settings", tab: "guard" })}>
          {words().settings}
        </Button>
      </p>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().permission.failed} />}>
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
                      <p data-slot="note">{translated(pass.why)}</p>
                      <p data-slot="facts">
                        {dayAndTime(pass.at)} · {pass.by === "reviewer" ? text().permission.passed.reviewer : text().permission.passed.guard} ·{" "}
                        <button type="button" data-slot="link" onClick={() => actions.open(pass.sessionId)}>
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
