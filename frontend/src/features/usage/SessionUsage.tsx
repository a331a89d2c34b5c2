import { For, type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import { formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { allTokens, costIn, nameIn } from "./model";
import { createReading } from "../../store/reading";
import "./usage.css";

/** One session's usage, by model. */
export function SessionUsage(props: { sessionId: string; onShowAll?: () => void }): JSX.Element {
  const { layout } = useApp();
  const reading = createReading("usage.query", () => ({ groupBy: ["model"], sessionId: props.sessionId }), { globals: ["usage.changed"] });
  const words = () => text().usage;
  const rows = () => reading.answer()?.rows ?? [];
  const showAll = () => {
    props.onShowAll?.();
    layout.go({ kind: "usage" });
  };
  return (
    <section data-component="session-usage">
      <h3>{words().session.title}</h3>
      <Show
        when={rows().length > 0}
        fallback={<p data-slot="aside">{reading.error() || (reading.answer() ? words().session.none : words().reading)}</p>}
      >
        <ul role="list">
          <For each={rows()}>
            {(row) => (
              <li>
                <span data-slot="name">
                  <bdi>{nameIn(row, "model")}</bdi>
                </span>
                <span data-slot="tokens" title={number(allTokens(row))}>
                  {words().budgets.tokens(formatTokens(allTokens(row)))}
                </span>
                <span data-slot="cost">{costIn(row)}</span>
              </li>
            )}
          </For>
        </ul>
        <Show when={(reading.answer()?.total.unpriced ?? 0) > 0 && (reading.answer()?.total.costUSD ?? 0) > 0}>
          <p data-slot="aside">{words().unreported(formatTokens(reading.answer()?.total.unpriced ?? 0))}</p>
        </Show>
      </Show>
      <Button size="small" variant="ghost" onClick={showAll}>
        {words().session.all}
      </Button>
    </section>
  );
}
