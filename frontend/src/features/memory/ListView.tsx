import Plus from "lucide-solid/icons/plus";
import Search from "lucide-solid/icons/search";
import X from "lucide-solid/icons/x";
import { createEffect, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type { Memory } from "../../host/border.gen";
import { text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { AddForm } from "./AddForm";
import { Begin } from "./Begin";
import { MemoryRow } from "./MemoryRow";
import type { MemoryModel } from "./model";
import { ToldLine } from "./ToldLine";
import { dayWords, fileWords, kindOf, slugOf } from "./words";

interface Group {
  id: string;
  name: string;
  /** The file with all of them, "" for several. */
  file: string;
  memories: Memory[];
}

/** The memories of a place: newest first, or the search results. */
export function ListView(props: { model: MemoryModel }): JSX.Element {
  const { model } = props;
  const { state } = useApp();
  const home = () => state.info?.home ?? "";
  const [adding, setAdding] = createSignal(false);
  const words = () => text().memory.list;
  const workspace = () => model.workspace(model.scope() ?? "");
  const searching = () => model.sought() !== "";
  // A store, so that reloading keeps each row: the user may be editing in it.
  const [shown, setShown] = createStore<{ memories: Memory[]; groups: Group[] }>({ memories: [], groups: [] });
  createEffect(() => {
    const memories = model.found.answer()?.memories ?? [];
    const groups = searching() ? [] : grouped(memories, model);
    setShown(reconcile(structuredClone({ memories: searching() ? memories : [], groups })));
  });
  const nothing = () => model.found.answer()?.memories.length === 0;
  const untouched = () => (model.overview.answer()?.memories ?? 0) === 0 && model.scope() === null;

  return (
    <>
      <header data-slot="head">
        <h3 dir="auto">{model.scope() === null ? text().memory.all : model.nameOf(model.scope() ?? "")}</h3>
        <Show when={workspace()?.path}>
          <p data-slot="aside" dir="ltr">
            {tilde(workspace()?.path ?? "", home())}
          </p>
        </Show>
      </header>
      <Show when={!untouched() || adding()} fallback={<Begin model={model} onAdd={() => setAdding(true)} />}>
        <ToldLine model={model} />
        <div data-slot="tools" role="search">
          <label data-slot="search">
            <Search size={15} aria-hidden="true" />
            <input
              type="search"
              data-autofocus=""
              placeholder={words().search}
              aria-label={words().search}
              spellcheck={false}
              autocomplete="off"
              value={model.words()}
              onInput={(event) => model.setWords(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== "Escape" || model.words() === "") return;
                event.preventDefault();
                event.stopPropagation();
                model.setWords("");
              }}
            />
          </label>
          <Show when={(model.scope() ?? "") !== ""}>
            <Button onClick={() => model.show({ kind: "file", file: `workspaces/${model.scope()}/NOTES.md` })}>{text().memory.notes}</Button>
          </Show>
          <Button aria-expanded={adding()} onClick={() => setAdding(!adding())}>
            <Plus size={14} /> {text().memory.add.button}
          </Button>
        </div>
        <Show when={adding()}>
          <AddForm model={model} onDone={() => setAdding(false)} />
        </Show>
        <Show when={model.about()}>
          <p data-slot="filter">
            <bdi>{words().onlyAbout(model.about())}</bdi>
            <Button size="small" variant="ghost" onClick={() => model.setAbout("")}>
              <X size={13} /> {words().everybody}
            </Button>
          </p>
        </Show>
        <Show when={searching()}>
          <p data-slot="aside" role="status">
            {model.found.answer()?.loose && !nothing() ? words().loose : nothing() ? "" : words().found(model.found.answer()?.total ?? 0)}
          </p>
        </Show>
        <Switch>
          <Match when={model.found.error()}>
            {(why) => (
              <p data-slot="invalid" role="alert">
                {why()}
              </p>
            )}
          </Match>
          <Match when={nothing()}>
            <div data-slot="empty">
              <strong>{searching() ? words().nothing(model.sought()) : words().none}</strong>
              <Show when={!searching()}>
                <p>{words().noneHint}</p>
              </Show>
            </div>
          </Match>
          <Match when={searching()}>
            <ul role="list" data-slot="rows">
              <For each={shown.memories}>{(memory) => <MemoryRow model={model} memory={memory} dated />}</For>
            </ul>
          </Match>
          <Match when={true}>
            <For each={shown.groups}>
              {(group) => (
                <section data-slot="day" aria-label={group.name}>
                  <header>
                    <h4>{group.name}</h4>
                    <Show when={group.file}>
                      <button type="button" data-slot="link" aria-label={words().fileOf(group.file)} onClick={() => model.show({ kind: "file", file: group.file })}>
                        {words().file}
                      </button>
                    </Show>
                  </header>
                  <ul role="list" data-slot="rows">
                    <For each={group.memories}>{(memory) => <MemoryRow model={model} memory={memory} />}</For>
                  </ul>
                </section>
              )}
            </For>
          </Match>
        </Switch>
        <Show when={model.canMore()}>
          <Button onClick={() => model.more()}>{words().more}</Button>
        </Show>
        <Show when={(model.overview.answer()?.problems.length ?? 0) > 0}>
          <div data-slot="notice">
            <strong>{text().memory.problems}</strong>
            <ul role="list">
              <For each={model.overview.answer()?.problems}>{(problem) => <li>{problem}</li>}</For>
            </ul>
          </div>
        </Show>
        <p data-slot="aside">
          <bdi>{text().memory.folder(tilde(model.overview.answer()?.folder ?? "", home()))}</bdi>
        </p>
      </Show>
    </>
  );
}

/** The memories grouped by day in the user's time, or by file if they have no day. */
function grouped(memories: readonly Memory[], model: MemoryModel): Group[] {
  const groups: Group[] = [];
  for (const memory of memories) {
    const id = memory.kind === "daily" ? (memory.clock ? localDay(memory.at) : memory.day) : memory.file;
    let group = groups.find((g) => g.id === id);
    if (!group) {
      const name = memory.kind === "daily" ? dayWords(id) : fileWords({ kind: kindOf(memory.file), file: memory.file }, model.nameOf(slugOf(memory.file)));
      groups.push((group = { id, name, file: memory.file, memories: [] }));
    }
    if (group.file !== memory.file) group.file = "";
    group.memories.push(memory);
  }
  return groups;
}

function localDay(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}
