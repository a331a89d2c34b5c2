import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { For, type JSX, Show } from "solid-js";
import type { HeartbeatList, Problem } from "../../host/border.gen";
import { number, text, translated } from "../../i18n";

const most = 5;

/** The location of a problem, in words; "" if it has no line. */
export function whereIs(problem: Problem): string {
  const words = text().heartbeats.problems;
  if (problem.line === 0) return "";
  return problem.column > 0 ? words.at(number(problem.line), number(problem.column)) : words.atLine(number(problem.line));
}

/** The problems of the file, and which heartbeats apply until they are fixed. */
export function FileProblems(props: { list: HeartbeatList; onGo: (line: number, column: number) => void }): JSX.Element {
  const words = () => text().heartbeats.problems;
  return (
    <Show when={props.list.problems.length > 0}>
      <div data-slot="notice" data-bad="" role="alert">
        <TriangleAlert size={16} aria-hidden="true" />
        <div>
          <strong>{props.list.stale ? words().stale : words().some}</strong>
          <ul role="list">
            <For each={props.list.problems.slice(0, most)}>
              {(problem) => (
                <li>
                  <button
                    type="button"
                    data-slot="link"
                    aria-label={words().go(whereIs(problem) || "heartbeats.yaml")}
                    onClick={() => props.onGo(problem.line, problem.column)}
                  >
                    {whereIs(problem) || words().edit}
                  </button>{" "}
                  <span>
                    {problem.name ? `${problem.name}: ` : ""}
                    {translated(problem.message)}
                  </span>
                </li>
              )}
            </For>
          </ul>
          <Show when={props.list.problems.length > most}>
            <p>{words().more(props.list.problems.length - most)}</p>
          </Show>
        </div>
      </div>
    </Show>
  );
}
