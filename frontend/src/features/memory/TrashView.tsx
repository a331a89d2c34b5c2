import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import type { MemoryModel } from "./model";
import { momentWords } from "./words";

/** Deleted memories, which can be restored. */
export function TrashView(props: { model: MemoryModel }): JSX.Element {
  const reading = createReading("memory.trash", () => ({}), { globals: ["memory.changed"] });
  const words = () => text().memory.trashView;
  const items = () => reading.answer()?.items ?? [];
  const nameOf = (item: { whole: boolean; file: string; text: string }) => (item.whole ? words().file(item.file) : item.text);
  return (
    <>
      <header data-slot="head">
        <h3>{text().memory.trash}</h3>
        <p data-slot="aside">{words().about}</p>
      </header>
      <Show when={reading.error()}>
        {(why) => (
          <p data-slot="invalid" role="alert">
            {why()}
          </p>
        )}
      </Show>
      <Show when={items().length > 0} fallback={<Show when={reading.answer()}><p data-slot="empty">{words().none}</p></Show>}>
        <ul role="list" data-slot="rows">
          <For each={items()}>
            {(item) => (
              <li data-slot="row">
                <div data-slot="what">
                  <p data-slot="text" dir="auto" data-short="">
                    {nameOf(item)}
                  </p>
                  <p data-slot="meta">
                    <span>{momentWords(item.at)}</span>
                    <span>{item.sessionId ? words().bySession : words().byPerson}</span>
                    <bdi>{item.file}</bdi>
                  </p>
                </div>
                <div data-slot="acts">
                  <Button
                    size="small"
                    aria-label={words().restoreOne(nameOf(item).slice(0, 80))}
                    onClick={() => void props.model.restore(item.id).then(() => reading.again())}
                  >
                    {words().restore}
                  </Button>
                </div>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </>
  );
}
