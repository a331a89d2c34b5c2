import { For, type JSX, Show } from "solid-js";
import type { Task } from "../../host/border.gen";
import { message, scopeOf, text, tool } from "../timeline/gallery";
import { MessageView } from "../timeline/Message";
import { type CardState, type Example, examples, ownExamples, states, toolOf } from "./examples";
import { ToolCard } from "./ToolCard";

/** A card in a state, in a sample session. */
export function ExampleCard(props: { example: Example; state: CardState; open?: boolean }): JSX.Element {
  const scope = scopeOf([], { asking: () => props.state === "asking" });
  return <ToolCard tool={toolOf(props.example, props.state)} scope={scope} renderNested={() => <></>} {...(props.open ? { open: true } : {})} />;
}

function Every(props: { example: Example }): JSX.Element {
  return (
    <div data-component="timeline">
      <ExampleCard example={props.example} state="done" open />
      <Show when={props.example.about === ""}>
        <For each={states.filter((state) => state !== "done")}>{(state) => <ExampleCard example={props.example} state={state} />}</For>
      </Show>
    </div>
  );
}

function Subagent(props: { going?: Task }): JSX.Element {
  const scope = scopeOf(
    [
      message("n0", [text("nt0", "I look for it.")], { parentToolUseId: "agent-1" }),
      message("n1", [tool("Grep", { pattern: "post\\(" }, { structured: { numFiles: 4 } }), text("nt", "Four files call it.")], { parentToolUseId: "agent-1" }),
    ],
    { task: (id) => (id === "agent-1" ? props.going : undefined) },
  );
  const agent = examples.find((example) => example.name === "Agent");
  return (
    <Show when={agent}>
      {(found) => (
        <div data-component="timeline">
          <ToolCard tool={{ ...toolOf(found(), props.going ? "pending" : "done"), toolUseId: "agent-1" }} scope={scope} renderNested={(id, inner) => <MessageView id={id} scope={inner} />} open />
        </div>
      )}
    </Show>
  );
}

export const galleryEntries: { name: string; component: () => JSX.Element }[] = [
  ...examples.map((example) => ({
    name: `Tool: ${example.name}${example.about ? `, ${example.about}` : ""}`,
    component: () => <Every example={example} />,
  })),
  {
    name: "Tool: a subagent at work",
    component: () => <Subagent going={{ taskId: "t1", toolUseId: "agent-1", status: "running", lastTool: "Grep", toolUses: 3, totalTokens: 12_400 }} />,
  },
  { name: "Tool: a subagent that is done", component: () => <Subagent /> },
  {
    name: "Tool: Parley's own",
    component: () => (
      <div data-component="timeline">
        <For each={ownExamples}>{(example) => <ExampleCard example={example} state="done" />}</For>
        <For each={states.filter((state) => state !== "done")}>{(state) => <ExampleCard example={ownExamples[0] as Example} state={state} />}</For>
      </div>
    ),
  },
];
