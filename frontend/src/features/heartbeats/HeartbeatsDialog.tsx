import { Tabs } from "@kobalte/core/tabs";
import { createEffect, createSignal, For, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FileTab } from "./FileTab";
import { Form } from "./Form";
import { HistoryTab } from "./HistoryTab";
import { ListTab } from "./ListTab";
import { createHeartbeatsModel, type HeartbeatsModel, type Place, tabs } from "./model";
import { Preview } from "./Preview";
import "./heartbeats.css";
import "./list.css";
import "./preview.css";

/** Prompts on a schedule, over everything else. */
export function HeartbeatsDialog(): JSX.Element {
  const { layout } = useApp();
  const place = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "heartbeats" ? overlay : null;
  };
  /** The page's own way of closing, which asks first when something would be lost. */
  let close: (() => void) | undefined;
  return (
    <Dialog
      open={place() !== null}
      onOpenChange={(open) => !open && (close ? close() : layout.setOverlay(null))}
      title={text().heartbeats.title}
      description={text().heartbeats.about}
      size="wide"
    >
      <Show when={place()} keyed>
        {(at) => <HeartbeatsPage place={at} onClose={() => layout.setOverlay(null)} onReady={(act) => (close = act)} />}
      </Show>
    </Dialog>
  );
}

export function HeartbeatsPage(props: { place: Place; onClose?: () => void; onReady?: (close: (() => void) | undefined) => void }): JSX.Element {
  const app = useApp();
  const model = createHeartbeatsModel(app, props.place);
  /** What was written in the file's tab stays while another one is looked at. */
  const [beenToFile, setBeenToFile] = createSignal(false);
  let root!: HTMLDivElement;
  createEffect(() => model.tab() === "file" && setBeenToFile(true));
  props.onReady?.(() => model.leave("all", () => props.onClose?.()));
  onCleanup(() => props.onReady?.(undefined));
  // Going to another tab from within the page takes the focus along.
  createEffect(
    on([model.tab, model.view], () => queueMicrotask(() => {
      if (document.activeElement !== document.body && root.contains(document.activeElement)) return;
      root.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }), { defer: true }),
  );
  return (
    <>
      <Tabs ref={root} data-component="heartbeats" data-page="" value={model.tab()} onChange={(id) => model.show(id)}>
        <Tabs.List data-slot="tabs" aria-label={text().heartbeats.title}>
          <For each={tabs}>{(id) => <Tabs.Trigger value={id}>{text().heartbeats.tabs[id]}</Tabs.Trigger>}</For>
        </Tabs.List>
        <Said model={model} />
        <For each={tabs}>
          {(id) => (
            <Tabs.Content data-slot="page" value={id} forceMount={id === "list" || (id === "file" && beenToFile())} hidden={model.tab() !== id}>
              <Switch>
                <Match when={id === "list"}>
                  <ListView model={model} />
                </Match>
                <Match when={id === "history"}>
                  <HistoryTab model={model} />
                </Match>
                <Match when={id === "file"}>
                  <FileTab model={model} />
                </Match>
              </Switch>
            </Tabs.Content>
          )}
        </For>
      </Tabs>
      <LeaveQuestion model={model} />
    </>
  );
}

function ListView(props: { model: HeartbeatsModel }): JSX.Element {
  const form = () => {
    const view = props.model.view();
    return view.kind === "form" ? view : null;
  };
  const preview = () => {
    const view = props.model.view();
    return view.kind === "preview" ? view.name : null;
  };
  return (
    <Switch fallback={<ListTab model={props.model} />}>
      <Match when={form()} keyed>
        {(view) => <Form model={props.model} name={view.name} spec={view.spec} />}
      </Match>
      <Match when={preview()} keyed>
        {(name) => <Preview model={props.model} name={name} />}
      </Match>
    </Switch>
  );
}

/** What went wrong, and what was done. */
function Said(props: { model: HeartbeatsModel }): JSX.Element {
  return (
    <>
      <p class="visually-hidden" role="status">
        {props.model.said()}
      </p>
      <Show when={props.model.problem()}>
        {(why) => (
          <p data-slot="invalid" role="alert">
            {why()}
          </p>
        )}
      </Show>
    </>
  );
}

function LeaveQuestion(props: { model: HeartbeatsModel }): JSX.Element {
  const words = () => text().heartbeats.form.leave;
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
