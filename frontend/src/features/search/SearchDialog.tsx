import { createEffect, For, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import { number, text } from "../../i18n";
import { createSlowClock } from "../../lib/ago";
import { showOption } from "../../lib/into-view";
import { isComposing } from "../../lib/keys";
import { baseName } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FilterBar } from "./FilterBar";
import { HitRow, hitId } from "./HitRow";
import { createSearch, type SearchModel } from "./model";
import "./search-dialog.css";

/** Searches all conversations. */
export function SearchDialog(): JSX.Element {
  const app = useApp();
  const { layout } = app;
  const model = createSearch(app);
  const open = () => layout.overlay()?.kind === "search";
  // Starts with text typed elsewhere, or else with the previous query.
  createEffect(
    on(layout.overlay, (overlay) => {
      if (overlay?.kind === "search" && overlay.text !== "") model.setText(overlay.text);
    }),
  );
  return (
    <Dialog open={open()} onOpenChange={(to) => layout.setOverlay(to ? { kind: "search", text: "" } : null)} title={text().search.title} size="large">
      <Search model={model} onDone={() => layout.setOverlay(null)} />
    </Dialog>
  );
}

function Search(props: { model: SearchModel; onDone: () => void }): JSX.Element {
  const model = props.model;
  const go = (index: number) => {
    if (!model.link() && !model.order()[index]) return;
    void model.go(model.order()[index]?.hit);
    props.onDone();
  };
  let root: HTMLElement | undefined;
  onCleanup(() => model.forget());

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => model.move(1),
      ArrowUp: () => model.move(-1),
      // After fast typing, Enter means the result for the whole query, not the one still shown.
      Enter: () => (model.link() ? go(0) : model.whenSettled(() => go(model.active()))),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    showOption(root, hitId(model.active()));
  }

  return (
    <div ref={(el) => (root = el)} data-component="search">
      <input
        data-slot="box"
        type="text"
        data-autofocus
        spellcheck={false}
        autocomplete="off"
        role="combobox"
        aria-label={text().search.label}
        aria-expanded={model.order().length > 0}
        aria-controls="search-hits"
        aria-activedescendant={model.order().length > 0 ? hitId(model.active()) : undefined}
        placeholder={text().search.placeholder}
        value={model.text()}
        ref={(el) => queueMicrotask(() => el.select())}
        onInput={(event) => model.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <FilterBar model={model} />
      <Outcome model={model} onGo={go} />
      <Status model={model} />
    </div>
  );
}

function Outcome(props: { model: SearchModel; onGo: (index: number) => void }): JSX.Element {
  const model = props.model;
  const now = createSlowClock(30_000);
  return (
    <div data-slot="found">
      <Switch>
        <Match when={model.link()}>
          <div data-slot="blank">
            <p>{text().search.address}</p>
            <Button onClick={() => props.onGo(0)}>{text().search.goTo}</Button>
          </div>
        </Match>
        <Match when={model.error()}>
          <div data-slot="blank" role="alert">
            <h3>{text().search.failed}</h3>
            <p>{model.error()}</p>
            <Button onClick={() => void model.retry()}>{text().common.tryAgain}</Button>
          </div>
        </Match>
        <Match when={model.text().trim() === ""}>
          <div data-slot="blank">
            <p>{text().search.about}</p>
          </div>
        </Match>
        <Match when={model.result()?.hits.length === 0}>
          <div data-slot="blank">
            <h3>{text().search.nothing}</h3>
            <p>{text().search.nothingHas(model.result()?.partial === true, model.filtered())}</p>
            <Show when={model.filtered()}>
              <Button onClick={() => model.clearFilters()}>{text().search.withoutFilters}</Button>
            </Show>
          </div>
        </Match>
        <Match when={model.result()}>
          <div id="search-hits" data-slot="hits" role="listbox" aria-label={text().search.found} aria-busy={model.busy()}>
            <For each={model.groups()}>
              {(group) => (
                <div role="group" aria-label={group.title || text().common.newSession}>
                  <p data-slot="session" role="presentation">
                    <span data-slot="title">{group.title || text().common.newSession}</span>
                    <span data-slot="folder" title={group.cwd}>{baseName(group.cwd)}</span>
                  </p>
                  <For each={group.hits}>
                    {({ hit, index }) => (
                      <HitRow
                        hit={hit}
                        index={index}
                        now={now()}
                        active={model.active() === index}
                        onHover={() => model.setActive(index)}
                        onGo={() => props.onGo(index)}
                      />
                    )}
                  </For>
                </div>
              )}
            </For>
            <Show when={model.hasMore()}>
              <Button variant="ghost" size="small" data-slot="more" disabled={model.busy()} onClick={() => void model.more()}>
                {text().search.more}
              </Button>
            </Show>
          </div>
        </Match>
      </Switch>
    </div>
  );
}

/** The number of results, and whether all conversations were searched. */
function Status(props: { model: SearchModel }): JSX.Element {
  const { state } = useApp();
  const count = () => {
    const result = props.model.result();
    if (!result || result.hits.length === 0) return "";
    const sessions = props.model.groups().length;
    if (result.more) return text().search.shownOfMore(result.hits.length, result.total);
    return result.hits.length < result.total ? text().search.shownOf(result.hits.length, result.total) : text().search.places(result.total, sessions);
  };
  const reading = () => {
    const progress = state.library?.search;
    if (progress?.problem) return text().search.notAllRead(progress.problem);
    if (!props.model.result()?.partial && !progress?.busy) return "";
    if (!progress || progress.bytes <= 0) return text().search.stillReading;
    const percent = Math.min(99, Math.floor((progress.bytesDone / progress.bytes) * 100));
    return text().search.stillReadingPart(text().figures.percent(number(percent)));
  };
  return (
    <footer data-slot="status">
      <span role="status">{count()}</span>
      <span>{reading()}</span>
    </footer>
  );
}
