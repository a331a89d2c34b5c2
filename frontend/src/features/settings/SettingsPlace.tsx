import { Tabs } from "@kobalte/core/tabs";
import { createEffect, createMemo, createSignal, For, type JSX, on, onMount, Show } from "solid-js";
import type { Settings } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Page } from "../../ui/page";
import { ProfilesPage } from "../profiles/ProfilesPage";
import type { Action } from "../../desk/shortcuts";
import { CLIPage } from "./CLIPage";
import { DevicesPage } from "./DevicesPage";
import { FilesPage } from "./FilesPage";
import { HealthPage } from "./HealthPage";
import { KeysPage } from "./KeysPage";
import { LogPage } from "./LogPage";
import { LookPage } from "./LookPage";
import { NewSessionsPage } from "./NewSessionsPage";
import { NoticesPage } from "./NoticesPage";
import { type Entry, entriesOf, extras, finds, type PageId, pageIds, pageOf } from "./registry";
import { Setting } from "./Setting";
import { type Defaults, Marked, SettingRow } from "./SettingRow";
import "./settings.css";
import "../../ui/fields.css";

/** The settings. Changes apply immediately, without confirmation. */
export function SettingsPlace(props: { actions?: () => readonly Action[] }): JSX.Element {
  const { layout } = useApp();
  return (
    <Page at={layout.at("settings")} into={layout.panel("settings")} title={text().settings.title}>
      {(at) => <Content where={at.tab ?? ""} actions={() => props.actions?.() ?? []} />}
    </Page>
  );
}

function Content(props: { where: string; actions: () => readonly Action[] }): JSX.Element {
  const { state, host } = useApp();
  const [page, setPage] = createSignal<PageId>(pageOf(props.where) ?? "general");
  let root: HTMLElement | undefined;
  const [query, setQuery] = createSignal("");
  const [defaults, setDefaults] = createSignal<Settings | null>(null);
  onMount(() => {
    // Without the defaults, settings can't be reset, but everything else works.
    void host.call("settings.defaults", {}).then(setDefaults, () => {});
  });

  /** Opens a page, or the page of a setting. */
  function goTo(where: string): void {
    const to = pageOf(where);
    if (!to) return;
    setQuery("");
    setPage(to);
    if (to === where) return;
    requestAnimationFrame(() => {
      const found = root?.querySelector(`#setting-${CSS.escape(where)}`);
      found?.scrollIntoView({ block: "center" });
      found?.setAttribute("data-found", "");
      found?.querySelector<HTMLElement>("input, button, textarea")?.focus({ preventScroll: true });
    });
  }
  createEffect(on(() => props.where, goTo));

  const searching = () => query().trim() !== "";
  return (
    <Show when={state.info?.settings} fallback={<p data-slot="about">{text().settings.notRead}</p>}>
      <Tabs ref={(el: HTMLElement) => (root = el)} data-component="settings" orientation="vertical" value={page()} onChange={(id) => goTo(id)}>
        <div data-slot="side">
          <input
            type="search"
            data-component="text-field"
            data-autofocus=""
            aria-label={text().settings.search}
            placeholder={text().settings.searchShort}
            value={query()}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <Tabs.List data-slot="tabs" data-searching={searching() || undefined} aria-label={text().settings.title}>
            <For each={pageIds}>{(id) => <Tabs.Trigger value={id}>{text().settings.pages[id]}</Tabs.Trigger>}</For>
          </Tabs.List>
        </div>
        <Show when={!searching()} fallback={
            <>
              <Found query={query()} defaults={defaults} onGo={goTo} />
              {/* The selected tab refers to the panel it controls. */}
              <Tabs.Content value={page()} hidden />
            </>
          }>
          <For each={pageIds}>
            {(id) => (
              <Tabs.Content data-slot="page" value={id}>
                <Part id={id} defaults={defaults} actions={props.actions} />
              </Tabs.Content>
            )}
          </For>
        </Show>
      </Tabs>
    </Show>
  );
}

function Part(props: { id: PageId; defaults: Defaults; actions: () => readonly Action[] }): JSX.Element {
  const pages: Record<PageId, () => JSX.Element> = {
    general: () => <GeneralPage defaults={props.defaults} />,
    look: () => <LookPage defaults={props.defaults} />,
    keys: () => <KeysPage actions={props.actions} />,
    notices: () => <NoticesPage defaults={props.defaults} />,
    new: () => <NewSessionsPage defaults={props.defaults} />,
    rooms: () => <Rows page="rooms" defaults={props.defaults} />,
    budgets: () => <Rows page="budgets" defaults={props.defaults} />,
    cli: () => <CLIPage defaults={props.defaults} />,
    profiles: () => <ProfilesPage />,
    devices: () => <DevicesPage defaults={props.defaults} />,
    files: () => <FilesPage defaults={props.defaults} />,
    health: () => <HealthPage />,
    log: () => <LogPage />,
  };
  return <>{pages[props.id]()}</>;
}

function GeneralPage(props: { defaults: Defaults }): JSX.Element {
  const { layout } = useApp();
  return (
    <>
      <Rows page="general" defaults={props.defaults} />
      <Setting id="setting-chat" label={text().chat.title} about={text().chat.settings}>
        {() => (
          <Button aria-label={text().chat.open} onClick={() => layout.go({ kind: "chat" })}>
            {text().common.open}
          </Button>
        )}
      </Setting>
    </>
  );
}

function Rows(props: { page: PageId; defaults: Defaults }): JSX.Element {
  const { host } = useApp();
  return <For each={entriesOf(props.page).filter((entry) => has(entry, host.kind))}>{(entry) => <SettingRow entry={entry} defaults={props.defaults} />}</For>;
}

/** Whether a setting applies to this kind of page. */
const has = (entry: Entry, kind: string): boolean => entry.window !== true || kind === "window";

/** The search results across all pages. */
function Found(props: { query: string; defaults: Defaults; onGo: (where: string) => void }): JSX.Element {
  const { host } = useApp();
  const words = () => text().settings;
  const hits = createMemo(() =>
    pageIds
      .map((page) => ({
        page,
        entries: entriesOf(page).filter(
          (entry) => has(entry, host.kind) && finds(props.query, words().fields[entry.id].label, words().fields[entry.id].about, words().pages[page], entry.id),
        ),
        extras: extras().filter((extra) => extra.page === page && finds(props.query, extra.label, extra.about, words().pages[page], extra.id)),
      }))
      .filter((hit) => hit.entries.length + hit.extras.length > 0),
  );
  const count = () => hits().reduce((sum, hit) => sum + hit.entries.length + hit.extras.length, 0);
  return (
    <div data-slot="page" data-found-list="">
      <p data-slot="about" role="status">
        {count() === 0 ? words().nothing : words().found(count(), number(count()))}
      </p>
      <For each={hits()}>
        {(hit) => (
          <section aria-label={words().pages[hit.page]}>
            <button type="button" data-slot="page-link" onClick={() => props.onGo(hit.page)}>
              {words().pages[hit.page]}
            </button>
            <For each={hit.entries}>
              {(entry) => (
                <SettingRow entry={entry} defaults={props.defaults} query={props.query}>
                  <Show when={entry.control.kind === "own"}>
                    <Go label={words().fields[entry.id].label} onClick={() => props.onGo(entry.id)} />
                  </Show>
                </SettingRow>
              )}
            </For>
            <For each={hit.extras}>
              {(extra) => (
                <div data-slot="setting">
                  <div data-slot="words">
                    <span data-slot="label">
                      <Marked text={extra.label} query={props.query} />
                    </span>
                    <p data-slot="about">
                      <Marked text={extra.about} query={props.query} />
                    </p>
                  </div>
                  <Go label={extra.label} onClick={() => props.onGo(extra.id)} />
                </div>
              )}
            </For>
          </section>
        )}
      </For>
    </div>
  );
}

function Go(props: { label: string; onClick: () => void }): JSX.Element {
  return (
    <button type="button" data-component="button" data-variant="secondary" data-size="small" aria-label={`${text().common.open}: ${props.label}`} onClick={() => props.onClick()}>
      {text().common.open}
    </button>
  );
}

