import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Banner } from "../../ui/banner";
import { createBudgets, figure, spanOf } from "./budget";

/** A budget that is nearly or fully used up: the one with the highest share. */
export function BudgetBanner(): JSX.Element {
  const { layout } = useApp();
  const budgets = createBudgets();
  /** A dismissed budget stays hidden until the next level or period. */
  const [dismissed, setDismissed] = createSignal<ReadonlySet<string>>(new Set());
  const key = (b: { name: string; period: string; level: number; limit: number }) => `${b.name} ${b.period} ${b.level} ${b.limit}`;
  const worst = () =>
    budgets()
      .filter((b) => b.level > 0 && !dismissed().has(key(b)))
      .toSorted((a, b) => b.level - a.level || b.used / b.limit - a.used / a.limit)[0];
  const words = () => text().usage.budgets;
  return (
    <Show when={worst()}>
      {(budget) => (
        <Banner
          level="warning"
          title={words()[budget().level >= 100 ? "over" : "near"][spanOf(budget().name)]}
          hint={words().hint(figure(budget().name, budget().used), figure(budget().name, budget().limit))}
          actions={
            <>
              <Button size="small" onClick={() => layout.go({ kind: "usage" })}>
                {words().show}
              </Button>
              <Button size="small" variant="ghost" onClick={() => setDismissed((all) => new Set([...all, key(budget())]))}>
                {words().dismiss}
              </Button>
            </>
          }
        />
      )}
    </Show>
  );
}
