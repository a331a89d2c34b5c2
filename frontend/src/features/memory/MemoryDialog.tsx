import { createEffect, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
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

/** What is remembered, over everything else. */
export function MemoryDialog(): JSX.Element {
  const { layout } = useApp();
  const open = () => layout.overlay()?.kind === "memory";
  /** The page's own way of closing, which asks first when something would be lost. */
  let close: (() => void) | undefined;
  return (
    <Dialog
      open={open()}
      onOpenChange={(to) => !to && (close ? close() : layout.setOverlay(null))}
      title={text().memory.title}
      description={text().memory.about}
      size="wide"
    >
      <Show when={open()}>
        <MemoryPage onClose={() => layout.setOverlay(null)} onReady={(act) => (close = act)} />
      </Show>
    </Dialog>
  );
}

export function MemoryPage(props: { onClose?: () => void; onReady?: (close: (() => void) | undefined) => void }): JSX.Element {
  const app = useApp();
  const model = createMemoryModel(app);
  let main!: HTMLElement;
  props.onReady?.(() => model.leave(() => props.onClose?.()));
  onCleanup(() => props.onReady?.(undefined));
  // What was clicked may be gone with what it stood in.
  createEffect(
    on(model.view, () => queueMicrotask(() => document.activeElement === document.body && main.focus()), { defer: true }),
  );
  const file = () => {
    const view = model.view();
    return view.kind === "file" ? view : null;
  };
  return (
    <Show when={model.overview.answer()} fallback={<Unread model={model} />}>
      <div data-component="memory" data-page="">
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
      </div>
      <LeaveQuestion model={model} />
    </Show>
  );
}

function Unread(props: { model: MemoryModel }): JSX.Element {
  return (
    <div data-component="page-unread" data-of="memory" data-autofocus="" tabindex="-1">
      <Show when={props.model.overview.error()} fallback={<p role="status">{text().common.loading}</p>}>
        {(why) => (
          <div role="alert">
            <strong>{text().memory.failed}</strong>
            <p>{why()}</p>
            <Button size="small" onClick={() => props.model.overview.again()}>
              {text().common.tryAgain}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}

/** What was forgotten last, for as long as it comes back with one click. */
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

function LeaveQuestion(props: { model: MemoryModel }): JSX.Element {
  const words = () => text().memory.leave;
  return (
    <Dialog
      open={props.model.leaving() !== null}
      onOpenChange={(open) => !open && props.model.answer(false)}
      title={words().title}
      footer={
        <>
          <Button data-autofocus="" onClick={() => props.model.answer(false)}>
            {words().keep}
          </Button>
          <Button variant="ghost" data-danger="" onClick={() => props.model.answer(true)}>
            {words().discard}
          </Button>
        </>
      }
    >
      <p data-slot="description">{words().about}</p>
    </Dialog>
  );
}
