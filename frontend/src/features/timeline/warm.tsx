import { createRoot, For, getOwner, onCleanup, onMount } from "solid-js";
import type { History } from "../../host/border.gen";
import { fromHistory } from "../../store/conversation";
import { MessageView } from "./Message";
import type { Scope } from "./scope";
import "./warm.css";

/** The page has drawn itself by then, and nobody has opened anything yet. */
const after = 400;

/** A little of everything that answers are made of. */
const words = "# A\n\nOne **two** `three` [four](https://example.org).\n\n- five\n- six\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```go\nfunc f() {}\n```\n";

const sample: History = {
  messages: [
    { id: "prompt", role: "user", at: 0, blocks: [{ id: "prompt", type: "text", text: "A" }] },
    {
      id: "answer",
      role: "assistant",
      at: 0,
      blocks: [
        { id: "text", type: "text", text: words },
        { id: "tool", type: "tool", tool: { toolUseId: "tool", name: "Bash", input: { command: "true" }, state: "done", startedAt: 0 } },
      ],
      result: { isError: false, costUSD: 1, durationMs: 1, numTurns: 1, usage: { inputTokens: 1, cacheReadTokens: 1, cacheCreationTokens: 1, outputTokens: 1 } },
    },
  ],
  hasMore: false,
  before: "",
  total: 2,
  seq: 0,
};

/**
 * Draws a prompt and an answer and lays them out, once, and takes them away before anybody
 * could see them. The first conversation that is opened would otherwise wait for everything
 * that draws messages to be set up: its code, the rules for its elements, the letters.
 */
export function createWarmUp(): void {
  const owner = getOwner();
  onMount(() => {
    const timer = setTimeout(() => {
      const conversation = fromHistory(sample);
      const scope: Scope = { sessionId: "", conversation, cwd: "", asking: () => false, task: () => undefined };
      createRoot((dispose) => {
        const drawn = (
          <div data-component="warm-up" inert>
            <div data-component="timeline">
              <div data-slot="scroller">
                <div data-slot="content">
                  <For each={conversation.order}>{(id) => <MessageView id={id} scope={scope} />}</For>
                </div>
              </div>
            </div>
          </div>
        ) as HTMLElement;
        document.body.append(drawn);
        void drawn.offsetHeight;
        drawn.remove();
        dispose();
      }, owner);
    }, after);
    onCleanup(() => clearTimeout(timer));
  });
}
