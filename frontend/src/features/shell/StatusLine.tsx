import { Popover } from "@kobalte/core/popover";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import { number, text } from "../../i18n";
import { problemWords } from "../../lib/problem-words";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { problemsOf } from "./problems";
import "./status-line.css";

/** Current problems of Parley at the bottom of the window, with their remedies. */
export function StatusLine(): JSX.Element {
  const { state, layout } = useApp();
  const [open, setOpen] = createSignal(false);
  const problems = () => problemsOf(state);
  const words = () => text().shell.status;

  function explain(): void {
    setOpen(false);
    layout.go({ kind: "settings", tab: "files" });
  }

  return (
    <div data-component="status-line" role="status">
      <Show when={problems()[0]}>
        {(first) => (
          <Popover open={open()} onOpenChange={setOpen} placement="top-start" gutter={6}>
            <Popover.Trigger data-slot="problems" data-severity={first().severity}>
              <TriangleAlert />
              <strong>{words().problems(problems().length, number(problems().length))}</strong>{" "}
              <span data-slot="first">{problemWords(first()).title}</span>
            </Popover.Trigger>
            <Popover.Portal>
              <Popover.Content data-component="status-details" aria-label={words().label}>
                <ul>
                  <For each={problems()}>
                    {(problem) => (
                      <li data-severity={problem.severity}>
                        <strong>{problemWords(problem).title}</strong> <span>{problemWords(problem).todo}</span>
                      </li>
                    )}
                  </For>
                </ul>
                <Show when={problems().some(({ action }) => action === "settings" || action === "snapshots")}>
                  <Button size="small" onClick={explain}>
                    {words().explain}
                  </Button>
                </Show>
              </Popover.Content>
            </Popover.Portal>
          </Popover>
        )}
      </Show>
    </div>
  );
}
