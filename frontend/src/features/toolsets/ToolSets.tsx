import { createEffect, createSignal, createUniqueId, For, type JSX, on, Show } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type { ToolSet } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { RadioItems } from "../../ui/radios";
import "../settings/fields.css"; // the segments
import "./toolsets.css";

/**
 * Which of Parley's own tools the sessions of a workspace have, or all for "". What is chosen is kept at once, unless
 * somebody takes it to keep it later: null stands for what the settings say.
 */
export function ToolSets(props: { workspaceId: string; onChoose?: (id: string, on: boolean | null) => void }): JSX.Element {
  const { host } = useApp();
  const [state, setState] = createStore<{ sets: ToolSet[] }>({ sets: [] });
  const [error, setError] = createSignal("");
  const words = () => text().toolsets;

  /** Newer reads go before older ones. */
  let asked = 0;
  async function take(answer: Promise<{ sets: ToolSet[] }>): Promise<void> {
    asked += 1;
    const turn = asked;
    try {
      const { sets } = await answer;
      if (turn !== asked) return;
      setState("sets", reconcile(sets, { key: "id" }));
      setError("");
    } catch (failure) {
      if (turn !== asked) return;
      setError(words().failed(messageOf(failure)));
      throw failure;
    }
  }
  const params = () => (props.workspaceId === "" ? {} : { workspaceId: props.workspaceId });

  createEffect(
    on(
      () => props.workspaceId,
      () => void take(host.call("toolset.list", params())).catch(() => {}),
    ),
  );

  function choose(id: string, on: boolean | null): void {
    const at = state.sets.findIndex((set) => set.id === id);
    const before = state.sets[at];
    if (!before) return;
    const { own, on: was, general } = before;
    setState("sets", at, { own: on !== null, on: on ?? general });
    if (props.onChoose) {
      props.onChoose(id, on);
      return;
    }
    take(host.call("toolset.set", { id, ...params(), on })).catch(() => setState("sets", at, { own, on: was }));
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
        <For each={state.sets}>{(set) => <Row set={set} workspace={props.workspaceId !== ""} onChoose={(on) => choose(set.id, on)} />}</For>
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
            {/* What the program says of its tools is in English, whatever the page speaks. */}
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
