import { createEffect, type JSX, Match, on, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { LeaveQuestion, Page, PageBody } from "../../ui/page";
import { FileView } from "./FileView";
import { ImportView } from "./ImportView";
import { ListView } from "./ListView";
import { createMemoryModel, type MemoryModel } from "./model";
import { Places } from "./Places";
import { ToldView } from "./ToldView";
import { TrashView } from "./TrashView";
import "./memory.css";
import "./list.css";
import "./told.css";

/** The memory page. */
export function MemoryPlace(): JSX.Element {
  const { layout } = useApp();
  return (
    <Page
      at={layout.at("memory")}
      into={layout.panel("memory")}
      title={text().memory.title}
      about={text().memory.about}
      width={980}
    >
      {() => <MemoryPage />}
    </Page>
  );
}

export function MemoryPage(): JSX.Element {
  const app = useApp();
  const model = createMemoryModel(app);
  let main!: HTMLElement;
  app.layout.guard("memory", model.leave);
  // The clicked element may have been removed.
  createEffect(
    on(model.view, () => queueMicrotask(() => document.activeElement === document.body && main.focus()), { defer: true }),
  );
  const file = () => {
    const view = model.view();
    return view.kind === "file" ? view : null;
  };
  return (
    <PageBody kind="memory" reading={model.overview} failed={text().memory.failed}>
      <Places model={model} />
      <section ref={main} data-slot="main" tabindex="-1" aria-label={text().memory.title}>
        <Show when={model.problem()}>
          {(why) => (
            <p data-slot="invalid" role="alert">
              {why()}
            </p>
          )}
        </Show>
        <p class="visually-hidden" role="status">
          {model.said()}
        </p>
        <Switch fallback={<ListView model={model} />}>
          <Match when={file()} keyed>
            {(view) => <FileView model={model} file={view.file} begin={view.begin ?? ""} />}
          </Match>
          <Match when={model.view().kind === "told"}>
            <ToldView model={model} />
          </Match>
          <Match when={model.view().kind === "trash"}>
            <TrashView model={model} />
          </Match>
          <Match when={model.view().kind === "import"}>
            <ImportView model={model} />
          </Match>
        </Switch>
        <Gone model={model} />
      </section>
      <LeaveQuestion leaving={model.leaving()} onAnswer={(go) => model.answer(go)} words={text().memory.leave} />
    </PageBody>
  );
}

/** The last deleted memory, while it can be restored with one click. */
function Gone(props: { model: MemoryModel }): JSX.Element {
  return (
    <Show when={props.model.gone()}>
      {(item) => (
        <div data-slot="gone" role="status">
          <span>
            {item().whole ? text().memory.gone.file : text().memory.gone.one} <q dir="auto">{item().whole ? item().file : item().text}</q>
          </span>
          <Button size="small" onClick={() => void props.model.restore(item().id)}>
            {text().memory.gone.undo}
          </Button>
          <Button size="small" variant="ghost" onClick={() => props.model.dismissGone()}>
            {text().common.dismiss}
          </Button>
        </div>
      )}
    </Show>
  );
}
