import { createSignal, type JSX, Match, Switch } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Page, PageBody, PageTabs } from "../../ui/page";
import { FoldersTab } from "./FoldersTab";
import { GuardTab } from "./GuardTab";
import { LogTab } from "./LogTab";
import { RulesTab } from "./RulesTab";
import { TryTab } from "./TryTab";
import "./permissions.css";
import "./log.css";

export const tabs = ["rules", "try", "folders", "guard", "log"] as const;
type Tab = (typeof tabs)[number];

/** The permissions page. */
export function PermissionsPlace(): JSX.Element {
  const { layout } = useApp();
  return (
    <Page at={layout.at("permissions")} into={layout.panel("permissions")} title={text().permission.title} about={text().permission.about}>
      {(at) => <PermissionsPage tab={at.tab ?? ""} />}
    </Page>
  );
}

function PermissionsPage(props: { tab: string }): JSX.Element {
  const known = (id: string): Tab => tabs.find((tab) => tab === id) ?? "rules";
  const [tab, setTab] = createSignal<Tab>(known(props.tab));
  return (
    <PageBody kind="permissions">
      <PageTabs label={text().permission.title} tabs={tabs.map((id) => ({ id, name: text().permission.tabs[id] }))} value={tab()} onChange={(id) => setTab(known(id))}>
        {(id) => (
          <Switch>
            <Match when={id === "rules"}><RulesTab /></Match>
            <Match when={id === "try"}><TryTab /></Match>
            <Match when={id === "folders"}><FoldersTab /></Match>
            <Match when={id === "guard"}><GuardTab /></Match>
            <Match when={id === "log"}><LogTab /></Match>
          </Switch>
        )}
      </PageTabs>
    </PageBody>
  );
}
