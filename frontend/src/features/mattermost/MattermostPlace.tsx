import { type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Page, PageBody, PageTabs } from "../../ui/page";
import { createReading } from "../../store/reading";
import { Begin } from "./Begin";
import { ChannelsFields } from "./ChannelsFields";
import { createEditor, type Editor } from "./editor";
import { type ChatModel, createChatModel, createWhere, tabs, type Where } from "./model";
import { Overview } from "./Overview";
import { CallsFields } from "./CallsFields";
import { PeopleFields } from "./PeopleFields";
import { Conflict, SaveBar } from "./SaveBar";
import { ThreadsTab } from "./ThreadsTab";
import { Wizard } from "./Wizard";
import "./mattermost.css";
import "./rows.css";

/** The Mattermost page. */
export function MattermostPlace(): JSX.Element {
  const { host, layout } = useApp();
  const place = () => layout.at("chat");
  // Unfinished input survives closing the page; nothing is requested before it is first opened.
  const seen = createSeen(place);
  const reading = createReading("mattermost.get", () => (seen() ? {} : null), { globals: ["chat.changed"] });
  const editor = createEditor(host, reading.answer, reading.again);
  const where = createWhere();
  return (
    <Page at={place()} into={layout.panel("chat")} title={text().chat.title} about={text().chat.about} width={900}>
      {(at) => <ChatPage reading={reading} editor={editor} where={where} tab={at.tab ?? ""} />}
    </Page>
  );
}

/** Whether the value was ever truthy. */
function createSeen(what: () => unknown): () => boolean {
  let been = false;
  return () => (been = what() !== null || been);
}

function ChatPage(props: { reading: ChatModel["reading"]; editor: Editor; where: Where; tab: string }): JSX.Element {
  const app = useApp();
  // Keyed by place: a new one remounts the page.
  const model = createChatModel(app, props.reading, props.editor, props.where, props.tab);
  return (
    <PageBody kind="chat" reading={model.reading} failed={text().chat.failed} moved={() => [model.tab(), model.step(), model.setUp()]}>
      <Show when={model.problem()}>
        <p data-slot="invalid" role="alert">
          {model.problem()}
        </p>
      </Show>
      <Switch fallback={<Pages model={model} />}>
        <Match when={model.step() !== null}>
          <Wizard model={model} />
        </Match>
        <Match when={!model.setUp()}>
          <Begin model={model} />
        </Match>
      </Switch>
    </PageBody>
  );
}

function Pages(props: { model: ChatModel }): JSX.Element {
  return (
    <PageTabs
      label={text().chat.title}
      tabs={tabs.map((id) => ({ id, name: text().chat.tabs[id] }))}
      value={props.model.tab()}
      onChange={(id) => props.model.show(id)}
      above={<Conflict editor={props.model.editor} />}
      // Focuses the page, not its switch: a stray key press would end the connection.
      focused={(id) => id === "overview"}
    >
      {(id) => (
        <Switch>
          <Match when={id === "overview"}>
            <Overview model={props.model} />
          </Match>
          <Match when={id === "channels"}>
            <ChannelsFields editor={props.model.editor} />
            <SaveBar editor={props.model.editor} />
          </Match>
          <Match when={id === "people"}>
            <PeopleFields editor={props.model.editor} />
            <CallsFields editor={props.model.editor} />
            <SaveBar editor={props.model.editor} />
          </Match>
          <Match when={id === "threads"}>
            <ThreadsTab model={props.model} />
          </Match>
        </Switch>
      )}
    </PageTabs>
  );
}
