import Pencil from "lucide-solid/icons/pencil";
import Trash from "lucide-solid/icons/trash";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Memory } from "../../host/border.gen";
import { text } from "../../i18n";
import { IconButton } from "../../ui/icon-button";
import type { MemoryModel } from "./model";
import { TextForm } from "./TextForm";
import { fileWords, momentWords, originWords, slugOf, timeWords } from "./words";

/** Longer memories are truncated. */
const long = 600;

export function MemoryRow(props: {
  model: MemoryModel;
  memory: Memory;
  /** Whether it shows its own day, because no heading above does. */
  dated?: boolean;
}): JSX.Element {
  const [editing, setEditing] = createSignal(false);
  const [whole, setWhole] = createSignal(false);
  let root: HTMLLIElement | undefined;
  const words = () => text().memory;
  const one = () => props.memory;
  const when = () => {
    if (!props.dated) return timeWords(one());
    if (one().kind !== "daily") return fileWords(one(), props.model.nameOf(slugOf(one().file)));
    return one().clock ? momentWords(one().at) : one().day;
  };
  const daily = () => one().kind === "daily";
  const shortened = () => one().text.length > long && !whole();
  const excerpt = () => (props.dated && one().excerpt.some((piece) => piece.match) && !whole() ? one().excerpt : null);

  /** Returns the focus to where it came from. */
  function done(): void {
    setEditing(false);
    queueMicrotask(() => document.activeElement === document.body && root?.querySelector<HTMLElement>("[data-edit]")?.focus());
  }

  return (
    <li ref={root} data-slot="row">
      <Show when={!editing()} fallback={<Edit model={props.model} memory={one()} onDone={done} />}>
        <div data-slot="what">
          <p data-slot="text" dir="auto" data-short={(shortened() && !excerpt()) || undefined}>
            <Show when={excerpt()} fallback={one().text}>
              {(pieces) => <For each={pieces()}>{(piece) => (piece.match ? <mark>{piece.text}</mark> : piece.text)}</For>}
            </Show>
          </p>
          <Show when={one().text.length > long}>
            <button type="button" data-slot="link" onClick={() => setWhole(!whole())}>
              {whole() ? words().list.less : words().list.whole}
            </button>
          </Show>
          <p data-slot="meta">
            <Show when={when()}>
              <span>{when()}</span>
            </Show>
            <Show when={one().about}>
              <button type="button" data-slot="link" aria-label={words().list.aboutWho(one().about)} onClick={() => props.model.setAbout(one().about)}>
                @<bdi>{one().about}</bdi>
              </button>
            </Show>
            <Show when={daily()}>
              <Show when={one().origin.sessionKnown} fallback={<span>{originWords(one().origin)}</span>}>
                <button
                  type="button"
                  data-slot="link"
                  title={words().row.openSession(one().origin.sessionTitle || words().from.untitled)}
                  onClick={() => props.model.openSession(one().origin.sessionId)}
                >
                  <bdi>{originWords(one().origin)}</bdi>
                </button>
              </Show>
            </Show>
            <Show when={props.model.scope() === null && daily()}>
              <bdi data-slot="scope">{props.model.nameOf(one().workspace)}</bdi>
            </Show>
          </p>
        </div>
        <div data-slot="acts">
          <IconButton label={words().row.edit} data-edit="" onClick={() => (daily() ? setEditing(true) : props.model.show({ kind: "file", file: one().file }))}>
            <Pencil size={15} />
          </IconButton>
          <IconButton label={words().row.forget} onClick={() => void props.model.forget(one())}>
            <Trash size={15} />
          </IconButton>
        </div>
      </Show>
    </li>
  );
}

function Edit(props: { model: MemoryModel; memory: Memory; onDone: () => void }): JSX.Element {
  // The memory when editing started: if it has changed since, saving is a conflict.
  const was = { ...props.memory };
  const words = () => text().memory.row;
  return (
    <TextForm
      slot="edit"
      begin={was.text}
      rows={Math.min(12, 2 + was.text.split("\n").length)}
      label={words().text}
      save={words().save}
      size="small"
      onSave={async (value) => (await props.model.change(was, value)) !== null}
      onDone={() => props.onDone()}
    />
  );
}
