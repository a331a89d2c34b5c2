import { createMemo, createRoot, getOwner } from "solid-js";
import { createStore, produce } from "solid-js/store";
import { expect, onTestFinished, test } from "vitest";
import { assistant, user } from "../../../../gallery/fixtures";
import { append, fromHistory } from "../../../store/conversation";
import { turnThatChanged } from "./UndoTurn";

test("the offer follows its own turn and whether another one comes, however long the conversation is", () => {
  const edit = { id: "b0", type: "tool", tool: { toolUseId: "t0", name: "Edit", input: {}, state: "done", startedAt: 1, content: [] } };
  const turns = Array.from({ length: 500 }, (_, i) => [user(`u${i}`, "one"), assistant(`a${i}`, i === 0 ? [edit] : [])]).flat();
  const [talk, set] = createStore(fromHistory({ messages: turns.slice(0, 2), total: 2, hasMore: false, before: "", seq: 0 }));
  createRoot((dispose) => {
    onTestFinished(dispose);
    let follows = 0;
    const turn = createMemo(() => {
      const found = turnThatChanged(talk, "a0");
      // A computation's dependencies are only available in its internal list.
      follows = (getOwner() as unknown as { sources: unknown[] }).sources.length;
      return found;
    });
    expect(turn()).toEqual({ id: "u0", last: true });
    set(produce((c) => turns.slice(2).forEach((message) => append(c, message))));
    expect(turn()).toEqual({ id: "u0", last: false });
    expect(follows).toBeLessThan(50);
  });
});
