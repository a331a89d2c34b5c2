import { createEffect, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { LeaveQuestion, Page, PageBody, PageTabs } from "../../ui/page";
import { FileTab } from "./FileTab";
import { Form } from "./Form";
import { HistoryTab } from "./HistoryTab";
import { ListTab } from "./ListTab";
import { createHeartbeatsModel, type HeartbeatsModel, type Place, tabs } from "./model";
import { Preview } from "./Preview";
import "./heartbeats.css";
import "./list.css";
import "./preview.css";

/** Prompts on a schedule. */
export function HeartbeatsPlace(): JSX.Element {
  const { layout } = useApp();
  return (
    <Page
      at={layout.at("heartbeats")}
      into={layout.panel("heartbeats")}
      title={text().heartbeats.title}
      about={text().heartbeats.about}
      width={960}
    >
      {(at) => <HeartbeatsPage place={{ tab: at.tab ?? "", ...(at.name ? { name: at.name } : {}) }} />}
    </Page>
  );
}

export function HeartbeatsPage(props: { place: Place }): JSX.Element {
  const app = useApp();
  const model = createHeartbeatsModel(app, props.place);
  /** Edits in the file tab survive switching tabs. */
  const [beenToFile, setBeenToFile] = createSignal(false);
  createEffect(() => model.tab() === "file" && setBeenToFile(true));
  app.layout.guard("heartbeats", (go) => model.leave("all", go));
  return (
    <PageBody kind="heartbeats" moved={() => [model.tab(), model.view()]}>
      <PageTabs
        label={text().heartbeats.title}
        tabs={tabs.map((id) => ({ id, name: text().heartbeats.tabs[id] }))}
        value={model.tab()}
        onChange={(id) => model.show(id)}
        above={<StatusMessages model={model} />}
        keeps={(id) => id === "list" || (id === "file" && beenToFile())}
      >
        {(id) => (
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
        )}
      </PageTabs>
      <LeaveQuestion leaving={model.leaving()} onAnswer={(go) => model.answer(go)} words={text().heartbeats.form.leave} />
    </PageBody>
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

/** The last error and the last action. */
function StatusMessages(props: { model: HeartbeatsModel }): JSX.Element {
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
