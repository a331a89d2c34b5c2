import { createComputed, createSignal, createUniqueId, For, type JSX, on, Show } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type { ToolSet } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { RadioItems } from "../../ui/radios";
import "../../ui/fields.css"; // the segments
import "./toolsets.css";

/**
 * Which of Parley's tools the sessions of a workspace have, or all sessions for "". Choices are saved immediately,
 * unless onChoose takes them to save later: null means the settings' value.
 */
export function ToolSets(props: { workspaceId: string; onChoose?: (id: string, on: boolean | null) => void }): JSX.Element {
  const { host } = useApp();
  const params = () => (props.workspaceId === "" ? {} : { workspaceId: props.workspaceId });
  const reading = createReading("toolset.list", params, { about: () => props.workspaceId });
  /** Choices that the program has not confirmed yet. */
  const [chosen, setChosen] = createStore<Record<string, boolean | null | undefined>>({});
  const [problem, setProblem] = createSignal("");
  const [state, setState] = createStore<{ sets: ToolSet[] }>({ sets: [] });
  const words = () => text().toolsets;
  const error = () => problem() || (reading.error() && words().failed(reading.error()));

  // Copies, because the store mutates what it is given.
  createComputed(() => {
    const sets = (reading.answer()?.sets ?? []).map((set) => {
      const on = chosen[set.id];
      return { ...set, ...(on === undefined ? {} : { own: on !== null, on: on ?? set.general }) };
    });
    setState("sets", reconcile(sets, { key: "id" }));
  });
  createComputed(on(() => props.workspaceId, () => setChosen(reconcile({})), { defer: true }));

  async function choose(id: string, to: boolean | null): Promise<void> {
    setChosen(id, to);
    if (props.onChoose) {
      props.onChoose(id, to);
      return;
    }
    const before = props.workspaceId;
    try {
      const answer = await host.call("toolset.set", { id, ...params(), on: to });
      if (before !== props.workspaceId) return;
      reading.put(answer);
      setProblem("");
    } catch (failure) {
      setProblem(words().failed(messageOf(failure)));
    }
    if (chosen[id] === to) setChosen(id, undefined);
  }

  return (
    <section data-component="tool-sets">
      <h3>{words().title}</h3>
      <p data-slot="about">{words().about}</p>
      <Show when={error()}>
        <p data-slot="error" role="alert">
          {error()}
        </p>
      </Show>
      <ul data-slot="list">
        <For each={state.sets}>{(set) => <Row set={set} workspace={props.workspaceId !== ""} onChoose={(to) => void choose(set.id, to)} />}</For>
      </ul>
      <p data-slot="about">{words().later}</p>
    </section>
  );
}

function Row(props: { set: ToolSet; workspace: boolean; onChoose: (on: boolean | null) => void }): JSX.Element {
  const label = createUniqueId();
  const words = () => text().toolsets;
  const known = () => (props.set.id in words().names ? (props.set.id as keyof ReturnType<typeof words>["names"]) : null);
  const name = () => {
    const id = known();
    return id === null ? props.set.id : words().names[id];
  };
  const what = () => {
    const id = known();
    return id === null ? "" : words().what[id];
  };
  const choices = () => [
    ...(props.workspace ? [{ id: "general", name: words().general(props.set.general) }] : []),
    { id: "on", name: words().on },
    { id: "off", name: words().off },
  ];
  const value = () => (props.workspace && !props.set.own ? "general" : props.set.on ? "on" : "off");
  return (
    <li data-slot="set">
      <div data-slot="words">
        <span data-slot="name" id={label}>
          {name()}
        </span>
        <p data-slot="what">{what()}</p>
        <details>
          <summary>{words().tools(props.set.tools.length)}</summary>
          <ul data-slot="tools">
            {/* The program describes its tools in English, whatever the page's language. */}
            <For each={props.set.tools}>
              {(tool) => (
                <li lang="en">
                  {tool.title} <code>{tool.name}</code>
                </li>
              )}
            </For>
          </ul>
        </details>
      </div>
      <div data-component="segmented" role="radiogroup" aria-labelledby={label}>
        <RadioItems choices={choices()} value={value()} onChange={(id) => props.onChoose(id === "general" ? null : id === "on")} />
      </div>
    </li>
  );
}
