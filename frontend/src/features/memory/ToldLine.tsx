import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import type { MemoryModel } from "./model";

/** How much memory a new session here includes, and the switch for it. */
export function ToldLine(props: { model: MemoryModel }): JSX.Element {
  const words = () => text().memory.told;
  const scope = () => props.model.scope();
  const workspace = () => props.model.workspace(scope() ?? "");
  const told = () => props.model.told.answer();
  const general = () => props.model.overview.answer()?.inject ?? true;
  const on = () => (workspace() ? !workspace()?.off : general());
  return (
    <div data-slot="told-line">
      <label>
        <input
          type="checkbox"
          role="switch"
          data-component="switch"
          checked={on()}
          disabled={(scope() ?? "") !== "" && !workspace()?.id}
          onChange={(event) => {
            const field = event.currentTarget;
            // Shows the actual state, not the requested one.
            void props.model.tell(scope(), field.checked).then((done) => done !== null || (field.checked = on()));
          }}
        />
        <span>{workspace() ? words().switchHere : words().switch}</span>
      </label>
      <Show when={told()}>
        {(now) => (
          <Show when={now().off === ""} fallback={<span data-slot="aside">{now().off === "workspace" ? words().off.workspace : words().off.general}</span>}>
            <div data-slot="budget">
              <div
                role="meter"
                aria-label={words().bar}
                aria-valuemin={0}
                aria-valuemax={now().budgetTokens}
                aria-valuenow={now().tokens}
                aria-valuetext={words().line(now().tokens, now().budgetTokens)}
              >
                {/* The width is data, so it is set inline. */}
                <span style={{ width: `${Math.min(100, (100 * now().tokens) / Math.max(1, now().budgetTokens))}%` }} />
              </div>
              <span data-slot="aside">{words().line(now().tokens, now().budgetTokens)}</span>
              <Button size="small" variant="ghost" onClick={() => props.model.show({ kind: "told", scope: scope() })}>
                {words().look}
              </Button>
            </div>
          </Show>
        )}
      </Show>
    </div>
  );
}
