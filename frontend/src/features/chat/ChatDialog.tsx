import { Tabs } from "@kobalte/core/tabs";
import { createEffect, For, type JSX, Match, on, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { createReading } from "../permissions/read";
import { Begin } from "./Begin";
import { ChannelsFields } from "./ChannelsFields";
import { createEditor, type Editor } from "./editor";
import { type ChatModel, createChatModel, createWhere, tabs, type Where } from "./model";
import { Overview } from "./Overview";
import { PeopleFields } from "./PeopleFields";
import { Conflict, SaveBar } from "./SaveBar";
import { ThreadsTab } from "./ThreadsTab";
import { Wizard } from "./Wizard";
import "./chat.css";
import "./rows.css";

/** The team chat, over everything else. */
export function ChatDialog(): JSX.Element {
  const { host, layout } = useApp();
  const place = () => {
    const overlay = layout.overlay();
    return overlay?.kind === "chat" ? overlay : null;
  };
  // What is half entered outlives the page; nothing is asked before it was open.
  const seen = createSeen(place);
  const reading = createReading("chat.get", () => (seen() ? {} : null), ["chat.changed"]);
  const editor = createEditor(host, reading.answer, reading.again);
  const where = createWhere();
  return (
    <Dialog open={place() !== null} onOpenChange={(open) => !open && layout.setOverlay(null)} title={text().chat.title} description={text().chat.about} size="wide">
      <Show when={place()} keyed>
        {(at) => <ChatPage reading={reading} editor={editor} where={where} tab={at.tab ?? ""} />}
      </Show>
    </Dialog>
  );
}

/** Whether something has been there. */
function createSeen(what: () => unknown): () => boolean {
  let been = false;
  return () => (been = what() !== null || been);
}

export function ChatPage(props: { reading: ChatModel["reading"]; editor: Editor; where: Where; tab: string }): JSX.Element {
  const app = useApp();
  // The place is keyed: another one is another page.
  const model = createChatModel(app, props.reading, props.editor, props.where, props.tab);
  let root!: HTMLDivElement;
  // What is gone takes the focus along to what came in its place.
  createEffect(
    on([model.tab, model.step, model.setUp], () => queueMicrotask(() => {
      if (!root?.isConnected || (document.activeElement !== document.body && root.contains(document.activeElement))) return;
      root.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }), { defer: true }),
  );
  return (
    <Show when={model.reading.answer()} fallback={<Unread model={model} />}>
      <div ref={root} data-component="chat" data-page="">
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
      </div>
    </Show>
  );
}

function Unread(props: { model: ChatModel }): JSX.Element {
  return (
    <div data-component="page-unread" data-of="chat" data-autofocus="" tabindex="-1">
      <Show when={props.model.reading.error()} fallback={<p role="status">{text().common.loading}</p>}>
        {(why) => (
          <div role="alert">
            <strong>{text().chat.failed}</strong>
            <p>{why()}</p>
            <Button size="small" onClick={() => props.model.reading.again()}>
              {text().common.tryAgain}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}

function Pages(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat.tabs;
  return (
    <Tabs data-slot="pages" data-page="" value={props.model.tab()} onChange={(id) => props.model.show(id)}>
      <Tabs.List data-slot="tabs" aria-label={text().chat.title}>
        <For each={tabs}>{(id) => <Tabs.Trigger value={id}>{words()[id]}</Tabs.Trigger>}</For>
      </Tabs.List>
      <Conflict editor={props.model.editor} />
      {/* The page and not the switch on it: a key pressed too early would end the connection. */}
      <Tabs.Content data-slot="page" value="overview" aria-label={words().overview} data-autofocus="" tabIndex={-1}>
        <Overview model={props.model} />
      </Tabs.Content>
      <Tabs.Content data-slot="page" value="channels">
        <ChannelsFields editor={props.model.editor} />
        <SaveBar editor={props.model.editor} />
      </Tabs.Content>
      <Tabs.Content data-slot="page" value="people">
        <PeopleFields editor={props.model.editor} />
        <SaveBar editor={props.model.editor} />
      </Tabs.Content>
      <Tabs.Content data-slot="page" value="threads">
        <ThreadsTab model={props.model} />
      </Tabs.Content>
    </Tabs>
  );
}
