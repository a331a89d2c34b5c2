import { createRoot, getOwner, onCleanup, onMount } from "solid-js";
import type { History, Message } from "../../host/border.gen";
import { useApp } from "../../store/context";
import { fromHistory } from "../../store/conversation";
import { Messages } from "./Messages";
import "./prerender.css";

/** By then, the page has rendered. */
const after = 400;
/** Browsers optimize code after a few runs. */
const rounds = 4;

/** A sample of everything that answers contain. */
const words = "# A\n\nOne **two** `three` [four](https://example.org).\n\n- five\n- six\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```go\nfunc f() {}\n```\n";

/** A prompt and its answer. */
const turn = (n: number): Message[] => [
  { id: `prompt-${n}`, role: "user", at: 0, blocks: [{ id: `prompt-${n}`, type: "text", text: "A" }] },
  {
    id: `answer-${n}`,
    role: "assistant",
    at: 0,
    blocks: [
      { id: `text-${n}`, type: "text", text: words },
      { id: `tool-${n}`, type: "tool", tool: { toolUseId: `tool-${n}`, name: "Bash", input: { command: "true" }, state: "done", startedAt: 0 } },
    ],
    result: { isError: false, costUSD: 1, durationMs: 1, numTurns: 1, usage: { inputTokens: 1, cacheReadTokens: 1, cacheCreationTokens: 1, outputTokens: 1 } },
  },
];

const sample: History = { messages: [1, 2, 3].flatMap(turn), hasMore: false, before: "", total: 6, seq: 0 };

/**
 * Renders a conversation off-screen and removes it again, a few times. Otherwise, opening the first conversation would
 * have to wait for its code, style rules and fonts. Once one is open, this is not needed.
 */
export function createPrerender(): void {
  const owner = getOwner();
  const { state } = useApp();
  onMount(() => {
    let end: (() => void) | undefined;
    let frame = 0;
    const draw = (left: number) => {
      if (state.current !== null || state.info?.safeMode) return;
      createRoot((dispose) => {
        const drawn = (
          <div data-component="warm-up" inert aria-hidden="true">
            <Messages sessionId="" conversation={fromHistory(sample)} far={false} />
          </div>
        ) as HTMLElement;
        end = () => {
          end = undefined;
          drawn.remove();
          dispose();
        };
        document.body.append(drawn);
      }, owner);
      // The rows are rendered in the next frame, when the list knows its height.
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          end?.();
          if (left > 1) timer = setTimeout(draw, 0, left - 1);
        });
      });
    };
    let timer = setTimeout(draw, after, rounds);
    onCleanup(() => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      end?.();
    });
  });
}
