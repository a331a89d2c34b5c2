import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import { useApp } from "../../store/context";
import { type BudgetName, budgetNames, createBudgets, figure, isMoney } from "./budget";

const settingOf = {
  "day-usd": "budgetDayUSD",
  "month-usd": "budgetMonthUSD",
  "day-tokens": "budgetDayTokens",
  "month-tokens": "budgetMonthTokens",
} as const;

/** The budgets and how much of each is used. */
export function Budgets(): JSX.Element {
  const { state } = useApp();
  const budgets = createBudgets();
  const words = () => text().usage.budgets;
  return (
    <Show when={state.info?.settings}>
      <section data-slot="budgets">
        <h3>{words().title}</h3>
        <p data-slot="aside">
          {words().about} {words().none}
        </p>
        <ul role="list">
          <For each={budgetNames}>
            {(name) => <Line name={name} used={budgets().find((b) => b.name === name)?.used ?? 0} level={budgets().find((b) => b.name === name)?.level ?? 0} />}
          </For>
        </ul>
      </section>
    </Show>
  );
}

function Line(props: { name: BudgetName; used: number; level: number }): JSX.Element {
  const { state, actions } = useApp();
  const id = createUniqueId();
  const [error, setError] = createSignal("");
  const words = () => text().usage.budgets;
  const limit = () => state.info?.settings[settingOf[props.name]] ?? 0;
  const part = () => (limit() > 0 ? props.used / limit() : 0);

  async function take(field: HTMLInputElement): Promise<void> {
    const value = field.value.trim() === "" ? 0 : field.valueAsNumber;
    if (!Number.isFinite(value) || value < 0 || (!isMoney(props.name) && !Number.isInteger(value))) {
      setError(words().wrong);
      return;
    }
    setError("");
    if (value === limit()) return;
    try {
      await actions.changeSettings({ [settingOf[props.name]]: value });
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <li data-level={props.level || undefined}>
      <label for={id}>{words().names[props.name]}</label>
      <input
        id={id}
        type="number"
        data-component="text-field"
        min="0"
        step={isMoney(props.name) ? "0.01" : "1"}
        value={limit()}
        aria-invalid={error() !== "" || undefined}
        aria-describedby={`${id}-about`}
        onChange={(event) => void take(event.currentTarget)}
        onKeyDown={(event) => event.key === "Enter" && !isComposing(event) && void take(event.currentTarget)}
      />
      <span data-slot="used" id={`${id}-about`} role={error() ? "alert" : undefined}>
        <Show when={!error()} fallback={error()}>
          <Show when={limit() > 0}>
            <span data-slot="bar" aria-hidden="true">
              <span style={{ width: `${Math.min(100, part() * 100)}%` }} />
            </span>
            {words().of(figure(props.name, props.used), figure(props.name, limit()), number(part(), { style: "percent", maximumFractionDigits: 0 }))}
          </Show>
        </Show>
      </span>
    </li>
  );
}
